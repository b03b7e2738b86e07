"""How long a body may take, and what becomes of one that takes longer (B9)."""

import asyncio
import contextlib
import gc
import threading
import time

import pytest

from pegboard import Pegboard, ToolCall, ToolContext, tool
from pegboard.runners import MAX_LEFT

from .parts import Recorder, Watcher, calls, codes, quick

SOON = 0.05


async def forever():
    await asyncio.get_running_loop().create_future()


def board_of(*tools, plugins=(), **settings):
    return Pegboard(
        tools, plugins=plugins, settings={"grace": SOON, "timeout": SOON, **settings}
    )


@pytest.mark.parametrize(
    ("own", "settings"),
    [
        (SOON, {"timeout": 60}),
        (None, {"timeout": SOON}),
        (60, {"tools": {"hang": {"timeout": SOON}}}),
    ],
    ids=["the tool's own", "the settings'", "the settings' for the tool"],
)
def test_a_body_has_its_tools_time_else_the_settings(own, settings):
    """B9: the tool's timeout holds, else the settings'; these may override a tool's."""

    @tool(timeout=own)
    async def hang() -> str:
        await forever()

    result = board_of(hang, **settings).call_sync("hang")

    assert (result.status, result.code) == ("timeout", "timeout")
    assert result.executed == "unknown"
    assert result.text == "hang took longer than 0.05 s"


def test_a_timeout_of_zero_is_none():
    """B9: 0 means no limit, whatever the settings say."""
    seen = []

    @tool
    async def look(context: ToolContext) -> str:
        seen.append(context.deadline)
        return "done"

    board_of(look, tools={"look": {"timeout": 0}}).call_sync("look")

    assert seen == [None]


def test_an_expired_async_body_has_its_grace():
    """B9: its cleanup runs to the end before the result is given."""
    cleaned = []

    @tool
    async def hang() -> str:
        try:
            await forever()
        finally:
            await asyncio.sleep(0.01)
            cleaned.append(True)

    result = board_of(hang).call_sync("hang")

    assert result.code == "timeout"
    assert cleaned == [True]


def test_an_async_body_that_does_not_let_go_is_abandoned():
    """B9: after the grace the call ends without it, and says that it may still run."""

    @tool
    async def hang() -> str:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await forever()

    batch = board_of(hang, quick).run_sync(calls("hang", "quick"))

    assert codes(batch) == ["abandoned", "success"]
    assert batch[0].executed == "unknown"
    assert "may still run" in batch[0].text


def test_an_expired_thread_is_left_behind(release):
    """B9: a thread cannot be stopped; its call ends as abandoned and siblings go on."""

    @tool
    def hang() -> str:
        release.wait()
        return "late"

    recorder = Recorder()
    board = board_of(hang, quick, plugins=[recorder])
    batch = board.run_sync(calls("hang", "quick", "hang"))

    assert codes(batch) == ["abandoned", "success", "abandoned"]
    assert [id_ for _, id_ in recorder.of("ToolEnd")] == ["c0", "c1", "c2"]


def test_a_left_thread_is_a_daemon(release):
    """B9: so that it never holds the interpreter."""
    found = []

    @tool
    def hang() -> str:
        found.append(threading.current_thread().daemon)
        release.wait()

    board_of(hang).call_sync("hang")

    assert found == [True]


def test_a_left_thread_gives_its_slot_back(release):
    """B9: with one slot in all, the next call runs while the old body still does."""

    @tool
    def hang() -> str:
        release.wait()

    board = board_of(hang, quick, max_concurrency=1)
    batch = board.run_sync(calls("hang", "quick"))

    assert codes(batch) == ["abandoned", "success"]


def test_late_output_of_a_left_thread_is_not_delivered(release):
    """B9: neither updates nor value reach anybody; the body learns that it is late."""
    came_back = threading.Event()
    seen = []

    @tool
    def hang(context: ToolContext) -> str:
        release.wait()
        context.update("late")
        seen.append(context.cancelled)
        came_back.set()
        return "late"

    watcher = Watcher()
    board = board_of(hang, quick, plugins=[watcher])
    result = board.call_sync("hang")
    release.set()
    assert came_back.wait(5)
    board.call_sync("quick")

    assert result.code == "abandoned"
    assert watcher.texts() == []
    assert seen == [True]


