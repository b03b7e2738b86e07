"""Phase 2 of a call: its chain, and the outer net around middlewares and body."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from pegboard._deadline import unless_late
from pegboard._execution.alone import run_alone, run_short
from pegboard._execution.invocation import Invocation
from pegboard.decisions import Abort
from pegboard.events import ToolReturned
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.run import Run

log = logging.getLogger("pegboard")


async def execute(run: Run, inv: Invocation) -> None:
    """Run the chain of a call; whatever happens, the call has a result then.

    Raises:
        CancelledError: the batch's caller was cancelled.
    """
    plan = inv.plan
    assert plan is not None
    try:
        if run.is_quiet:
            result = await run_short(inv, plan)
        elif inv.call is None:  # nobody looks at it
            result = await run_alone(inv)
        elif plan.layers:
            # A middleware that holds on to its task is given up, too; the body inside
            # has had its own grace by then.
            result = await unless_late(plan.chain(inv.call), None, 2 * plan.grace)
        else:
            result = await plan.chain(inv.call)
    except BaseException as error:
        result = _caught(run, inv, error)
    finally:
        if inv.lease is not None:
            run.release(inv)
    if inv.stopping:
        await inv.stand_down()
    inv.task = None
    if inv.barred is not None:
        result, inv.refused = inv.barred, True
    if result.call is not inv.sent:
        result = _owned(inv, result)
    inv.result = result
    if run.is_quiet:
        inv.close()
    if run.is_heard:
        run.tell(ToolReturned(inv.show(), result.status, result.duration))
    del result  # its exception's traceback leads to this frame: a circle otherwise


def _owned(inv: Invocation, result: ToolResult) -> ToolResult:
    """Return a middleware's own result as the call's."""
    return result.replace(
        call=inv.sent,
        executed=inv.executed,
        repairs=inv.repairs,
        started=inv.started,
        duration=time.monotonic() - inv.t0,
    )


def _caught(run: Run, inv: Invocation, error: BaseException) -> ToolResult:
    if isinstance(error, (KeyboardInterrupt, GeneratorExit)):
        raise error
    if isinstance(error, asyncio.CancelledError):
        if inv.stopping:
            return _cut_short(inv)
        if run.is_cancelled():
            raise error
        if _is_cancelling():
            # A body or middleware cancelled the task that it runs in.
            return _cut_short(inv)
    if isinstance(error, Abort):
        run.abort(error)
        return _cut_short(inv)
    # A GeneratorExit was turned into something else on its way; its cause is marked.
    marked = error if hasattr(error, "pegboard_layer") else error.__cause__
    plugin = getattr(marked, "pegboard_layer", "code")
    kind = type(error).__name__
    log.warning("a middleware of plugin %s failed: %s", plugin, kind)
    ran = "did not run" if inv.executed == "no" else "ran"
    return inv.make(
        "middleware_failed",
        f"{inv.sent.name} {ran}: a middleware of plugin {plugin!r} failed ({kind})",
        status="error",
        by=plugin,
        error=error,
    )


def _is_cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _cut_short(inv: Invocation) -> ToolResult:
    if inv.executed == "no":
        return leave_out(inv)
    text = f"{inv.sent.name} was cancelled"
    return inv.make("cancelled", text, status="cancelled")


def leave_out(inv: Invocation, why: str = "") -> ToolResult:
    """End a call that never started."""
    reason = why or "the batch ended before its turn"
    return inv.refuse(
        "not_started", f"{inv.sent.name} did not run: {reason}", status="cancelled"
    )
