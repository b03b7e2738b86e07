"""One choke point: every way in fires every hook (H7)."""

import asyncio
from typing import Annotated

import pytest

from pegboard import (
    Approve,
    BatchResult,
    Block,
    Defer,
    Executor,
    Injected,
    Pegboard,
    Registry,
    ToolCall,
    ToolContext,
    hookimpl,
    tool,
)

from .parts import Recorder


@tool
async def work(n: int, key: Annotated[str, Injected("KEY")]) -> str:
    await asyncio.sleep(0)
    return f"{n} with {len(key)}"


@tool
async def outer(context: ToolContext, name: str = "work") -> str:
    return (await context.call(name, {"n": 1})).text


class Keys:
    """Gives the hidden value; asks a person once about call `d`."""

    name = "keys"

    @hookimpl
    def inject(self, tool, name):
        return "a key"

    @hookimpl
    def before_tool_call(self, call):
        return Defer("ask") if call.id == "d" else None


CALL = ToolCall("work", {"n": 1}, id="c")


async def single(board):
    return await board.call("work", {"n": 1}, id="c")


async def batch(board):
    return (await board.run([CALL]))[0]


async def in_turn(board):
    return (await board.run([CALL], sequential=True))[0]


async def streamed(board):
    events = [event async for event in board.stream([CALL])]
    return events[-1].batch[0]


async def resumed(board):
    deferred = await board.run([ToolCall("work", {"n": 1}, id="d")])
    board.recorder.seen.clear()
    saved = BatchResult.from_json(deferred.to_json())
    return (await board.resume(saved, {"d": Approve()}))[0]


async def nested(board):
    return await board.call("outer", id="c")


async def viewed(board):
    return await board.only("work").call("work", {"n": 1}, id="c")


ROUTES = [single, batch, in_turn, streamed, resumed, nested, viewed]
FIRED = [
    "ToolStart",
    "prepare",
    "before",
    "inject",
    "enter",
    "leave",
    "ToolReturned",
    "after",
    "ToolEnd",
]


def make(kind):
    recorder = Recorder()
    plugins = [Keys(), recorder]
    if kind == "board":
        made = Pegboard([work, outer], plugins=plugins)
    else:
        made = Executor(Registry([work, outer]), plugins=plugins)
    made.recorder = recorder
    return made


@pytest.mark.parametrize("kind", ["board", "executor"])
@pytest.mark.parametrize("route", ROUTES)
def test_every_hook_fires_on_every_route(route, kind):
    """H7: whatever way a call comes in, prepare to ToolEnd see it, in that order."""
    if route is viewed and kind == "executor":
        pytest.skip("an executor alone has no views")
    board = make(kind)
    result = asyncio.run(route(board))

    ran = board.recorder.of("enter")[-1][1]
    seen = [entry for entry in board.recorder.of(*FIRED) if entry[1] in ("work", ran)]
    assert result.text == "1 with 5"
    assert [kind for kind, _ in seen] == FIRED


@pytest.mark.parametrize("way", ["call_sync", "run_sync"])
@pytest.mark.parametrize("kind", ["board", "executor"])
def test_the_sync_door_is_no_other_way(way, kind):
    """H7, B16: a sync call fires what an awaited one fires."""
    board = make(kind)
    if way == "call_sync":
        result = board.call_sync("work", {"n": 1}, id="c")
    else:
        result = board.run_sync([CALL])[0]

    assert result.text == "1 with 5"
    assert [kind for kind, _ in board.recorder.of(*FIRED)] == FIRED


def test_a_guard_that_blocks_does_so_on_every_route():
    """H7: no way in goes around a policy."""

    class Closed(Keys):
        @hookimpl
        def before_tool_call(self, call):
            if call.id == "d" and call.approval is None:
                return Defer("ask")
            return Block("closed") if call.name == "work" else None

    for route in ROUTES:
        board = Pegboard([work, outer], plugins=[Closed(), recorder := Recorder()])
        board.recorder = recorder
        result = asyncio.run(route(board))

        assert result.text == "closed", route.__name__
        assert "work" not in {name for kind, name in recorder.of("inject")}


def test_a_closed_board_refuses_on_every_route():
    """D4, H7: while a policy that must work does not, nothing is called at all."""

    class Broken:
        name = "broken"

        @hookimpl
        def lifespan(self, host):
            raise OSError("no database")

    for route in (single, batch, in_turn, streamed, viewed):
        board = Pegboard([work, outer], plugins=[Broken()])
        result = asyncio.run(route(board))

        assert (result.code, result.by, result.executed) == (
            "hook_failed",
            "broken",
            "no",
        )
