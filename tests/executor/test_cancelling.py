"""A batch that the host's event ends early, with complete results (B10)."""

import asyncio
import contextlib
import threading
from typing import Annotated

import pytest

from pegboard import (
    BatchResult,
    Executor,
    Injected,
    Pegboard,
    Registry,
    ToolCall,
    ToolContext,
    ToolResult,
    hookimpl,
    tool,
)

from .parts import Recorder, calls, codes, forever, hang, named, quick, turns

SOON = 0.05


def run(board, names, *, when=None, sequential=False):
    """Run calls; `when(cancel)` is awaited beside them. Nothing may be left."""

    async def main():
        cancel = asyncio.Event()
        beside = asyncio.create_task(when(cancel)) if when else cancel.set()
        batch = await board.run(calls(*names), cancel=cancel, sequential=sequential)
        if beside is not None:
            await beside
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert asyncio.current_task().cancelling() == 0
        return batch

    return asyncio.run(main())


async def soon(cancel):
    """Cancel once all that can run waits for something."""
    await turns()
    cancel.set()


def test_a_batch_that_is_cancelled_before_it_starts_starts_nothing():
    """B10: each call is not_started, with its start and its end; no hook is asked."""
    recorder = Recorder()
    batch = run(Pegboard([quick], plugins=[recorder]), ["quick", "nope", "quick"])

    assert codes(batch) == ["not_started"] * 3
    assert [result.executed for result in batch] == ["no"] * 3
    assert recorder.seen == [
        *((kind, f"c{n}") for n in range(3) for kind in ("ToolStart",)),
        *(("ToolEnd", f"c{n}") for n in range(3)),
        ("BatchEnd", None),
    ]


def test_finished_calls_keep_their_results_and_running_ones_are_cancelled():
    """B10: both pass after_tool_call, so that the transcript is whole and rewritten."""
    recorder = Recorder()
    board = Pegboard([quick, hang], plugins=[recorder])
    batch = run(board, ["quick", "hang", "quick"], when=soon)

    assert codes(batch) == ["success", "cancelled", "success"]
    assert batch[1].executed == "unknown"
    assert recorder.of("after") == [("after", f"c{n}") for n in range(3)]
    assert [id_ for _, id_ in recorder.of("ToolEnd")] == ["c0", "c1", "c2"]


def test_calls_that_have_no_slot_yet_are_not_started():
    """B10, B11: who waits for a slot has not started, and never will."""
    board = Pegboard([hang, quick], settings={"max_concurrency": 1})
    batch = run(board, ["hang", "quick", "quick"], when=soon)

    assert codes(batch) == ["cancelled", "not_started", "not_started"]
    assert board.settings.max_concurrency == 1


def test_slots_and_resources_are_free_after_a_cancelled_batch():
    """B10: whoever ran or waited has given back what it held."""

    @tool(resources=["file:{path}"])
    async def edit(path: str, wait: bool = False) -> str:
        if wait:
            await forever()
        return "edited"

    async def main():
        settings = {"max_concurrency": 2, "tools": {"edit": {"max_concurrency": 1}}}
        board = Pegboard([edit], settings=settings)
        cancel = asyncio.Event()
        beside = asyncio.create_task(soon(cancel))
        sent = [ToolCall("edit", {"path": p, "wait": True}) for p in "aabb"]
        first = await board.run(sent, cancel=cancel)
        await beside
        return first, await board.run([ToolCall("edit", {"path": p}) for p in "abab"])

    first, second = asyncio.run(main())

    assert codes(first) == ["cancelled", *["not_started"] * 3]
    assert codes(second) == ["success"] * 4


def test_a_sequential_batch_leaves_out_the_rest():
    """B10: the call in hand is cancelled and the following ones are not started."""
    batch = run(
        Pegboard([hang, quick]), ["quick", "hang", "quick"], when=soon, sequential=True
    )

    assert codes(batch) == ["success", "cancelled", "not_started"]


def test_a_guard_at_work_is_cancelled():
    """B10: the call that is being admitted is not started, nor are later ones."""
    asked = []

    async def guard(call):
        asked.append(call.id)
        if call.id == "c1":
            await forever()

    board = Pegboard([quick], plugins=[named("guard", before_tool_call=guard)])
    batch = run(board, ["quick"] * 3, when=soon)

    assert codes(batch) == ["not_started"] * 3
    assert asked == ["c0", "c1"]


@pytest.mark.parametrize("hook", ["prepare_arguments", "inject"])
def test_other_hooks_at_work_are_cancelled(hook):
    """B10: so are the hooks that prepare and inject."""

    @tool
    async def work(key: Annotated[str, Injected("KEY")]) -> str:
        return "worked"

    class Slow:
        name = "slow"

    async def wait(*args):
        await forever()

    implementation = {
        "prepare_arguments": lambda self, call: wait(),
        "inject": lambda self, tool, name: wait(),
    }[hook]
    setattr(Slow, hook, hookimpl(implementation))
    batch = run(Pegboard([work], plugins=[Slow()]), ["work", "work"], when=soon)

    assert codes(batch) == ["not_started"] * 2


