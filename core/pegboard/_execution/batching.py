"""One batch with all that its host may ask of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pegboard._execution.ids import new_id
from pegboard._execution.run import Run
from pegboard.batches import BatchResult
from pegboard.calls import ToolCall
from pegboard.decisions import Abort
from pegboard.errors import PegboardError, UsageError
from pegboard.events import BatchEnd

if TYPE_CHECKING:
    from pegboard._executor import Executor


async def run_batch(
    executor: Executor,
    run: Run,
    calls: Iterable[ToolCall],
    *,
    sequential: bool = False,
    cancel: asyncio.Event | None = None,
    max_calls: int | None = None,
    whole: Callable[[BatchResult], BatchResult] | None = None,
) -> BatchResult:
    """Run calls as the batch that was made for them.

    Args:
        executor: Whose tools are called.
        run: The batch.
        calls: What the model asked for.
        sequential: Whether each call ends before the next starts.
        cancel: Ends the batch early, with complete results.
        max_calls: How many run at most.
        whole: Puts what was run into the batch that it is a part of.
    """
    if isinstance(calls, ToolCall):
        raise UsageError("a batch takes a list of ToolCalls; put this one into a list")
    sent = [_as_call(executor, call) for call in calls]
    in_turn = sequential or _must_be_in_turn(executor, sent)
    limit = executor.max_calls if max_calls is None else max_calls
    try:
        async with _watching(cancel, run):
            await run.batch(sent, sequential=in_turn, limit=limit)
    except Abort as abort:
        if whole is not None and abort.batch is not None:
            abort.batch = whole(abort.batch)
        raise
    return _end(run, whole)


def _end(run: Run, whole: Callable[[BatchResult], BatchResult] | None) -> BatchResult:
    # Not in run_batch, whose frame would hold the result; see Run.forget.
    result = run.result() if whole is None else whole(run.result())
    if run.is_heard:
        try:
            run.reporter.emit(BatchEnd(result))
        except Abort as abort:
            abort.batch = result
            raise
    return result


def _as_call(executor: Executor, call: ToolCall) -> ToolCall:
    if not isinstance(call, ToolCall):
        raise UsageError(
            f"a batch takes ToolCalls, not {type(call).__name__!r}; a dialect's"
            " calls() makes them of a provider's answer"
        )
    if call.id:
        return call
    return ToolCall(call.name, call.arguments, id=new_id(), truncated=call.truncated)


def _must_be_in_turn(executor: Executor, calls: list[ToolCall]) -> bool:
    if executor.settings.execution == "sequential":
        return True
    return any(
        _is_sequential(executor, name) for name in dict.fromkeys(c.name for c in calls)
    )


def _is_sequential(executor: Executor, name: str) -> bool:
    try:
        return executor.execution_of(name) == "sequential"
    except PegboardError:
        return False  # the call itself will say so


@asynccontextmanager
async def _watching(cancel: asyncio.Event | None, run: Run) -> AsyncIterator[None]:
    if cancel is None:
        yield
        return

    async def watch() -> None:
        await cancel.wait()
        run.halt()

    if cancel.is_set():
        run.halt()
    watcher = asyncio.get_running_loop().create_task(watch())
    try:
        yield
    finally:
        watcher.cancel()
        await asyncio.wait([watcher])
