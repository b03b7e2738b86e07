"""llm: the tool calls of a response, without and with its two hooks."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import llm
from paths import Calls, Path
from tasks import Function


class Silent(llm.AsyncModel):
    """A model that only says that it is done."""

    model_id = "silent"
    supports_tools = True
    can_stream = False

    async def execute(self, *given: Any, **options: Any) -> AsyncIterator[str]:
        """Say so."""
        yield "done"


async def _passive(*given: Any) -> None:
    return None


def _request(calls: Calls) -> list[llm.ToolCall]:
    return [
        llm.ToolCall(name=name, arguments=given, tool_call_id=f"c{index}")
        for index, (name, given) in enumerate(calls)
    ]


def _is_error(result: Any) -> bool:
    return result.exception is not None or result.output.startswith("Error")


def _path(response: Any, **hooks: Any) -> Path:
    async def many(calls: list[llm.ToolCall]) -> Any:
        return await response.execute_tool_calls(tool_calls_list=calls, **hooks)

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        return (await many(_request([(name, arguments)])))[0]

    return Path(call, many, _request, is_error=_is_error)


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open one response in two ways."""
    response = Silent().prompt("go", tools=register(functions))
    await response
    yield {
        "execute_tool_calls": _path(response),
        "execute_tool_calls, 2 hooks": _path(
            response, before_call=_passive, after_call=_passive
        ),
    }


def register(functions: Sequence[Function]) -> list[llm.Tool]:
    """Return a Tool of each."""
    return [llm.Tool.function(function) for function in functions]


async def export(tools: list[llm.Tool]) -> list[Any]:
    """Return what a model gets."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
        }
        for tool in tools
    ]
