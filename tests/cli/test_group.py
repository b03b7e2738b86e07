"""The command as a whole: help, names, programs of plugins, how it ends."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from pegboard import __version__
from pegboard.cli import group
from pegboard.cli.group import main

HEAVY = {"asyncio", "importlib_metadata", "jsonschema", "jsonschema_rs", "pydantic"}
HEAVY |= {"rich", "tenacity", "docstring_parser", "platformdirs"}
HEAVY |= {"pegboard.board", "pegboard.settings", "pegboard.dialects"}


def loaded_by(*words: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = f"""
import sys, atexit
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv = {["pegboard", *words]!r}
from pegboard.cli.group import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return set(done.stderr.split())


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this environment's programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(folder))
    return folder


def put_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_version_imports_nothing_heavy():
    """`pegboard --version` imports no library that takes long, and no board."""
    loaded = loaded_by("--version")

    assert "pegboard.cli.group" in loaded
    assert loaded & HEAVY == set()
    assert not any(name.startswith("pegboard.cli.list") for name in loaded)


def test_the_help_imports_no_command():
    """D6: `pegboard --help` needs nothing that can be broken."""
    loaded = loaded_by("--help")

    assert loaded & HEAVY == set()


def test_the_help_names_every_command(pegboard):
    """The help says of each command what it does; without a command it is shown."""
    result = pegboard("--help")

    assert result.exit_code == 0
    for name, (line, _) in group.COMMANDS.items():
        assert f"  {name:<9}{line}\n" in result.stdout
    assert pegboard().stdout == result.stdout


@pytest.mark.parametrize("name", group.COMMANDS)
def test_every_command_exists_and_explains_itself(name, pegboard):
    """Each name of the table is a command with its own help and --debug."""
    result = pegboard(name, "--help")

    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: pegboard {name} ")
    assert "--debug" in result.stdout


def test_the_version_is_the_packages(pegboard):
    """`pegboard --version` states the version of the package."""
    assert pegboard("--version").stdout == f"pegboard {__version__}\n"


def test_a_wrong_name_gets_the_nearest_one(pegboard):
    """A command that does not exist is one line with the way out, and exit code 2."""
    result = pegboard("lisst")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        "error: there is no command 'lisst', and no program pegboard-lisst in this"
        " environment. Did you mean 'list'?\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show"], "error: Missing argument 'TOOL'. See pegboard show --help.\n"),
        (["list", "--jsn"], "error: No such option '--jsn'. Did you mean '--json'?\n"),
        (["--nope"], "error: No such option '--nope'. See pegboard --help.\n"),
        (["zzz"], "error: there is no command 'zzz', and no program pegboard-zzz in"),
    ],
)
def test_wrong_use_is_one_line_and_code_2(words, message, pegboard):
    """Wrong use is one line that says where to read on, and exit code 2."""
    result = pegboard(*words)

    assert result.exit_code == 2
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_a_program_of_the_environment_is_a_command(programs, process, monkeypatch):
    """`pegboard X` becomes the program pegboard-X, with all that follows."""
    put_program(programs / "pegboard-greet", 'echo "hello $@"; exit 7')
    code = f"""
import sys, sysconfig
sysconfig.get_path = lambda name: {str(programs)!r}
from pegboard.cli.group import main
main(["greet", "--help", "-x", "a b"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.stdout, done.returncode) == ("hello --help -x a b\n", 7)


def test_programs_of_plugins_are_in_the_help(programs, pegboard):
    """The help names the programs that plugins bring; others on PATH are none."""
    put_program(programs / "pegboard-greet", "true")
    (programs / "pegboard-notes").write_text("cannot be run")

    assert "Programs of plugins:\n  greet  Runs pegboard-greet.\n" in pegboard().stdout


def test_without_programs_the_help_speaks_of_none(programs, pegboard):
    """Where no plugin brings a program, the help has no such section."""
    assert "Programs" not in pegboard().stdout


def test_a_program_cannot_take_the_place_of_a_command(programs, pegboard, site):
    """A program named like a command of Pegboard is never run."""
    put_program(programs / "pegboard-plugins", "echo stranger")

    assert "stranger" not in pegboard("plugins").stdout


def test_python_m_leaves_the_working_directory_out(project, process, site):
    """D8: a file in the working directory cannot pass for a module."""
    (project / "click.py").write_text("raise SystemExit('a stranger runs')")
    code = [sys.executable, "-m", "pegboard", "--version"]
    done = subprocess.run(code, capture_output=True, text=True, cwd=project)

    assert (done.stdout, done.stderr) == (f"pegboard {__version__}\n", "")


def test_debug_shows_where_an_error_comes_from(project, pegboard):
    """--debug, before or after the command, adds the traceback to the one line."""
    (project / "pegboard.toml").write_text("timeout = ")
    plain, before, after = (
        pegboard(*words)
        for words in (["list"], ["--debug", "list"], ["list", "--debug"])
    )

    assert "Traceback" not in plain.stderr
    assert before.stderr == after.stderr
    assert "Traceback" in before.stderr
    assert before.stderr.endswith(plain.stderr)
    assert {plain.exit_code, before.exit_code, after.exit_code} == {2}


def test_a_fault_of_our_own_is_one_line_and_code_70(pegboard, monkeypatch):
    """What nobody foresaw is one line too; its exit code is nobody else's."""

    @click.command()
    def broken():
        raise ValueError("no such thing")

    monkeypatch.setattr("pegboard.cli.config.config", broken)
    result = pegboard("config")

    assert result.exit_code == 70
    assert result.stderr == (
        "error: unexpected ValueError: no such thing. --debug shows where it comes"
        " from.\n"
    )


def completions(*words: str, incomplete: str = "") -> list[str]:
    """What a shell offers after some words."""
    shell = ShellComplete(main, {}, "pegboard", "_PEGBOARD_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), incomplete)]


def test_shells_complete_commands():
    """Completion offers the commands that begin like the word."""
    assert completions(incomplete="l") == ["list", "lock", "lint"]
    assert completions(incomplete="--v") == ["--version"]


def test_shells_complete_tool_names(site):
    """Completion offers the names of tools that begin like the word."""
    site.install(
        '''
        from pegboard import tool

        @tool
        def add(a: int) -> int:
            """Add."""

        @tool
        def ask() -> str:
            """Ask."""

        tools = [add, ask]
        ''',
        value="acme:tools",
    )

    assert completions("call", incomplete="a") == ["add", "ask"]
    assert completions("show", incomplete="as") == ["ask"]


def test_completion_is_silent_when_settings_are_broken(project, capsys):
    """A broken settings file gives no completions, and no noise in the line."""
    (project / "pegboard.toml").write_text("timeout = ")

    assert completions("call", incomplete="a") == []
    assert capsys.readouterr() == ("", "")
