"""`pegboard check` runs the kit on an installed distribution."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from pegboard import UsageError
from pegboard.testing import check_distribution

GOOD = '''
    from pegboard import tool

    @tool(read_only=True)
    def now() -> str:
        """Tell the time."""
        return "12:00"

    tools = [now]
'''
POLICY = """
    from pathlib import Path
    from pegboard import hookimpl

    class Log:
        @hookimpl
        def on_event(self, event):
            with Path("~/.log").expanduser().open("a") as log:
                print(event, file=log)
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a distribution of one plugin; returns the folder it is in."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def install(
        name: str,
        source: str,
        *,
        value: str = "tools",
        group: str = "tools",
        requires: str = "",
    ) -> Path:
        module = name.replace("-", "_")
        (folder / f"{module}.py").write_text(dedent(source))
        metadata = folder / f"{module}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n{requires}")
        (metadata / "RECORD").write_text("")
        (metadata / "entry_points.txt").write_text(
            f"[pegboard.{group}]\n{module} = {module}:{value}\n"
        )
        importlib.invalidate_caches()
        return folder

    return install


def test_a_pack_that_keeps_its_promises(install):
    """A pack is found by its distribution, and by its plugin's name."""
    install("kit-good", GOOD)

    for name in ("kit-good", "Kit_Good", "kit_good"):
        [checked] = check_distribution(name)
        assert (checked.name, checked.distribution) == ("kit_good", "kit-good")
        assert (checked.version, checked.tools) == ("1.0", ("now",))
        assert checked.broken == ()


def promises(name: str, settings=None) -> list[str]:
    [checked] = check_distribution(name, settings)
    return [broken.promise for broken in checked.broken]


def test_tools_are_held_to_their_contract(install):
    """A pack's tools are checked as assert_tool_contract does it, without a run."""
    install("kit-vague", GOOD.replace('"""Tell the time."""', "raise SystemExit"))

    assert promises("kit-vague") == ["described"]


@pytest.mark.parametrize(
    ("name", "source", "promise"),
    [
        ("kit-raising", "import not_installed_anywhere", "loads"),
        ("kit-exiting", "raise SystemExit(3)", "loads"),
        ("kit-empty", "tools = []", "loads"),
        ("kit-nonsense", "tools = 5", "loads"),
        ("kit-loud", GOOD + '\n    print("hello")', "quiet"),
    ],
)
def test_a_pack_that_does_not_load_cleanly(install, name, source, promise):
    """D4: what an import does wrong is a broken promise, and nothing worse."""
    install(name, source)

    assert promises(name) == [promise]


def test_a_pack_for_another_pegboard_says_so(install):
    """D8: a distribution that excludes this Pegboard is not imported for a check."""
    requires = "Requires-Dist: pegboard<0.0.1\n"
    install("kit-old", "raise SystemExit", requires=requires)

    [checked] = check_distribution("kit-old")

    [broken] = checked.broken
    assert broken.promise == "loads"
    assert "it needs pegboard<0.0.1" in broken.message
    assert broken.remedy == "Upgrade kit-old, or install the Pegboard it needs."


def test_a_pack_may_not_guard_others(install):
    """D1: a hook over others' calls in a pack is refused for what it is."""
    source = """
        from pegboard import hookimpl, tool

        @hookimpl
        def register_tools():
            return []

        @hookimpl
        def before_tool_call(call):
            return None
    """
    folder = install("kit-greedy", source)
    entry = folder / "kit_greedy-1.0.dist-info" / "entry_points.txt"
    entry.write_text("[pegboard.tools]\nkit_greedy = kit_greedy\n")

    [checked] = check_distribution("kit-greedy")

    assert [broken.promise for broken in checked.broken] == ["loads"]
    assert "has a say over the calls of others" in checked.broken[0].message


def test_a_policy_is_asked_about_samples(install):
    """Hooks of an installed policy are held to assert_plugin_contract."""
    careless = POLICY.replace("print(event, file=log)", "event.call.tool.name")
    install("kit-careless", careless, value="Log", group="plugins")

    assert promises("kit-careless") == ["closed"]


def test_settings_are_given_by_plugin(install):
    """H3: a plugin that does not start without settings is checked with some."""
    source = """
        from dataclasses import dataclass

        @dataclass
        class Settings:
            most: int

        class Limited:
            Settings = Settings

            def __init__(self, settings):
                self.settings = settings

            from pegboard import hookimpl

            @hookimpl
            def before_tool_call(self, call):
                return None
    """
    install("kit-limited", source, value="Limited", group="plugins")

    assert promises("kit-limited") == ["loads"]
    assert promises("kit-limited", {"kit_limited": {"most": 3}}) == []


def test_what_is_not_installed_is_named(install):
    """A name that nothing has comes with the nearest that something has."""
    install("kit-good", GOOD)

    with pytest.raises(UsageError, match="Did you mean 'kit-good'"):
        check_distribution("kit-goood")


def run(folder: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "pegboard", "check", *arguments],
        env={**os.environ, "PYTHONPATH": path, "HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
    )


def test_the_command_says_yes_or_lists_what_is_broken(install, tmp_path):
    """Exit 0 and a line, or exit 1 and the list; `--json` has the same."""
    folder = install("kit-good", GOOD)
    install("kit-vague", GOOD.replace('"""Tell the time."""', "pass"))

    good = run(folder, tmp_path, "kit-good")
    vague = run(folder, tmp_path, "kit-vague")
    as_json = run(folder, tmp_path, "kit-vague", "--json")
    missing = run(folder, tmp_path, "kit-other")

    assert (good.returncode, good.stdout) == (
        0,
        "plugin 'kit_good' (kit-good 1.0, 1 tool) keeps its promises\n",
    )
    assert (vague.returncode, vague.stdout.splitlines()) == (
        1,
        [
            "tool 'now' breaks a promise:",
            "  described: it has no description",
            "    Write a docstring, or pass description=.",
        ],
    )
    assert as_json.returncode == 1
    [told] = json.loads(as_json.stdout)
    assert told["plugin"] == "kit_vague"
    assert told["broken"][0]["promise"] == "described"
    assert missing.returncode == 2


def test_what_is_checked_does_not_touch_the_users_files(install, tmp_path):
    """A policy that writes into its user's home writes into another one."""
    folder = install("kit-logging", POLICY, value="Log", group="plugins")
    home = tmp_path / "home"
    home.mkdir()

    done = run(folder, home, "kit-logging")

    assert (done.returncode, done.stderr) == (0, "")
    assert list(home.iterdir()) == []
