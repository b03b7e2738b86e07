"""What a call leaves behind for the garbage collector: nothing (B1)."""

import asyncio
import gc

import pytest

from pegboard import (
    Block,
    Pegboard,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)

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


async def passing(call, call_next):
    return await call_next(call)


async def raising(call, call_next):
    raise ValueError("no")


async def catching(call, call_next):
    try:
        return await raising(call, call_next)
    except ValueError as error:
        return ToolResult("caught", error=error)


def raise_(*given):
    raise ValueError("no")


async def raise_late(*given):
    await asyncio.sleep(0)
    raise ValueError("no")


PLUGINS = {
    "layers": {"tool_middleware": lambda tool: [passing, passing]},
    "a layer that raises": {"tool_middleware": lambda tool: [passing, raising]},
    "a layer that catches": {"tool_middleware": lambda tool: [passing, catching]},
    "prepare": {"prepare_arguments": raise_},
    "prepare, late": {"prepare_arguments": raise_late},
    "guard": {"before_tool_call": lambda call: raise_()},
    "guard, late": {"before_tool_call": lambda call: raise_late()},
    "rewriter": {"after_tool_call": lambda call, result: raise_()},
    "rewriter, late": {"after_tool_call": lambda call, result: raise_late()},
}


@pytest.mark.parametrize("way", ["single", "batch", "in turn", "stream"])
@pytest.mark.parametrize("name", ["add", "fail", "fail_late"])
@pytest.mark.parametrize("hooks", PLUGINS)
def test_no_failure_of_a_plugin_leaves_a_circle_behind(hooks, name, way, collector):
    """B1, H5: the traceback of what failed leads to no frame that holds the result."""

    async def use(board):
        if way == "single":
            await board.call(name, {"a": 1})
        else:
            sent = [ToolCall(name, {"a": 1})] * 2
            if way == "stream":
                kinds = [type(event).__name__ async for event in board.stream(sent)]
                assert kinds[-1] == "BatchEnd"
            else:
                await board.run(sent, sequential=way == "in turn")

    async def main():
        board = Pegboard([add, fail, fail_late], plugins=[named("x", **PLUGINS[hooks])])
        await use(board)
        await asyncio.sleep(0)
        gc.collect()
        await use(board)
        await asyncio.sleep(0)
        return collector.collect()

    assert asyncio.run(main()) == 0
