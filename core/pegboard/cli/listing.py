"""`pegboard list`: what a model is offered."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pegboard.cli import kept
from pegboard.cli.boards import files_read, look, say_problems, stdout_kept
from pegboard.cli.ending import debug_option
from pegboard.cli.tables import plain_table, write_table
from pegboard.cli.terminal import is_terminal, write, write_json
from pegboard.cli.words import counted
from pegboard.schemas import ToolDefinition

if TYPE_CHECKING:
    from pegboard.board import Pegboard

NOTHING = """\
No tools are installed. Begin with a pack:

    pip install pegboard-files

or make your own:

    pegboard new pack NAME"""
COLUMNS = ("tool", "plugin", "effects", "purpose")
#: What a tool does to the world -> its colour.
EFFECTS = {"read": "green", "writes": "yellow", "destructive": "red"}


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Write all definitions as JSON.")
@click.option(
    "--dialect", metavar="NAME", help="Write what a provider gets: openai_chat, ..."
)
@debug_option
def list_tools(as_json: bool, dialect: str | None) -> None:
    """Show the tools that are installed: name, plugin, effects, purpose.

    Below the table stands the hash of the listing: it stays the same as long as a
    model is offered the same, so that a provider's prompt cache holds.
    """
    board = look()
    with stdout_kept():
        definitions = board.definitions()
    if dialect is not None:
        from pegboard.dialects import load  # late: only some need it

        write_json(load(dialect).tools(definitions))
    elif as_json:
        write_json([definition.to_dict() for definition in definitions])
    else:
        _write_listing(board, definitions)
    say_problems(board)


def _write_listing(board: Pegboard, definitions: Sequence[ToolDefinition]) -> None:
    rows = [_row(definition) for definition in definitions]
    if rows:
        last = f"\n{counted(len(rows), 'tool')}, listing {listing_hash(definitions)}"
        write_table(COLUMNS, rows, EFFECTS)
    elif left_out := len(board.discovery.disabled):
        last = f"No tools are offered, {counted(left_out, 'plugin')} disabled."
    else:
        last = NOTHING
    write(last)
    if not is_terminal(sys.stdout):
        table = plain_table(COLUMNS, rows) if rows else ()
        _keep("\n".join((*table, last, "")), board)


def _keep(text: str, board: Pegboard) -> None:
    if not any(problem.severity == "error" for problem in board.problems):
        kept.keep(text, files_read())


def listing_hash(definitions: Sequence[ToolDefinition]) -> str:
    """Return a short hash that changes with every byte that a model is offered."""
    listing = [definition.to_dict() for definition in definitions]
    text = json.dumps(listing, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def effects(definition: ToolDefinition) -> str:
    """Return in one word what a tool says that it does to the world."""
    if definition.read_only:
        return "read-only"
    return "destructive" if definition.destructive else "writes"


def _row(definition: ToolDefinition) -> tuple[str, ...]:
    line = definition.description.strip().partition("\n")[0]
    return definition.name, definition.plugin, effects(definition), line
