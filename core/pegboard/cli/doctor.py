"""`pegboard doctor`: what is wrong, and the way out; works whatever is broken."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click

from pegboard import __version__
from pegboard.cli.boards import View, look, stdout_kept
from pegboard.cli.ending import debug_option
from pegboard.cli.terminal import style, write, write_json
from pegboard.cli.words import counted
from pegboard.errors import UsageError
from pegboard.problems import Problem

COLOURS = {"error": "red", "warning": "yellow"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def doctor(as_json: bool) -> int:
    """Show what is wrong with plugins, tools and settings, and the way out.

    The exit code is 1 if something does not work, 0 if nothing or only warnings.
    """
    view = look(tolerant=True)
    with stdout_kept(), suppress(UsageError):
        # What is wrong with a definition is known once it is made.
        view.board.definitions()
    problems = sorted(view.board.problems, key=lambda problem: problem.severity)
    if as_json:
        write_json([problem.to_dict() for problem in problems])
    else:
        _write(view, problems)
    return int(any(problem.severity == "error" for problem in problems))


def _write(view: View, problems: list[Problem]) -> None:
    write(f"Pegboard {__version__}, Python {sys.version.split()[0]}, {sys.executable}")
    write(f"settings: {', '.join(_settings_files(view)) or 'none'}")
    with suppress(UsageError):
        plugins = {entry.plugin for entry in view.board.registry}
        tools = counted(len(view.board.registry), "tool")
        write(f"offered: {tools} of {counted(len(plugins), 'plugin')}")
    for problem in problems:
        kind = style(f"{problem.severity}:", sys.stdout, fg=COLOURS[problem.severity])
        write(f"\n{kind} {problem.message}")
        if problem.remedy:
            write(f"  {problem.remedy}")
    errors = sum(problem.severity == "error" for problem in problems)
    said = [counted(errors, "error"), counted(len(problems) - errors, "warning")]
    write(f"\n{', '.join(said)}" if problems else "\nNo problems.")


def _settings_files(view: View) -> list[str]:
    origins = set(view.settings.resolved.origins.values())
    return sorted(origin for origin in origins if Path(origin).is_absolute())
