"""The end of a batch that does not end by itself: every call gets its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pegboard._execution.admission import take_up
from pegboard._execution.finishing import finish
from pegboard._execution.net import leave_out
from pegboard.calls import ToolCall
from pegboard.decisions import Abort
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.run import Run


async def wind_up(run: Run, calls: Sequence[ToolCall]) -> Abort:
    """Give every call its end, and return the Abort with all results."""
    assert run.aborted is not None
    run.is_batch = True  # also one call's Abort carries a batch
    for sent in calls[len(run.invocations) :]:
        leave_out(take_up(run, sent, run.next_index()))
    for inv in run.invocations:
        if inv.result is None:
            leave_out(inv)
        if not inv.closed:
            try:
                final = finish(run, inv)
                if type(final) is not ToolResult:
                    await final
                del final  # see Run.forget
            except Abort:
                run.end(inv, inv.result or leave_out(inv))
    run.aborted.batch = run.result()
    return run.aborted


def drop_open(run: Run) -> None:
    """End every open call of a batch that is left; ask nobody."""
    run.stopped = run.reporter.is_aborting = True
    for inv in run.invocations:
        if not inv.closed:
            inv.result = inv.make("cancelled", "", status="cancelled")
            run.end(inv, inv.result)
    run.forget()
