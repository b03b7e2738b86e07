"""`plugins` and `doctor`: what is installed, and what is wrong with it."""

import sys

import importlib_metadata
import pytest

from .acme import PACK


@pytest.fixture(autouse=True)
def pack(site):
    """Two tools."""
    site.install(PACK, value="acme:tools", version="2.0")


def rows_of(text: str) -> list[list[str]]:
    """The rows about what the test installed, without the times in them."""
    lines = [line.split() for line in text.splitlines() if line.startswith("acme")]
    return [
        [w for w in words if w not in ("ms",) and not w.isdigit()] for words in lines
    ]


def test_plugins_are_listed_outermost_first(policy, pegboard):
    """H2: `plugins` lists what is installed in its order, with origin and hooks."""
    result = pegboard("plugins")

    assert result.exit_code == 0
    hooks = ("after_tool_call", "before_tool_call", "on_event", "prepare_arguments")
    assert rows_of(result.stdout.replace(",", "")) == [
        [
            "acme_policy",
            "enabled",
            "policy",
            "acme-policy",
            "1.0",
            *hooks,
            "tool_middleware",
        ],
        ["acme", "enabled", "pack", "acme", "2.0"],
    ]


def test_plugins_in_json_have_tools_and_import_times(policy, answer):
    """`plugins --json` says what each plugin brings and what its import took."""
    outer, inner = (p for p in answer("plugins", "--json") if p["state"] == "enabled")

    assert outer["hooks"][0] == "after_tool_call"
    assert outer["tools"] == []
    assert inner["tools"] == ["acme:look", "acme:put"]
    assert 0 <= inner["import_seconds"] < 60


def test_plugins_of_an_empty_machine_say_how_to_begin(pegboard, monkeypatch):
    """Where nothing is installed, `plugins` says how to begin."""
    monkeypatch.setattr(importlib_metadata, "distributions", lambda: iter(()))

    assert pegboard("plugins").stdout == (
        "No plugins are installed. Begin with: pip install pegboard-files\n"
    )


def test_a_second_look_imports_no_plugin(pegboard, site):
    """D2: what was seen once is listed without an import."""
    pegboard("list")
    site.forget()
    for command in ("list", "plugins", "doctor"):
        assert pegboard(command).exit_code == 0

    assert "acme" not in sys.modules


def test_a_disabled_plugin_is_listed_as_such(policy, pegboard, monkeypatch):
    """D6: what is disabled is listed, and never imported."""
    monkeypatch.setenv("PEGBOARD_DISABLE", "acme_policy")
    rows = rows_of(pegboard("plugins").stdout)

    assert rows[-1][:3] == ["acme_policy", "disabled", "policy"]
    assert "acme_policy" not in sys.modules


