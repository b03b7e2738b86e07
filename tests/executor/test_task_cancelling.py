"""What becomes of a batch whose awaiting task is cancelled (B10)."""

import asyncio
import contextlib
from typing import Annotated

import pytest

from pegboard import (
    Executor,
    Injected,
    Pegboard,
    Registry,
    Retry,
    ToolCall,
    ToolContext,
    ToolResult,
    hookimpl,
    tool,
)

from .parts import Recorder, calls, codes, forever, hang, named, quick, turns

SOON = 0.05
WAYS = ["call", "run", "in turn", "stream"]


async def start(board, way, name, arguments=None):
    """Call a tool in one of the ways."""
    call = ToolCall(name, arguments or {}, id="c0")
    if way == "call":
        await board.call(name, arguments, id="c0")
    elif way == "stream":
        async for _ in board.stream([call]):
            pass
    else:
        await board.run([call], sequential=way == "in turn")


def cancel(board, way, name="hang", *, times=1, check=True):
    """Cancel the task that calls a tool once it waits; nothing may be left."""

    async def main():
        task = asyncio.create_task(start(board, way, name))
        await turns()
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        if check:
            assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


@pytest.mark.parametrize("way", WAYS)
def test_the_cancellation_goes_on_once_the_body_has_cleaned_up(way):
    """B10: the body is cancelled, its cleanup awaited, and each call has its end."""
    recorder, cleaned = Recorder(), []

    @tool(timeout=60)
    async def work() -> str:
        try:
            await forever()
        finally:
            await turns()
            cleaned.append(True)

    cancel(Pegboard([work], plugins=[recorder]), way, "work")

    assert cleaned == [True]
    assert recorder.of("ToolEnd", "after") == [("ToolEnd", "c0")]
    end = recorder.ends["c0"]
    assert (end.status, end.code, end.content) == ("cancelled", "cancelled", ())


@pytest.mark.parametrize("way", WAYS)
def test_however_often_the_caller_is_cancelled_cleanup_is_awaited(way):
    """B10: a second and third cancellation leave no task behind either."""
    cleaned = []

    @tool(timeout=60)
    async def work() -> str:
        try:
            await forever()
        finally:
            with contextlib.suppress(asyncio.CancelledError):
                await turns()
            cleaned.append(True)

    cancel(Pegboard([work]), way, "work", times=3)

    assert cleaned == [True]


@pytest.mark.parametrize("way", WAYS)
def test_a_body_that_does_not_let_go_is_given_up(way):
    """B10: after the grace the cancellation goes on without it."""

    @tool(timeout=60)
    async def stubborn() -> str:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await forever()

    cancel(Pegboard([stubborn], settings={"grace": SOON}), way, "stubborn")


@pytest.mark.parametrize("way", WAYS)
def test_a_middleware_that_does_not_let_go_is_given_up(way):
    """B10: so is a middleware."""

    async def stubborn(call, call_next):
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await call_next(call)

    registry = Registry([hang], settings={"grace": SOON})
    cancel(Executor(registry, middlewares=[stubborn]), way)


@pytest.mark.parametrize("way", WAYS)
def test_a_middleware_cannot_swallow_its_callers_cancellation(way):
    """B10: an answer that it makes of it is nobody's."""

    async def swallow(call, call_next):
        try:
            return await call_next(call)
        except asyncio.CancelledError:
            return ToolResult("fine")

    cancel(Executor(Registry([hang]), middlewares=[swallow]), way)


@pytest.mark.parametrize("way", WAYS)
def test_a_thread_is_left_at_once(way, release):
    """B10: the caller's cancellation does not wait for a thread."""

    @tool
    def block() -> str:
        release.wait()

    cancel(Pegboard([block]), way, "block")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("at", ["prepare", "before", "inject", "after"])
def test_hooks_at_work_are_cancelled(way, at):
    """B10: whatever hook is awaited is cancelled, and the call has its end."""
    recorder, cleaned = Recorder(), []

    async def wait():
        try:
            await forever()
        finally:
            cleaned.append(at)

    @tool
    async def work(key: Annotated[str, Injected("KEY")]) -> str:
        return "worked"

    class Slow:
        name = "slow"

        @hookimpl
        def prepare_arguments(self, call):
            return wait() if at == "prepare" else None

        @hookimpl
        def before_tool_call(self, call):
            return wait() if at == "before" else None

        @hookimpl
        def inject(self, tool, name):
            return wait() if at == "inject" else "value"

        @hookimpl
        def after_tool_call(self, call, result):
            return wait() if at == "after" else None

    cancel(Pegboard([work], plugins=[recorder, Slow()]), way, "work")

    assert cleaned == [at]
    assert list(recorder.ends) == ["c0"]
    assert recorder.ends["c0"].content == ()


