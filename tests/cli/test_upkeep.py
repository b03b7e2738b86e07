"""`config`, `trust`, `cache`, `lock`: settings and what is kept beside them."""

import json

import pytest

PACK = '''
from pegboard import tool

@tool
def put(text: str) -> str:
    """Put a text."""

tools = [put]
'''


@pytest.fixture(autouse=True)
def pack(site):
    """One tool."""
    site.install(PACK, value="acme:tools")


def values(listed: list[dict]) -> dict[str, tuple]:
    return {item["key"]: (item["value"], item["origin"]) for item in listed}


def test_config_says_where_each_value_came_from(project, answer, monkeypatch):
    """`config` has every setting that applies and the layer that said so."""
    file = project / "pegboard.toml"
    file.write_text('timeout = 5\n[tools.put]\nrunner = "inline"\n')
    monkeypatch.setenv("PEGBOARD_GRACE", "2")
    said = values(answer("config", "--json"))

    assert said["timeout"] == (5, str(file))
    assert said["grace"] == (2, "PEGBOARD_GRACE")
    assert said["enable"] == (["acme*"], "PEGBOARD_ENABLE")
    assert said["max_calls"] == (128, "default")
    assert said["tools.put.runner"] == ("inline", str(file))


def test_a_byte_order_mark_is_no_error(project, answer):
    """W235: a settings file that an editor began with a mark is read as it is."""
    file = project / "pyproject.toml"
    file.write_bytes(b"\xef\xbb\xbf[tool.pegboard]\ntimeout = 7\n")

    assert values(answer("config", "--json"))["timeout"] == (7, str(file))


def test_a_wrong_value_is_named_with_what_it_should_be(project, pegboard):
    """W234: a value of the wrong type or size names key, value and what was wanted."""
    (project / "pyproject.toml").write_text(
        "[tool.pegboard]\ntimeout = '5s'\nmax_concurrency = 0\nenable = 'a'\n"
    )
    result = pegboard("list")

    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "'timeout' should be a valid number, not '5s'" in result.stderr
    assert "'max_concurrency' should be greater than or equal to 1" in result.stderr
    assert "'enable' should be a list, not 'a'" in result.stderr


def test_config_is_a_table_for_people(project, pegboard):
    """Without --json the settings are a table."""
    (project / "pegboard.toml").write_text("timeout = 0\n")
    lines = pegboard("config").stdout.splitlines()

    assert lines[0].split() == ["key", "from", "value"]
    assert ["timeout", str(project / "pegboard.toml"), "no limit"] in (
        line.split(maxsplit=2) for line in lines
    )


def test_config_shows_no_secret(project, pegboard):
    """V4: what looks like a secret is not shown; where granted ones are kept is."""
    (project / "pegboard.toml").write_text(
        '[plugins.acme]\napi_key = "hunter2"\nplace = "Oslo"\n'
        'accounts = [{name = "ann", token = "hunter2"}]\n'
    )
    said = pegboard("config").stdout

    assert "hunter2" not in said
    assert '[{"name": "ann", "token": "***"}]' in said
    assert '"***"' in said
    assert '"Oslo"' in said


def test_config_with_broken_settings_is_one_line(project, pegboard):
    """Settings that are wrong have no effective values; the line says what is wrong."""
    (project / "pegboard.toml").write_text("timeout = 'soon'\n")
    result = pegboard("config")

    assert result.exit_code == 2
    assert "'timeout' should be a valid number, not 'soon'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_trust_lets_a_project_grant_secrets_until_it_changes(project, pegboard):
    """`trust` holds for the project's file as it is, and can be taken back."""
    file = project / "pegboard.toml"
    file.write_text('[plugins.acme]\nsecrets = {KEY = "env:KEY"}\n')

    def granted() -> bool:
        return "plugins.acme.secrets.KEY" in pegboard("config").stdout

    before = granted()
    trusted = pegboard("trust")
    after = granted()
    revoked = pegboard("trust", "--revoke")
    assert (before, after, granted()) == (False, True, False)
    assert trusted.stdout == (
        f"{file} may grant secrets and start programs until it changes.\n"
        "It says of that:\n"
        '  plugins.acme.secrets.KEY = "env:KEY"\n'
    )
    assert revoked.stdout == f"{file} no longer grants secrets or starts programs.\n"

    pegboard("trust")
    file.write_text(file.read_text() + "\n")
    assert not granted()


SERVER = """
from pydantic import BaseModel, Field
from pegboard import hookimpl
from pegboard.settings import NEEDS_TRUST

class Settings(BaseModel):
    command: list[str] = Field([], json_schema_extra=NEEDS_TRUST)
    url: str = ""

class Server:
    Settings = Settings

    def __init__(self, settings):
        pass

    @hookimpl
    def before_tool_call(self, call):
        pass
"""


