"""`pegboard doctor`: what is wrong, and the way out; works whatever is broken."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pegboard import __version__
from pegboard.cli.boards import look_again, stdout_kept
from pegboard.cli.ending import debug_option
from pegboard.cli.terminal import write, write_json, write_labelled
from pegboard.cli.words import counted
from pegboard.errors import UsageError
from pegboard.problems import Problem
from pegboard.schemas import ToolDefinition

if TYPE_CHECKING:
    from pegboard.board import Pegboard

COLOURS = {"error": "red", "warning": "yellow"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def doctor(as_json: bool) -> int:
    """Show what is wrong with plugins, tools and settings, and the way out.

    Plugins that failed are imported again: what they lacked may be there now.
    The exit code is 1 if something does not work, 0 if nothing or only warnings.
    """
    board = look_again(tolerant=True)
    definitions: tuple[ToolDefinition, ...] = ()
    with stdout_kept(), suppress(UsageError):
        # What is wrong with a definition is known once it is made.
        definitions = board.definitions()
    problems = sorted(board.problems, key=lambda problem: problem.severity)
    if as_json:
        write_json([problem.to_dict() for problem in problems])
    else:
        _write_surroundings(board, definitions)
        _write_problems(problems)
    return int(any(problem.severity == "error" for problem in problems))


def _write_surroundings(board: Pegboard, definitions: Sequence[ToolDefinition]) -> None:
    write(f"Pegboard {__version__}, Python {sys.version.split()[0]}, {sys.executable}")
    write(f"settings: {', '.join(_settings_files(board)) or 'none'}")
    plugins = {definition.plugin for definition in definitions}
    tools = counted(len(definitions), "tool")
    write(f"offered: {tools} of {counted(len(plugins), 'plugin')}")


def _write_problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        write("")
        write_labelled(problem.severity, problem.message, COLOURS[problem.severity])
        if problem.remedy:
            write(f"  {problem.remedy}")
    errors = sum(problem.severity == "error" for problem in problems)
    said = [counted(errors, "error"), counted(len(problems) - errors, "warning")]
    write(f"\n{', '.join(said)}" if problems else "\nNo problems.")


def _settings_files(board: Pegboard) -> list[str]:
    origins = set(board.settings.resolved.origins.values())
    return sorted(origin for origin in origins if Path(origin).is_absolute())
