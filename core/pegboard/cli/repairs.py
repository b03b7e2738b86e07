"""`pegboard repairs`: what a model gets wrong, and what Pegboard makes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from pegboard._executor import Executor
from pegboard._registry import Registry
from pegboard.cli.boards import look, stdout_kept
from pegboard.cli.definitions import read_tools
from pegboard.cli.ending import debug_option
from pegboard.cli.recordings import read_calls
from pegboard.cli.results import explained
from pegboard.cli.tables import write_table
from pegboard.cli.terminal import write, write_json
from pegboard.cli.words import counted
from pegboard.tools import Tool

if TYPE_CHECKING:
    from pegboard.board import Pegboard
    from pegboard.results import ToolResult

#: Characters of a value that stands in a table.
VALUE = 40
STYLES = {"refused": "red"}
Row = tuple[str, str, str, str, str]


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--dialect", metavar="NAME", help="The answer's format; else found out.")
@click.option(
    "--tools",
    "definitions",
    metavar="FILE",
    help="Definitions to check the calls against, in place of what is installed.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def repairs(
    file: str, dialect: str | None, definitions: str | None, as_json: bool
) -> None:
    """Show what would be repaired, coerced or refused in a recording, and why.

    FILE is as for `pegboard run`. No tool runs, and no policy is asked.
    """
    calls = read_calls(file, dialect)
    with stdout_kept():
        if definitions is not None:
            registry = Registry(read_tools(definitions))
        else:
            registry = _without_bodies(look(), {call.name for call in calls})
        # No policy, no body: what is left of a dry run is what is made of arguments.
        results = asyncio.run(Executor(registry).run(calls, dry_run=True))
    if as_json:
        write_json([_to_dict(result) for result in results])
        return
    rows = [row for number, r in enumerate(results, 1) for row in _rows(number, r)]
    if rows:
        write_table(("#", "tool", "rule", "where", "what"), rows, STYLES)
        write("")
    refused = sum(result.is_error for result in results)
    repaired = sum(bool(r.repairs) and not r.is_error for r in results)
    whole = len(results) - refused - repaired
    write(
        f"{counted(len(results), 'call')}, {whole} right as sent, {repaired} repaired,"
        f" {refused} refused"
    )


def _without_bodies(board: Pegboard, names: Collection[str]) -> Registry:
    """Return the tools of a board so that none can run.

    Args:
        board: Where they are.
        names: The tools that are called: only of these a pack is imported, for the
            tool's own `prepare`.
    """
    bare = Registry(settings=board.settings)
    for entry in board.registry:
        definition = board.registry.define(entry)
        if definition is not None:
            prepare = entry.tool.prepare if entry.offered in names else None
            shown: Tool[..., Any] = Tool.from_schema(
                entry.bare,
                definition.description,
                definition.input_schema,
                None,
                prepare=prepare,
            )
            bare.add([shown], plugin=entry.plugin, version=entry.version)
    return bare


def _rows(number: int, result: ToolResult) -> Iterator[Row]:
    name = result.call.name if result.call else ""
    for repair in result.repairs:
        change = f"{_short(repair.before)} -> {_short(repair.after)}"
        yield str(number), name, repair.rule, _where(repair.path), change
    if result.is_error:
        yield str(number), name, "refused", "", f"{result.code}: {explained(result)}"


def _where(path: Sequence[str | int]) -> str:
    return ".".join(map(str, path)) or "(all)"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= VALUE else f"{text[: VALUE - 3]}..."


def _to_dict(result: ToolResult) -> dict[str, Any]:
    whole = result.to_dict()
    said = {key: whole[key] for key in ("call", "status", "code", "repairs")}
    return {**said, "message": explained(result) if result.is_error else None}
