"""Installed plugins through a board: shown without an import, run with guards."""

import sys
from textwrap import dedent

import pytest

from pegboard import Pegboard, PluginError, SettingsError, ToolCall, settings

PACK = """
    import pegboard

    @pegboard.tool
    def {name}(text: str) -> str:
        '''Give a text back.'''
        return text

    things = [{name}]
"""
POLICY = """
    import pegboard

    class Policy:
        @pegboard.hookimpl
        def before_tool_call(self, call):
            return pegboard.Block("{name} says no") if {blocks} else None
"""


@pytest.fixture
def install(site):
    """Installs packs and policies of one module each."""

    def pack(name, source=PACK):
        text = dedent(source).format(name=name.removeprefix("acme_"))
        site.install(
            name.replace("_", "-"),
            tools={name: f"{name}:things"},
            modules={name: text},
        )

    def policy(name, source=POLICY, blocks=False):
        text = dedent(source).format(name=name, blocks=blocks)
        site.install(
            name.replace("_", "-"),
            plugins={name: f"{name}:Policy"},
            modules={name: text},
        )

    pack.policy = policy
    return pack


@pytest.fixture
def discover(site):
    """Makes a board of the site's plugins, as a new process does."""

    def make(**values):
        site.forget()
        site.age()
        chosen = {"enable": ["acme_*"], **values}
        return Pegboard.discover(None, settings=chosen)

    return make


def imported():
    """Which of the test's modules this process has imported."""
    return sorted(name for name in sys.modules if name.startswith("acme_"))


def test_a_pack_is_imported_when_its_tool_is_called(install, discover):
    """D2: definitions import nothing that is known; a call imports one pack."""
    install("acme_one")
    install("acme_two")
    discover().definitions()
    discover().definitions()

    board = discover()
    shown = [item.name for item in board.definitions()]
    with board:
        before = imported()
        result = board.call_sync("one", {"text": "x"})
        after = imported()

    assert shown == ["one", "two"]
    assert before == []
    assert (result.text, after) == ("x", ["acme_one"])


def test_every_policy_is_imported_before_the_first_call(install, discover):
    """D2: a guard guards the calls of packs that it has never heard of."""
    install("acme_one")
    install.policy("acme_guard", blocks=True)
    discover()
    discover()

    board = discover()
    looked = imported()
    with board:
        result = board.call_sync("one", {"text": "x"})

    assert looked == []
    assert (result.code, result.by) == ("blocked", "acme_guard")


BREAKS = {
    "raises": "raise ValueError('boom')",
    "exits": "raise SystemExit(3)",
    "lacks": "import no_such_module_anywhere",
    "nonsense": "things = 3\nPolicy = 3",
    "misspelled": """
        import pegboard

        class Policy:
            @pegboard.hookimpl
            def befor_tool_call(self, call): ...

        things = Policy
    """,
}


@pytest.mark.parametrize("source", BREAKS.values(), ids=BREAKS)
def test_a_pack_that_fails_is_left_out_alone_and_whole(install, discover, source):
    """D4: other packs work; the problem names the plugin and its distribution."""
    install("acme_good")
    install("acme_bad", source)

    with discover() as board:
        names = [item.name for item in board.definitions()]
        result = board.call_sync("good", {"text": "x"})
        (problem,) = [p for p in board.problems if p.severity == "error"]

    assert names == ["good"]
    assert result.text == "x"
    assert (problem.plugin, "acme-bad" in problem.message) == ("acme_bad", True)
    assert "pip uninstall acme-bad" in problem.remedy


@pytest.mark.parametrize("source", BREAKS.values(), ids=BREAKS)
def test_a_policy_that_fails_closes_the_board(install, discover, source):
    """D4: every call is hook_failed with the policy's name, until it is optional."""
    install("acme_good")
    install.policy("acme_bad", source)

    with discover() as board:
        closed = board.run_sync([ToolCall("good", {"text": "x"}), ToolCall("nothing")])
    with discover(optional=["acme_bad"]) as board:
        optional = board.call_sync("good", {"text": "x"})
    with discover(disable=["acme_bad"]) as board:
        disabled = board.call_sync("good", {"text": "x"})

    assert [result.code for result in closed] == ["hook_failed"] * 2
    assert all("acme_bad" in result.text for result in closed)
    assert (optional.text, disabled.text) == ("x", "x")


