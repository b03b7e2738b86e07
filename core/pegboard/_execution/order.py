"""The order of a batch: parallel in three phases, or each call in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from pegboard._execution.admission import admit, begin, take_up
from pegboard._execution.finishing import finish
from pegboard._execution.invocation import Invocation
from pegboard._execution.net import leave_out
from pegboard._execution.quiet import QuietCalls
from pegboard.calls import ToolCall
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.run import Run


async def together(run: Run, calls: Sequence[ToolCall]) -> None:
    """Admit all calls, run the chains of those that passed, finish all."""
    quiet = _quiet(run, calls)
    if quiet is not None:
        run.is_quiet = True
        await run.work(quiet)
        return
    for sent in calls:
        await _open(run, sent)
    await run.work([inv for inv in run.invocations if inv.result is None])
    if run.aborted is None:
        for inv in run.invocations:
            final = finish(run, inv)
            if type(final) is not ToolResult:
                await final
            del final  # see Run.forget


def _quiet(run: Run, calls: Sequence[ToolCall]) -> QuietCalls | None:
    """Take up calls in which nobody takes part; None, and none taken, if anybody may.

    Nobody can tell their phases apart, so each goes through all of them at once, and
    no two calls' arguments are held together.
    """
    if run.is_heard or run.dry_run or run.stopped or run.decisions is not None:
        return None
    if run.limit is not None and len(calls) > run.limit:
        return None
    plans = []
    for sent in calls:
        plan = run.executor.known_plan(sent.name)
        if plan is None or not plan.bare or sent.truncated:
            return None
        plans.append(plan)
    return QuietCalls(run, calls, plans)


async def in_turn(run: Run, calls: Sequence[ToolCall]) -> None:
    """Admit, run and finish one call after the other; none overtakes a deferred one."""
    waits_for: int | None = None
    for sent in calls:
        if waits_for is None:
            inv = await _open(run, sent)
        else:
            inv = take_up(run, sent, run.next_index())
            inv.refuse(
                "approval_required",
                f"{sent.name} has not run: it comes after call {waits_for + 1}, which"
                " waits for approval",
                status="deferred",
            )
        if inv.result is None:
            await run.work([inv])
        if run.aborted is not None:
            return
        final = finish(run, inv)
        if type(final) is not ToolResult:
            await final
        del final  # see Run.forget
        if inv.pending is not None:
            waits_for = inv.index


async def _open(run: Run, sent: ToolCall) -> Invocation:
    """Admit a call, unless its batch takes no more."""
    is_over = run.limit is not None and len(run.invocations) >= run.limit
    if run.stopped or is_over:
        inv = take_up(run, sent, run.next_index())
        why = "" if run.stopped else f"a batch runs {run.limit} calls at most"
        leave_out(inv, why)
        return inv
    inv = begin(run, sent, run.next_index())
    if inv.result is None and inv.plan is not None and inv.plan.attended:
        late = admit(run, inv, inv.plan)
        if late is not None:
            await _admit(run, inv, late)
    return inv


async def _admit(run: Run, inv: Invocation, late: Awaitable[None]) -> None:
    """Wait for what admits a call, as long as the batch goes on."""
    task = run.admitting = asyncio.current_task()
    before = task.cancelling() if task else 0
    try:
        await late
    except asyncio.CancelledError:
        if task is None or not run.stopped or task.uncancel() > before:
            raise
        leave_out(inv)
    finally:
        run.admitting = None
        del task  # its result may be the batch's: see Run.forget