def test_a_rewriter_at_work_finishes():
    """B10: what has run is reported whole; the event comes too late for it."""

    cancelled = asyncio.Event()

    async def slow(call, result):
        await cancelled.wait()
        return result.replace(content="rewritten")

    async def when(cancel):
        await soon(cancel)
        await turns()
        cancelled.set()

    board = Pegboard([quick], plugins=[named("slow", after_tool_call=slow)])
    batch = run(board, ["quick", "quick"], when=when)

    assert [result.text for result in batch] == ["rewritten"] * 2


def test_a_middleware_that_swallows_its_cancellation_answers_nobody():
    """B10: a call that was told to stop is cancelled, whatever a middleware returns."""

    async def swallow(call, call_next):
        try:
            return await call_next(call)
        except asyncio.CancelledError:
            return ToolResult("fine")

    board = Executor(Registry([hang]), middlewares=[swallow])
    batch = run(board, ["hang", "hang"], when=soon)

    assert codes(batch) == ["cancelled"] * 2


def test_a_middleware_that_does_not_let_go_is_given_up():
    """B10: it has twice the grace, once for the body and once for itself."""

    async def stubborn(call, call_next):
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await call_next(call)

    board = Executor(Registry([hang], settings={"grace": SOON}), middlewares=[stubborn])
    batch = run(board, ["hang", "hang"], when=soon)

    assert codes(batch) == ["cancelled"] * 2


def test_a_body_that_does_not_let_go_is_given_up():
    """B10: a running body has the grace, then its call ends without it."""

    @tool(timeout=60)
    async def stubborn() -> str:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await forever()

    board = Pegboard([stubborn, quick], settings={"grace": SOON})
    batch = run(board, ["stubborn", "quick"], when=soon)

    assert codes(batch) == ["cancelled", "success"]


def test_a_thread_is_left_at_once(release):
    """B10: a thread cannot be stopped, so nobody waits for it."""
    begun = threading.Semaphore(0)

    @tool
    def block() -> str:
        begun.release()
        release.wait()

    async def when(cancel):
        for _ in range(2):
            await asyncio.to_thread(begun.acquire)
        cancel.set()

    board = Pegboard([block, quick])
    batch = run(board, ["block", "quick", "block"], when=when)

    assert codes(batch) == ["cancelled", "success", "cancelled"]
    assert board.executor.runners["thread"].left == {"code:block": 2}


def test_a_body_that_no_thread_has_begun_never_runs(monkeypatch):
    """B10: a call that is cancelled before its thread gets to it does not run."""
    ran, late = [], []

    @tool
    def work() -> str:
        ran.append(1)

    async def main():
        board = Pegboard([work])
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", lambda self: late.append(self))
            task = asyncio.create_task(board.call("work"))
            await turns()
            task.cancel()
            await asyncio.wait([task])
        late[0].start()
        await board.call("work")
        return board.executor.runners["thread"].left

    assert asyncio.run(main()) == {}
    assert len(ran) == 1


def test_an_event_that_comes_after_the_end_changes_nothing():
    """B10: a batch that has ended keeps its results."""

    batch = run(Pegboard([quick]), ["quick", "quick"], when=soon)

    assert codes(batch) == ["success"] * 2


def test_a_body_may_set_the_event_of_its_own_batch():
    """B10: a tool that ends the batch is itself cancelled if it goes on waiting."""

    async def main():
        cancel = asyncio.Event()

        @tool
        async def stop(wait: bool) -> str:
            cancel.set()
            await (forever() if wait else asyncio.sleep(0))
            return "stopped"

        board = Pegboard([stop, quick])
        sent = [ToolCall("stop", {"wait": True}), ToolCall("quick")]
        return await board.run(sent, cancel=cancel, sequential=True)

    assert codes(asyncio.run(main())) == ["cancelled", "not_started"]


def test_the_event_reaches_nested_calls():
    """B10, V11: a body that waits for another tool is cancelled with it."""
    recorder = Recorder()

    @tool
    async def outer(context: ToolContext) -> str:
        await context.call("hang")

    batch = run(Pegboard([outer, hang], plugins=[recorder]), ["outer"], when=soon)

    assert codes(batch) == ["cancelled"]
    assert len(recorder.of("ToolStart")) == len(recorder.of("ToolEnd")) == 2


def test_the_results_of_a_cancelled_batch_can_be_resumed_or_sent():
    """B10: the batch is whole JSON like any other."""
    batch = run(Pegboard([quick, hang]), ["quick", "hang"], when=soon)

    assert BatchResult.from_json(batch.to_json()).results == batch.results