@pytest.mark.parametrize("way", WAYS)
def test_a_wait_between_attempts_is_cancelled(way):
    """B10: a retry that is waited for never comes."""
    tries = []

    @tool(idempotent=True, retry=Retry(attempts=9, wait=1e6, max_wait=1e6))
    async def work() -> str:
        tries.append(1)
        raise OSError

    cancel(Pegboard([work], settings={"timeout": 0}), way, "work")

    assert len(tries) == 1


@pytest.mark.parametrize(
    "wait_for", ["the board's slot", "the tool's slot", "a resource"]
)
def test_a_wait_for_a_place_is_cancelled_and_leaves_no_trace(wait_for):
    """B10, B11, B12: who gives up waiting holds nothing, and the next one runs."""
    gate = asyncio.Event()

    @tool(resources=["all"] if wait_for == "a resource" else [])
    async def work(wait: bool = False) -> str:
        if wait:
            await gate.wait()
        return "worked"

    settings = {
        "the board's slot": {"max_concurrency": 1},
        "the tool's slot": {
            "max_concurrency": 5,
            "tools": {"work": {"max_concurrency": 1}},
        },
    }.get(wait_for, {})

    async def main():
        board = Pegboard([work], settings=settings)
        first = asyncio.create_task(board.call("work", {"wait": True}))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(board.call("work")) for _ in range(3)]
        await asyncio.sleep(0)
        for task in waiting[:2]:
            task.cancel()
        await asyncio.wait(waiting[:2])
        gate.set()
        return await first, await waiting[2], await board.run(calls("work", "work"))

    first, third, batch = asyncio.run(main())

    assert (first.text, third.text) == ("worked", "worked")
    assert codes(batch) == ["success", "success"]


@pytest.mark.parametrize("way", WAYS)
def test_nested_calls_are_cancelled_with_their_caller(way):
    """B10, V11: each has its end, the inner one first."""
    recorder = Recorder()

    @tool(timeout=60)
    async def outer(context: ToolContext) -> str:
        await context.call("hang")

    cancel(Pegboard([outer, hang], plugins=[recorder]), way, "outer")

    ended = [id_ for _, id_ in recorder.of("ToolEnd")]
    assert len(ended) == 2
    assert ended[1] == "c0"


def test_calls_of_a_batch_are_all_cancelled():
    """B10: bodies that run and calls that wait end; what had ended has no end twice."""
    recorder = Recorder()

    async def main():
        board = Pegboard([quick, hang], plugins=[recorder])
        task = asyncio.create_task(board.run(calls("quick", "hang", "nope", "hang")))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())

    assert [id_ for _, id_ in recorder.of("ToolEnd")] == ["c0", "c1", "c2", "c3"]
    assert {end.code for end in recorder.ends.values()} == {"cancelled"}


def test_a_failing_observer_does_not_stop_the_ends():
    """B10, H5: when the batch is left, even a required observer ends it no more."""
    recorder = Recorder()

    def fail(event):
        if type(event).__name__ == "ToolEnd":
            raise RuntimeError("disk full")

    board = Pegboard(
        [hang],
        plugins=[recorder, named("audit", on_event=fail)],
        settings={"required": ["audit"]},
    )
    cancel(board, "run")

    assert list(recorder.ends) == ["c0"]


def test_the_callers_own_timeout_around_a_call():
    """B10: `asyncio.timeout` around a call is a TimeoutError for the caller."""

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(SOON):
                await Pegboard([hang]).call("hang")
        assert asyncio.current_task().cancelling() == 0
        return await Pegboard([quick]).call("quick")

    assert asyncio.run(main()).text == "quick"


def test_a_call_in_the_cleanup_of_a_cancelled_task_works():
    """B10: whoever was cancelled before may still call tools while cleaning up."""
    found = []

    @tool
    async def late() -> str:
        await asyncio.sleep(0)
        return "late"

    async def work(board):
        try:
            await forever()
        finally:
            found.append((await board.call("late")).text)
            found.append(codes(await board.run(calls("late", "late"))))

    async def main():
        task = asyncio.create_task(work(Pegboard([late], plugins=[Recorder()])))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(main())

    assert found == ["late", ["success", "success"]]
