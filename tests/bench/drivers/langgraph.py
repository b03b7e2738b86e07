"""LangGraph: its tool node, without and with a wrapper around each call."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

# Read at import.
os.environ["LANGSMITH_TRACING"] = "false"

from langchain_core.tools import tool as make_tool
from langchain_core.utils.function_calling import (
    convert_to_openai_tool,
)
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from paths import Calls, Path
from tasks import Function


async def _passive(request: Any, execute: Any) -> Any:
    return await execute(request)


def _request(calls: Calls) -> list[dict[str, Any]]:
    return [
        {"name": name, "args": given, "id": f"c{index}", "type": "tool_call"}
        for index, (name, given) in enumerate(calls)
    ]


def _path(node: ToolNode) -> Path:
    runtime: Runtime[None] = Runtime()

    async def many(request: list[dict[str, Any]]) -> list[Any]:
        return (await node.ainvoke(request, runtime=runtime))["messages"]

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        return (await many(_request([(name, arguments)])))[0]

    return Path(call, many, _request, is_error=lambda m: m.status == "error")


def register(functions: Sequence[Function], **options: Any) -> ToolNode:
    """Return a node of the functions; what a tool raises becomes a message."""
    tools = [make_tool(function) for function in functions]
    return ToolNode(tools, handle_tool_errors=True, **options)


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open two nodes."""
    yield {
        "ToolNode.ainvoke": _path(register(functions)),
        "ToolNode.ainvoke, 1 wrapper": _path(
            register(functions, awrap_tool_call=_passive)
        ),
    }


async def export(node: ToolNode) -> list[Any]:
    """Return what a model gets."""
    return [convert_to_openai_tool(tool) for tool in node.tools_by_name.values()]
