"""`pegboard plugins`: what is installed, what it may do, and how it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from pegboard.cli.boards import look, plugins_in_order, say_problems
from pegboard.cli.ending import debug_option
from pegboard.cli.tables import write_table
from pegboard.cli.terminal import write, write_json
from pegboard.cli.words import duration

if TYPE_CHECKING:
    from pegboard.board import Pegboard

STATES = {"enabled": "green", "disabled": "dim", "failed": "red"}
STATES |= {"refused": "red", "missing": "red"}
NOTHING = "No plugins are installed. Begin with: pip install pegboard-files"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def plugins(as_json: bool) -> None:
    """Show the plugins that are installed, the outermost first.

    A pack brings tools and has no say over others' calls; a policy may have one.
    """
    board = look(tolerant=True)
    listed = [*_taking_part(board), *_left_out(board)]
    if as_json:
        write_json(listed)
    elif listed:
        columns = ("plugin", "state", "kind", "tools", "import", "from", "hooks")
        write_table(columns, [_row(plugin) for plugin in listed], STATES)
    else:
        write(NOTHING)
    say_problems(board)


def _taking_part(board: Pegboard) -> Iterator[dict[str, Any]]:
    for found in plugins_in_order(board):
        record = board.records[found.name]
        yield {
            "name": found.name,
            "state": "failed" if record.error else "enabled",
            "kind": "pack" if found.is_pack else "policy",
            "distribution": found.distribution,
            "version": found.version,
            "tools": [tool.id for tool in record.tools],
            "hooks": list(record.hooks),
            "import_seconds": round(record.seconds, 4),
        }


def _left_out(board: Pegboard) -> Iterator[dict[str, Any]]:
    nothing: dict[str, Any] = {"tools": [], "hooks": [], "import_seconds": None}
    for found in board.discovery.disabled:
        yield {
            "name": found.name,
            "state": "disabled",
            "kind": "pack" if found.is_pack else "policy",
            "distribution": found.distribution,
            "version": found.version,
            **nothing,
        }
    for problem in board.discovery.problems:
        if problem.plugin:
            yield {
                "name": problem.plugin,
                "state": "refused" if problem.distribution else "missing",
                "kind": None,
                "distribution": problem.distribution,
                "version": "",
                **nothing,
            }


def _row(plugin: dict[str, Any]) -> tuple[str, ...]:
    seconds = plugin["import_seconds"]
    return (
        plugin["name"],
        plugin["state"],
        plugin["kind"] or "",
        "" if seconds is None else str(len(plugin["tools"])),
        "" if seconds is None else duration(seconds),
        f"{plugin['distribution']} {plugin['version']}".rstrip(),
        ", ".join(plugin["hooks"]),
    )
