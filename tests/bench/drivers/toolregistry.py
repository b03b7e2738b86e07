"""toolregistry: one call, and its batch in threads."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Calls, Path
from tasks import Function
from toolregistry import ToolRegistry


def _request(calls: Calls) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{index}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }
        for index, (name, given) in enumerate(calls)
    ]


def _is_error(result: Any) -> bool:
    return type(result).__name__ == "ErrorResult"


def register(functions: Sequence[Function]) -> ToolRegistry:
    """Return a registry of the functions."""
    registry = ToolRegistry()
    for function in functions:
        registry.register(function)
    return registry


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open one registry in two ways."""
    registry = register(functions)

    async def in_threads(calls: list[dict[str, Any]]) -> Any:
        return await registry.aexecute_tool_calls(calls, execution_mode="thread")

    yield {
        "ToolRegistry.ainvoke": Path(registry.ainvoke, is_error=_is_error),
        "aexecute_tool_calls, threads": Path(None, in_threads, _request),
    }
    registry.close()


async def export(registry: ToolRegistry) -> list[Any]:
    """Return what a model gets."""
    return registry.get_schemas()
