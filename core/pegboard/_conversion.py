"""Whatever can be a tool -> a Tool."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pegboard.errors import UsageError
from pegboard.schemas import ToolDefinition
from pegboard.tools import Tool, tool

#: What an object with a definition may say besides.
OPTIONS = ("prepare", "execution", "runner", "timeout", "retry", "resources")


def as_tool(value: Any) -> Tool[..., Any]:
    """Return a tool for anything that can be one.

    Args:
        value: A Tool, a ToolDefinition (a tool without body), an object with a
            `definition` and an `execute`, or any callable with a name.

    Raises:
        UsageError: it is none of these.
    """
    if isinstance(value, Tool):
        return value
    if isinstance(value, ToolDefinition):
        return _from_definition(value, None)
    definition = getattr(value, "definition", None)
    if isinstance(definition, ToolDefinition) and hasattr(value, "execute"):
        options = {
            name: getattr(value, name) for name in OPTIONS if hasattr(value, name)
        }
        return _from_definition(definition, value.execute, **options)
    if callable(value):
        made: Tool[..., Any] = tool(value)
        return made
    raise UsageError(
        f"{value!r} is no tool: pass a function, a Tool, or an object with a"
        " definition and an execute"
    )


def _from_definition(
    definition: ToolDefinition, execute: Any, **options: Any
) -> Tool[..., Any]:
    return Tool.from_schema(
        definition.name,
        definition.description,
        definition.input_schema,
        execute,
        output_schema=definition.output_schema,
        annotations=definition.annotations,
        label=definition.label,
        tags=definition.tags,
        **options,
    )


def as_tools(values: Iterable[Any]) -> list[Tool[..., Any]]:
    """Return a tool for each of several values."""
    return [as_tool(value) for value in values]