def test_tools_of_a_pack_that_fails_later_are_unavailable(install, discover, site):
    """D4: what was shown and then fails answers with the reason, and is gone."""
    install("acme_one")
    discover()
    discover()
    path = site.write("acme_one", "raise ValueError('boom')")

    with discover() as board:
        shown = [item.name for item in board.definitions()]
        result = board.call_sync("one", {"text": "x"})
        later = [item.name for item in board.definitions()]

    assert path.exists()
    assert shown in (["one"], [])
    assert (result.code, result.executed) == ("tool_unavailable", "no")
    assert "boom" in result.text
    assert later == []


def test_what_the_import_brings_replaces_what_was_shown(install, discover, site):
    """D3: at import the live definitions hold, and the difference is a problem."""
    install("acme_one")
    discover()
    discover()
    site.write("acme_one", PACK.format(name="one").replace("text: str", "count: int"))

    with discover() as board:
        board.call_sync("one", {"count": 1})
        (definition,) = board.definitions()

    assert list(definition.input_schema["properties"]) == ["count"]


def test_a_required_plugin_must_be_there(install, discover):
    """D4: discover() raises if a required plugin is missing; looking does not."""
    install("acme_good")

    with pytest.raises(PluginError, match="acme_gone") as caught:
        discover(required=["acme_gone"])
    looked = Pegboard.survey(None, settings={"required": ["acme_gone"]})

    assert caught.value.plugin == "acme_gone"
    assert "good" in [item.name for item in looked.definitions()]
    assert looked.call_sync("good", {"text": "x"}).code == "hook_failed"


def test_a_plugin_in_code_replaces_the_installed_one(install, discover):
    """D8: the installed plugin of that name is not even imported."""
    install("acme_one")
    install.policy("acme_guard", blocks=True)

    class Mild:
        name = "acme_guard"

    board = Pegboard.discover(None, settings={"enable": ["acme_*"]}, plugins=[Mild()])
    with board:
        result = board.call_sync("one", {"text": "x"})

    assert result.text == "x"
    assert "acme_guard" not in imported()


def test_a_tool_that_differs_from_the_lock_is_refused(
    install, discover, site, tmp_path, monkeypatch
):
    """D7: with `locked` a changed, new or unlocked tool is not offered and not run."""
    from pegboard._lock import make_lock, write_lock

    monkeypatch.chdir(tmp_path)
    install("acme_one")
    install("acme_two")
    with discover(locked=True) as board:
        unlocked = board.call_sync("one", {"text": "x"})
    definitions = discover().definitions()
    one, two = definitions
    drifted = two.from_dict({**two.to_dict(), "description": "Something else."})
    write_lock(tmp_path / "pegboard.lock", make_lock([one, drifted], {}, ()))

    with discover(locked=True) as board:
        offered = [item.name for item in board.definitions()]
        results = [board.call_sync(name, {"text": "x"}) for name in ("one", "two")]

    assert unlocked.code == "tool_unavailable"
    assert "pegboard.lock" in unlocked.text
    assert offered == ["one"]
    assert [result.code for result in results] == [None, "tool_unavailable"]


def test_settings_that_break_before_the_first_call_stop_it(
    install, discover, tmp_path, monkeypatch
):
    """D2: a board that cannot go live runs nothing, however often it is asked."""
    install("acme_one")
    organisation = tmp_path / "organisation.toml"
    organisation.write_text("timeout = 5\n")
    board = discover()
    assert settings.ORGANISATION_FILE == organisation
    organisation.write_text("tiemout = 5\n")

    for _ in range(2):
        with pytest.raises(SettingsError, match="tiemout"):
            board.call_sync("one", {"text": "x"})
