"""Batches in which nobody takes part: all phases of a call at once (B2)."""

import asyncio
import gc

from pegboard import Pegboard, ToolCall, tool
from pegboard._execution.invocation import Invocation

from .parts import calls, codes, hang, quick


async def warm(board, *names):
    """Call each tool, so that its chain is known to have nobody in it."""
    for name in names:
        await board.call(name)


def test_a_long_batch_holds_the_call_that_runs_and_no_other():
    """B1: what is kept of a call that has ended is its result."""

    @tool
    async def count() -> int:
        found = [it for it in gc.get_objects() if type(it) is Invocation]
        return sum(it.run.executor is executors[0] for it in found)

    executors = []

    async def main():
        board = Pegboard([quick, count])
        executors.append((await board.ready()).executor)
        await warm(board, "quick", "count")
        return await board.run(calls(*["quick"] * 60, "count", *["quick"] * 60))

    batch = asyncio.run(main())

    assert [result.call.id for result in batch] == [f"c{n}" for n in range(121)]
    assert {result.text for result in batch[:60]} == {"quick"}
    assert batch[60].data == 1


def test_calls_of_a_long_batch_that_have_not_begun_are_left_out():
    """B10: every call has its result, in call order, wherever the batch was ended."""

    async def main():
        cancel = asyncio.Event()

        @tool
        async def stop() -> str:
            cancel.set()
            return "stopped"

        board = Pegboard([quick, stop])
        await warm(board, "quick", "stop")
        cancel.clear()
        return await board.run(calls("stop", *["quick"] * 127), cancel=cancel)

    batch = asyncio.run(main())
    found = codes(batch)
    ran = found.index("not_started")

    assert len(batch) == 128
    assert 1 <= ran < 128
    assert found == ["success"] * ran + ["not_started"] * (128 - ran)
    assert [result.call.id for result in batch] == [f"c{n}" for n in range(128)]
    assert {result.executed for result in batch[ran:]} == {"no"}


def test_a_long_batch_whose_caller_is_cancelled_leaves_nothing():
    """B10: neither a task nor a call stays behind."""

    async def main():
        board = Pegboard([quick, hang])
        await board.call("quick")
        executor = (await board.ready()).executor
        executor.plan("hang")
        sent = [ToolCall("quick"), *[ToolCall("hang")] * 5, ToolCall("quick")]
        batch = asyncio.create_task(board.run(sent))
        await asyncio.sleep(0.01)
        batch.cancel()
        done, _ = await asyncio.wait([batch])
        gc.collect()
        found = [it for it in gc.get_objects() if type(it) is Invocation]
        left = [it for it in found if it.run.executor is executor]
        return done.pop().cancelled(), len(asyncio.all_tasks()), left

    assert asyncio.run(main()) == (True, 1, [])
