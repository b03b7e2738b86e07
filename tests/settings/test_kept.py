"""Checked settings, kept for showing tools without pydantic."""

import json
import os
import subprocess
import sys

import pytest

from pegboard._cache import cache_directory, write_json
from pegboard._settings.trust import trust
from pegboard.settings import Settings, load_settings, make_settings

SAID = """
required = ["audit"]
timeout = 7
disable = ["shell"]
[tools.forecast]
timeout = 3
resources = ["a"]
retry = {attempts = 2}
annotations = {read_only = true}
[plugins.audit]
distribution = "pegboard-audit"
sink = {path = "x", tags = ["a"]}
secrets = {KEY = "env:KEY"}
"""


def plain(settings):
    """All that settings say, apart from whether they come from the cache."""
    keys = [key for key in Settings.__dataclass_fields__ if key != "resolved"]
    return [getattr(settings, key) for key in keys], settings.problems


def test_what_is_kept_is_what_was_checked(project, own, user, organisation):
    """D2: settings from the cache say the same, origins and problems included."""
    organisation("final = ['grace']\ngrace = 1")
    user("grace = 2")
    own(SAID)

    first = load_settings(project, kept=True)
    second = load_settings(project, kept=True)

    assert (first.kept, second.kept) == (False, True)
    assert plain(second) == plain(first)
    assert second.origin("tools.forecast.timeout") == first.origin(
        "tools.forecast.timeout"
    )
    assert second.tool("weather:forecast") == first.tool("weather:forecast")
    assert second.project_file == project / "pegboard.toml"


def test_who_does_not_ask_for_kept_settings_gets_none(project, own):
    """D2: what decides about calls is read from its sources."""
    own(SAID)
    load_settings(project, kept=True)

    assert not load_settings(project).kept


def test_any_change_of_a_source_is_seen(project, own, user, organisation, monkeypatch):
    """D3: kept values hold while files, variables, code and trust stay the same."""
    path = own(SAID)
    load_settings(project, kept=True)

    def is_kept(**options):
        return load_settings(project, kept=True, **options).kept

    assert is_kept()
    user("grace = 2")
    assert not is_kept()
    organisation("grace = 1")
    assert not is_kept()
    own(SAID.replace("7", "8"))
    assert load_settings(project, kept=True).timeout == 8
    trust(path)
    assert not is_kept()
    monkeypatch.setenv("PEGBOARD_TIMEOUT", "5")
    assert not is_kept()
    monkeypatch.setenv("PEGBOARD_NO_PLUGINS", "1")
    assert not is_kept()
    assert not is_kept(overrides={"timeout": 1})
    assert is_kept(overrides={"timeout": 1})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"key": 5}',
        b'{"key": KEY, "resolved": 5}',
        b'{"key": KEY, "resolved": {"nonsense": 1}}',
        b'{"key": KEY, "resolved": {"problems": 5, "finals": []}}',
        b'{"key": KEY, "resolved": {"problems": [], "finals": [], "table": 5}}',
        b'{"key": KEY, "resolved": {"problems": [], "finals": [], "table": {"a": 1}}}',
        b"[" * 100_000,
    ],
)
def test_a_corrupt_cache_is_read_as_none(project, own, home, content):
    """D3: what somebody else wrote into the cache is right or rebuilt."""
    own(SAID)
    load_settings(project, kept=True)
    (file,) = (home / "cache").rglob("*.json")
    key = json.dumps(json.loads(file.read_bytes())["key"]).encode()
    file.write_bytes(content.replace(b"KEY", key))

    settings = load_settings(project, kept=True)

    assert not settings.kept
    assert settings.timeout == 7


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PEGBOARD_PLUGINS__AUDIT__TOKEN", "geheim"),
        ("PEGBOARD_PLUGINS", '{"audit": {"token": "geheim"}}'),
    ],
)
def test_variables_for_plugins_are_never_written_down(
    project, home, monkeypatch, name, text
):
    """V4: a variable may hold a plugin's secret, so such settings are not kept."""
    monkeypatch.setenv(name, text)

    load_settings(project, kept=True)

    assert not list(home.rglob("*.json"))


def test_settings_that_were_only_tolerated_are_not_kept(project, own):
    """D6: an error is shown again until it is mended."""
    own("timout = 5")
    load_settings(project, kept=True, tolerant=True)

    again = load_settings(project, kept=True, tolerant=True)

    assert not again.kept
    assert len(again.problems) == 1


def test_code_that_is_no_json_is_not_kept(project):
    """D2: what cannot be compared next time is checked next time."""
    overrides = {"plugins": {"audit": {"tags": {"one"}}}}

    load_settings(project, overrides=overrides, kept=True)

    assert not load_settings(project, overrides=overrides, kept=True).kept


def test_without_a_variable_the_cache_is_the_users(monkeypatch, tmp_path):
    """D3: the cache is where the platform has such things."""
    monkeypatch.delenv("PEGBOARD_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    assert cache_directory().name == "pegboard"


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    """D3: what cannot take the old one's place leaves nothing behind."""
    (tmp_path / "index.json" / "a folder").mkdir(parents=True)

    assert not write_json(tmp_path / "index.json", {"a": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["index.json"]


def test_a_cache_that_cannot_be_written_does_no_harm(project, own, home):
    """D3: without a cache everything works, only slower."""
    own(SAID)
    home.mkdir()
    (home / "cache").write_text("a file where a folder should be")

    assert load_settings(project, kept=True).timeout == 7
    assert not load_settings(project, kept=True).kept


def test_kept_settings_load_no_pydantic(project, own):
    """D2: showing tools with settings that were checked before loads no pydantic."""
    own(SAID)
    load_settings(project, kept=True)
    code = (
        "import sys\n"
        "from pegboard.settings import load_settings\n"
        f"settings = load_settings({str(project)!r}, kept=True)\n"
        "settings.tool('weather:forecast'), settings.plugin('audit')\n"
        "print(settings.kept, [m for m in ('pydantic', 'pydantic_core', 'tomllib',"
        " 'importlib_metadata', 'jsonschema_rs') if m in sys.modules])\n"
    )

    # Coverage, where it runs, would start in there too, and it loads tomllib.
    plain = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=plain
    )

    assert done.stdout == "True []\n", done.stderr


def test_settings_in_code_are_never_from_the_cache():
    """D2: a board made in code has settings that were just checked."""
    assert not make_settings({"timeout": 1}).kept
