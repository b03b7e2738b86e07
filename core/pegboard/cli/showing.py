"""`pegboard show`: all that is known of one tool."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from pegboard.cli.boards import find_tool, look, stdout_kept
from pegboard.cli.completion import tool_argument
from pegboard.cli.ending import debug_option
from pegboard.cli.listing import effects
from pegboard.cli.parameters import rows, type_of
from pegboard.cli.tables import write_table
from pegboard.cli.terminal import write, write_json, write_prose
from pegboard.errors import UsageError
from pegboard.schemas import ToolDefinition

if TYPE_CHECKING:
    from pegboard.board import Pegboard


@click.command()
@tool_argument
@click.option("--json", "as_json", is_flag=True, help="Write the definition as JSON.")
@debug_option
def show(tool: str, as_json: bool) -> None:
    """Show one tool: its arguments, where it comes from, and its settings.

    TOOL is the name that a model is offered, or the identity plugin:tool.
    """
    board = look()
    with stdout_kept():
        entry = find_tool(board, tool)
        definition = board.registry.define(entry)
    if definition is None:
        raise UsageError(
            f"{entry.id} cannot be shown: {entry.unavailable}; see pegboard doctor"
        )
    if as_json:
        write_json(definition.to_dict())
        return
    _write_head(definition, _origin_of(board, definition.plugin))
    found = rows(definition.input_schema)
    if found:
        write_table(("argument", "type", "default", "meaning"), found)
    else:
        write("It takes no arguments.")
    if definition.output_schema is not None:
        schema = definition.output_schema
        write(f"\nreturns {type_of(schema, schema)}")
        if parts := rows(schema):
            write_table(("field", "type", "default", "meaning"), parts)
    if said := _settings(board, definition.id):
        write("")
        write_table(("setting", "value", "from"), said)


def _write_head(definition: ToolDefinition, origin: str) -> None:
    title = f" - {definition.label}" if definition.label else ""
    write_prose(f"{definition.name}{title}")
    parts = [definition.id, origin, ", ".join(_hints(definition))]
    write_prose("  ".join(part for part in parts if part))
    if definition.tags:
        write_prose(f"tags: {', '.join(definition.tags)}")
    write_prose(f"\n{definition.description.strip()}\n")


def _origin_of(board: Pegboard, plugin: str) -> str:
    """Return the distribution that brings a plugin, with its version."""
    found = {plugin.name: plugin for plugin in board.discovery.found}
    return f"{found[plugin].distribution} {found[plugin].version}"


def _hints(definition: ToolDefinition) -> list[str]:
    return [
        effects(definition),
        *(["idempotent"] if definition.idempotent else []),
        "open world" if definition.open_world else "closed world",
    ]


def _settings(board: Pegboard, identity: str) -> list[tuple[str, str, str]]:
    """Return what settings say of a tool: key, value, and who said so."""
    said = board.settings.tool(identity)
    found = []
    for field in fields(said):
        value: Any = getattr(said, field.name)
        if value is not None:
            origin = _origin(board, identity, field.name)
            found.append((field.name, str(value), origin))
    return found


def _origin(board: Pegboard, identity: str, key: str) -> str:
    from pegboard._settings.globs import (  # late: few tools have any
        names_tool,
        specificity,
    )

    names = [
        name
        for name, table in board.settings.tools.items()
        if names_tool(name, identity) and getattr(table, key) is not None
    ]
    return board.settings.origin(f"tools.{max(names, key=specificity)}.{key}")
