"""What a plugin is shown when it is checked: tools, calls, results, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pegboard.batches import BatchResult
from pegboard.calls import PreparedCall, ToolCall, prepare_call
from pegboard.content import ImageContent, TextContent
from pegboard.context import ToolContext
from pegboard.events import (
    BatchEnd,
    Event,
    ToolEnd,
    ToolReturned,
    ToolsChanged,
    ToolStart,
    ToolUpdate,
)
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition, object_
from pegboard.tools import Tool, tool


@tool(read_only=True, idempotent=True, open_world=False, tags=["sample"])
def sample_look(path: str) -> str:
    """Look at something.

    Args:
        path: Where to look.
    """
    return f"looked at {path}"


@tool(destructive=True)
async def sample_change(path: str, options: dict[str, Any] | None = None) -> str:
    """Change something for good.

    Args:
        path: What to change.
        options: How.
    """
    return f"changed {path}"


@tool
async def sample_nest(name: str, arguments: dict[str, Any], call: ToolContext) -> Any:
    """Call another tool.

    Args:
        name: Which one.
        arguments: With what.
        call: The call around it.
    """
    return await call.call(name, arguments)


#: A tool that says nothing of itself and takes anything.
sample_open: Tool[..., Any] = Tool.from_schema(
    "sample_open", "", object_({}, additional=True), lambda arguments: None
)
SAMPLE_TOOLS = (sample_look, sample_change, sample_open)
SAMPLE_CALLS = (
    ToolCall("sample_look", {"path": "notes.txt"}, id="look"),
    ToolCall("sample_change", {"path": "ä/\u2028", "options": {"deep": [[]]}}, id="ch"),
    ToolCall("sample_open", {}, id="open"),
    ToolCall("sample_open", {"": None, "n": [0, -1.5, "x" * 10_000]}, id="odd"),
)


def prepared(
    call: ToolCall, tool: ToolDefinition | None, *, metadata: dict[str, Any]
) -> PreparedCall:
    """Return a call as hooks see it."""
    given = call.arguments
    value = dict(given) if isinstance(given, Mapping) else given
    if tool is None or value is None:
        value = None if tool is None else {}
    return prepare_call(call, 0, tool, value, metadata=metadata)


def sample_results(call: ToolCall) -> list[ToolResult]:
    """Return results of many kinds."""
    return [
        ToolResult("a text", data="a text", call=call),
        ToolResult("", data=None, call=call),
        ToolResult(
            [TextContent("two"), ImageContent(b"\x89PNG", "image/png")],
            data={"rows": [{"id": 1}]},
            details={"seconds": 0.1},
            call=call,
        ),
        ToolResult("it failed", code="tool_failed", call=call),
        ToolResult("too late", code="timeout", call=call),
    ]


def sample_events(calls: Iterable[PreparedCall]) -> list[Event]:
    """Return an event of each kind, those of a call that was refused included."""
    call = next(iter(calls))
    unknown = prepared(ToolCall("no_such_tool", "{", id="lost"), None, metadata={})
    refused = ToolResult("no such tool", code="unknown_tool", call=unknown.sent)
    result = sample_results(call.sent)[0]
    return [
        ToolStart(unknown),
        ToolEnd(unknown, refused),
        ToolStart(call),
        ToolUpdate(call, (TextContent("half"),), {"done": 0.5}),
        ToolReturned(call, "success", 0.01),
        ToolEnd(call, result),
        BatchEnd(BatchResult([refused, result], id="batch")),
        ToolsChanged(added=("sample_new",), removed=("sample_old",)),
    ]