def test_a_tool_of_which_eight_are_left_is_unavailable(release):
    """B9: eight bodies that never came back are enough, until one does."""
    came_back = threading.Semaphore(0)

    @tool
    def hang(wait: bool = True) -> str:
        if wait:
            release.wait()
            came_back.release()
        return "back"

    board = board_of(hang, quick)
    batch = board.run_sync(calls(*["hang"] * MAX_LEFT))
    refused = board.call_sync("hang")
    other = board.call_sync("quick")
    release.set()
    for _ in range(MAX_LEFT):
        came_back.acquire()
    runner = board.executor.runners["thread"]
    while runner.left:  # they have come back, and are being counted
        time.sleep(0.001)

    assert codes(batch) == ["abandoned"] * MAX_LEFT
    assert (refused.code, refused.executed) == ("tool_unavailable", "no")
    assert "never came back" in refused.text
    assert other.text == "quick"
    assert runner.left == {}
    assert board.call_sync("hang", {"wait": False}).text == "back"


def test_many_left_threads_keep_no_other_tool_from_running(release):
    """B9: forty abandoned bodies of several tools, then a quick one runs at once."""
    hanging = [
        tool(lambda: release.wait() and None, name=f"hang_{n}", timeout=SOON)
        for n in range(5)
    ]

    @tool
    def fine() -> str:
        return "fine"

    board = board_of(*hanging, fine)
    batch = board.run_sync(calls(*[f"hang_{n}" for n in range(5)] * MAX_LEFT))

    assert codes(batch) == ["abandoned"] * 40
    assert board.call_sync("fine").text == "fine"


def test_time_counts_from_the_start_of_the_body():
    """B9: waiting for a slot is nobody's time."""
    order = []

    @tool(timeout=SOON * 4)
    async def nap(n: int) -> int:
        await asyncio.sleep(SOON)
        order.append(n)
        return n

    board = board_of(nap, max_concurrency=1)
    batch = board.run_sync([ToolCall("nap", {"n": n}) for n in range(8)])

    assert codes(batch) == ["success"] * 8
    assert order == list(range(8))


def test_a_timeout_error_of_the_bodys_own_is_its_own():
    """B7, B9: the tool's TimeoutError is not mistaken for the executor's."""

    @tool
    async def query() -> str:
        raise TimeoutError("db")

    result = board_of(query).call_sync("query")

    assert (result.status, result.text) == ("error", "TimeoutError: db")


def test_one_timeout_leaves_siblings_alone():
    """B10: a call that times out cancels nobody else."""
    gate = asyncio.Event()

    @tool
    async def hang() -> str:
        try:
            await forever()
        finally:
            gate.set()

    @tool(timeout=60)
    async def outlast() -> str:
        await gate.wait()
        await asyncio.sleep(0)
        return "outlasted"

    batch = board_of(hang, outlast).run_sync(calls("hang", "outlast"))

    assert codes(batch) == ["timeout", "success"]


@pytest.mark.parametrize("is_sync", [True, False])
def test_a_generator_that_times_out_is_closed(is_sync, release):
    """B9, V8: its `finally` runs: an async one at once, a thread's at its next turn."""
    closed = threading.Event()

    async def asynchronous():
        try:
            yield 1
            await forever()
        finally:
            closed.set()

    def synchronous(context: ToolContext):
        try:
            yield 1
            release.wait()
            yield 2
            yield 3
        finally:
            closed.set()

    hang = tool(synchronous if is_sync else asynchronous, name="hang")
    result = board_of(hang).call_sync("hang")
    release.set()

    assert result.code == ("abandoned" if is_sync else "timeout")
    assert closed.wait(5)


def test_nothing_is_left_of_a_call_that_timed_out():
    """B9: no task, no timer, and no cancellation of the caller."""

    @tool
    async def hang() -> str:
        await forever()

    async def main():
        board = board_of(hang)
        await board.call("hang")
        await board.run(calls("hang", "hang"))
        gc.collect()
        return asyncio.all_tasks(), asyncio.current_task().cancelling()

    tasks, cancelling = asyncio.run(main())

    assert len(tasks) == 1
    assert cancelling == 0
