"""What a call leaves behind for the garbage collector: nothing (B1)."""

import asyncio
import gc

import pytest

from pegboard import Block, Pegboard, ToolCall, ToolContext, ToolError, tool

from .parts import Recorder, named


@tool
async def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


@tool
def square(a: int) -> int:
    return a * a


@tool
async def fail(a: int) -> int:
    raise ValueError("no")


@tool
def fail_sync(a: int) -> int:
    raise ValueError("no")


@tool
async def fail_late(a: int) -> int:
    await asyncio.sleep(0)
    raise ToolError("no")


@tool
async def suspend(a: int, context: ToolContext) -> int:
    await asyncio.sleep(0)
    context.update("on the way")
    return (await context.call("add", {"a": a})).data


@pytest.fixture
def collector():
    """The garbage collector, off, and blind to what was there before."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield gc
    gc.enable()
    gc.unfreeze()


NAMES = [
    "add",
    "square",
    "fail",
    "fail_sync",
    "fail_late",
    "suspend",
    "nope",
    "blocked",
]


@pytest.mark.parametrize("is_batch", [False, True])
@pytest.mark.parametrize("is_watched", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_no_call_leaves_a_circle_behind(name, is_watched, is_batch, collector):
    """B1: successes, failures and refusals are freed at once, by reference counts."""

    def guard(call):
        return Block("no") if call.name == "blocked" else None

    blocked = tool(add.execute, name="blocked")
    tools = [add, square, fail, fail_sync, fail_late, suspend, blocked]
    plugins = [named("guard", before_tool_call=guard)]
    if is_watched:
        plugins.append(Recorder())

    async def use(board):
        for arguments in ({"a": 1}, '{"a": 1}', '{"a": "x"}', '{"a": '):
            if is_batch:
                await board.run([ToolCall(name, arguments)] * 3)
            else:
                await board.call(name, arguments)

    async def main():
        board = Pegboard(tools, plugins=plugins)
        await use(board)
        await asyncio.sleep(0)
        if is_watched:
            plugins[-1].ends.clear()
        gc.collect()
        await use(board)
        await asyncio.sleep(0)
        if is_watched:
            plugins[-1].ends.clear()
        return collector.collect()

    assert asyncio.run(main()) == 0