BROKEN = {
    "raises": ("import nothing_of_this_name", "No module named 'nothing_of_this_name'"),
    "exits": ("raise SystemExit(3)", "SystemExit: 3"),
    "wrong": (
        "from pegboard import hookimpl\n@hookimpl\ndef register_toolz(settings): ...\n",
        "implements unknown hook 'register_toolz'. Did you mean 'register_tools'?",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_pack_is_named_with_the_way_out(kind, site, pegboard):
    """D4: `doctor` names what is broken, its distribution and the way out."""
    source, said = BROKEN[kind]
    site.install(source, name="acme-broken", version="0.3")
    doctor, plugins = pegboard("doctor"), pegboard("plugins")

    assert doctor.exit_code == 1
    assert "error: plugin 'acme_broken' (acme-broken 0.3)" in doctor.stdout
    assert said in doctor.stdout
    assert "Upgrade acme-broken, remove it (pip uninstall acme-broken)" in doctor.stdout
    assert doctor.stdout.endswith("\n1 error, 0 warnings\n")
    assert ["acme_broken", "failed", "pack", "acme-broken", "0.3"] in rows_of(
        plugins.stdout
    )
    assert plugins.exit_code == 0


def test_a_broken_pack_disturbs_no_other(site, pegboard):
    """D4: beside a broken pack everything else works."""
    site.install("raise SystemExit(3)", name="acme-broken")

    assert pegboard("show", "put").exit_code == 0
    assert pegboard("call", "look").exit_code == 0


def test_a_healthy_machine_has_no_problems(pegboard):
    """`doctor` says so if nothing is wrong, and exits with 0."""
    result = pegboard("doctor")

    assert result.exit_code == 0
    assert result.stdout.endswith("offered: 2 tools of 1 plugin\n\nNo problems.\n")


def test_doctor_tries_again_what_failed(site, pegboard, tmp_path):
    """D4: what a pack lacked and got is no distribution, so nobody else would look."""
    missing = tmp_path / "licence.txt"
    source = f"open({str(missing)!r}).close()\n{PACK.replace('def put', 'def lay')}"
    site.install(
        source.replace("look, put", "lay"), name="acme_late", value="acme_late:tools"
    )
    ill = pegboard("doctor")
    missing.write_text("paid")
    site.forget()
    as_it_was, well = pegboard("plugins"), pegboard("doctor")

    assert ill.exit_code == 1
    assert "(acme_late 1.0) cannot be imported" in ill.stdout
    assert "failed" in as_it_was.stdout
    assert well.exit_code == 0
    assert "failed" not in pegboard("plugins").stdout
    assert "lay" in pegboard("list").stdout


def test_two_tools_of_one_name_are_a_warning(site, pegboard):
    """D5: a collision is a warning of `doctor`, and both tools are offered."""
    site.install(PACK, name="acme-two", value="acme_two:tools")
    result = pegboard("doctor")
    listed = pegboard("list").stdout

    assert result.exit_code == 0
    assert "warning: tool name 'look' is offered by plugin 'acme' and" in result.stdout
    assert result.stdout.endswith("\n0 errors, 2 warnings\n")
    assert "acme__look" in listed
    assert "acme_two__look" in listed


def test_doctor_says_it_if_collisions_are_errors(site, pegboard, monkeypatch):
    """D5: with collisions = "error" commands refuse, and `doctor` says why."""
    site.install(PACK, name="acme-two", value="acme_two:tools")
    monkeypatch.setenv("PEGBOARD_COLLISIONS", "error")
    listed, doctor = pegboard("list"), pegboard("doctor")

    assert listed.exit_code == 2
    assert "tool name 'look' is offered by plugin 'acme' and" in listed.stderr
    assert doctor.exit_code == 1
    assert "error: tool name 'look' is offered by plugin 'acme' and" in doctor.stdout


def test_doctor_and_plugins_work_with_broken_settings(project, pegboard):
    """D6: broken settings leave `doctor` and `plugins` working; others say why not."""
    file = project / "pyproject.toml"
    file.write_text("[tool.pegboard}\n")
    doctor, plugins, listed = map(pegboard, ("doctor", "plugins", "list"))

    assert doctor.exit_code == 1
    assert f"error: {file}: not TOML: " in doctor.stdout
    assert f"Mend {file}" in doctor.stdout
    assert plugins.exit_code == 0
    assert plugins.stdout.count("acme") >= 1
    assert "see pegboard doctor" in plugins.stderr
    assert listed.exit_code == 2
    assert listed.stderr.startswith(f"error: {file}: not TOML: ")
    assert "line 1, column" in listed.stderr
    assert listed.stderr.count("\n") == 1


def test_an_unknown_key_is_one_line_with_the_nearest(project, pegboard):
    """An unknown key names file and key, and the nearest one that exists."""
    file = project / "pyproject.toml"
    file.write_text("[tool.pegboard]\ntimout = 5\n")
    result = pegboard("list")

    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {file}: there is no setting 'timout'; did you mean 'timeout'?\n"
    )


def test_doctor_in_json_is_an_array_of_problems(site, answer):
    """`doctor --json` has one object a problem, the remedy in a field of its own."""
    site.install("import nothing_of_this_name", name="acme-broken")
    (problem,) = answer("doctor", "--json")

    assert problem["severity"] == "error"
    assert problem["plugin"] == "acme_broken"
    assert problem["remedy"].startswith("Upgrade acme-broken")


def test_a_policy_that_fails_closes_the_board(site, pegboard):
    """D4: while a policy is broken every call answers with its name, `list` works."""
    site.install("1/0", name="acme-gate", group="pegboard.plugins")
    call, listed = pegboard("call", "look"), pegboard("list")

    assert call.exit_code == 1
    assert "No tool can be called: plugin 'acme_gate'" in call.stderr
    assert call.stderr.count("\n") == 1
    assert listed.exit_code == 0
    assert "look" in listed.stdout


def test_plugins_of_one_name_are_listed_as_refused(site, pegboard):
    """D8: of two plugins of one name neither is loaded, and `plugins` lists them."""
    for name in ("acme-one", "acme-two"):
        site.install(PACK, name=name, plugin="acme_same", value=f"{name[:4]}:tools")
    rows = rows_of(pegboard("plugins").stdout)

    assert ["acme_same", "refused", "acme-one,", "acme-two"] in rows


def test_a_terminal_sees_problems_in_colour(site, terminal):
    """`doctor` marks each problem in colour where a terminal takes colours."""
    site.install("import nothing_of_this_name", name="acme-broken")
    coloured, plain = terminal("doctor"), terminal("doctor", TERM="dumb")

    assert (coloured.end(), plain.end()) == (1, 1)
    assert b"\x1b[31merror\x1b[0m: plugin 'acme_broken'" in coloured.output
    assert b"error: plugin 'acme_broken'" in plain.output


def test_a_missing_required_plugin_stops_calls_only(project, pegboard, tmp_path):
    """D4: a required plugin that is missing stops `call`; what looks still works."""
    (tmp_path / "organisation.toml").write_text('required = ["acme_audit"]\n')
    call, listed, doctor = (
        pegboard("call", "look"),
        pegboard("list"),
        pegboard("doctor"),
    )

    assert call.exit_code == 2
    assert "'acme_audit'" in call.stderr
    assert listed.exit_code == 0
    assert "look" in listed.stdout
    assert doctor.exit_code == 1
    assert "'acme_audit'" in doctor.stdout
    assert ["acme_audit", "missing"] in rows_of(pegboard("plugins").stdout)
