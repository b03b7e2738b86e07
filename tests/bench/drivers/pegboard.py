"""Pegboard: `board.call` and `board.run`."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Calls, Path
from tasks import Function

from pegboard import (
    CallNext,
    Middleware,
    Pegboard,
    PreparedCall,
    ToolCall,
    ToolResult,
    hookimpl,
)

MANY = 1_000_000  # a batch of any size is run whole


class Passive:
    """Takes part in every call, at every place, and changes nothing."""

    def __init__(self, number: int) -> None:
        self.name = f"passive-{number}"

    @hookimpl
    def before_tool_call(self, call: PreparedCall) -> None:
        """Let it pass."""

    @hookimpl
    def after_tool_call(self, call: PreparedCall, result: ToolResult) -> None:
        """Let it pass."""

    @hookimpl
    def tool_middleware(self) -> Middleware:
        """Wrap it in nothing."""

        async def middleware(call: PreparedCall, call_next: CallNext) -> ToolResult:
            return await call_next(call)

        return middleware


class Waiting:
    """The same, with hooks that could wait."""

    def __init__(self, number: int) -> None:
        self.name = f"waiting-{number}"

    tool_middleware = Passive.tool_middleware

    @hookimpl
    async def before_tool_call(self, call: PreparedCall) -> None:
        """Let it pass."""

    @hookimpl
    async def after_tool_call(self, call: PreparedCall, result: ToolResult) -> None:
        """Let it pass."""


class Observer:
    """Hears every event."""

    @hookimpl
    def on_event(self, event: Any) -> None:
        """Hear it."""


def make_board(functions: Sequence[Function], plugins: Sequence[Any] = ()) -> Pegboard:
    """Return a board of functions and plugins."""
    return Pegboard(tools=functions, plugins=plugins)


def _request(calls: Calls) -> list[ToolCall]:
    return [
        ToolCall(tool, given, id=f"call_{index}")
        for index, (tool, given) in enumerate(calls)
    ]


def _path(board: Pegboard, *, takes_text: bool = True) -> Path:
    async def many(calls: list[ToolCall]) -> Sequence[Any]:
        return await board.run(calls, max_calls=MANY)

    return Path(board.call, many, _request, takes_text, lambda r: r.is_error)


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open the ways in, with none, one and five plugins."""
    plain = make_board(functions)
    five = [Passive(i) for i in range(5)]
    timed = Pegboard(
        tools=functions, plugins=[*five, Observer()], settings={"timeout": 5}
    )
    paths = {
        "board": _path(plain),
        "board, arguments as a dict": _path(plain, takes_text=False),
        "board, 1 plugin": _path(make_board(functions, [Passive(0)])),
        "board, 5 plugins": _path(make_board(functions, five)),
        "board, 5 plugins, async hooks": _path(
            make_board(functions, [Waiting(i) for i in range(5)])
        ),
        "board, 5 plugins, timeout, observer": _path(timed),
    }
    yield paths
    await asyncio.gather(plain.close(), timed.close())


def register(functions: Sequence[Function]) -> Pegboard:
    """Return a board of the functions."""
    return make_board(functions)


async def export(board: Pegboard) -> list[Any]:
    """Return what a model is offered."""
    return [definition.to_dict() for definition in board.definitions()]