def test_trust_shows_what_it_allows(site, project, pegboard, tmp_path):
    """What the project's file says of programs is shown, and nobody else's."""
    group, value = "pegboard.plugins", "acme_srv:Server"
    site.install(SERVER, name="acme_srv", group=group, value=value)
    user = tmp_path / "home/config/pegboard/pegboard.toml"
    user.parent.mkdir(parents=True)
    user.write_text('[plugins.acme]\nsecrets = {OWN = "env:OWN"}\n')
    file = project / "pegboard.toml"
    file.write_text('[plugins.acme_srv]\nurl = "http://x"\ncommand = ["sh", "-c"]\n')
    trusted = pegboard("trust")
    file.write_text('[plugins.acme_srv]\nurl = "http://x"\n')
    harmless = pegboard("trust")
    file.write_text('[plugins.absent]\nurl = "http://x"\n')
    unknown = pegboard("trust")

    assert trusted.stdout.splitlines()[1:] == [
        "It says of that:",
        '  plugins.acme_srv.command = ["sh", "-c"]',
    ]
    assert harmless.stdout.splitlines()[1:] == ["It does neither as it stands."]
    assert unknown.stdout.splitlines()[2:] == ['  plugins.absent.url = "http://x"']


def test_an_untrusted_file_says_what_to_do(project, pegboard):
    """What has no effect before `trust` is said, with the way out."""
    (project / "pegboard.toml").write_text(
        '[plugins.acme]\nsecrets = {KEY = "env:KEY"}\n'
    )

    assert "run `pegboard trust`" in pegboard("config").stderr
    assert "run `pegboard trust`" in pegboard("doctor").stdout


def test_there_must_be_something_to_trust(pegboard):
    """Without a project's file `trust` is one line, and code 2."""
    result = pegboard("trust")

    assert result.exit_code == 2
    assert result.stderr.startswith(
        "error: there is no settings file of a project here"
    )


def test_cache_clear_removes_only_what_is_ours(tmp_path, pegboard):
    """`cache clear` removes what Pegboard keeps, whatever else is in the folder."""
    pegboard("list")
    cache = tmp_path / "home/cache"
    kept = [path for path in cache.rglob("*") if path.is_file()]
    (cache / "mine.json").write_text("{}")
    (cache / "manifest/mine.txt").write_text("mine")
    result = pegboard("cache", "clear")

    assert kept
    assert result.exit_code == 0
    assert result.stdout == f"{len(kept)} files removed from {cache}\n"
    assert sorted(path.name for path in cache.rglob("*") if path.is_file()) == [
        "mine.json",
        "mine.txt",
    ]
    assert pegboard("list").exit_code == 0


def test_an_empty_cache_is_no_error(pegboard):
    """Clearing what is not there removes nothing."""
    assert pegboard("cache", "clear").stdout.startswith("0 files removed from ")


def test_a_group_without_a_command_shows_its_help(pegboard):
    """`pegboard cache` alone says what there is."""
    result = pegboard("cache")

    assert result.exit_code == 0
    assert "clear  Forget what is known of the plugins" in result.stdout


def test_a_lock_holds_until_something_changes(project, site, pegboard):
    """D7: `lock --check` is silent about what is the same, and names what is not."""
    written = pegboard("lock")
    same = pegboard("lock", "--check")
    site.install(PACK.replace("Put", "Lay"), name="acme-two", value="acme_two:tools")
    changed = pegboard("lock", "--check")

    assert written.stdout == "pegboard.lock: 1 plugin, 1 tool\n"
    assert json.loads((project / "pegboard.lock").read_text())["order"] == ["acme"]
    assert (same.exit_code, same.stdout) == (
        0,
        "pegboard.lock holds: 1 plugin, 1 tool\n",
    )
    assert changed.exit_code == 1
    assert "+ plugin acme_two (acme-two 1.0)\n" in changed.stdout
    assert "+ tool acme_two:put (sha256:" in changed.stdout
    assert "~ order: acme -> acme_two, acme\n" in changed.stdout


def test_a_changed_definition_is_drift(project, pegboard, monkeypatch):
    """D7: a definition that a setting changes is drift, too."""
    pegboard("lock")
    monkeypatch.setenv("PEGBOARD_TOOLS__PUT__DESCRIPTION", "Something else.")
    result = pegboard("lock", "--check")

    assert result.exit_code == 1
    assert result.stdout.startswith("~ tool acme:put: sha256:")


def test_without_a_lock_there_is_nothing_to_check(pegboard):
    """`lock --check` without a lock file is one line with the way out, and code 2."""
    result = pegboard("lock", "--check")

    assert result.exit_code == 2
    assert result.stderr == (
        "error: there is no pegboard.lock; `pegboard lock` writes it\n"
    )
