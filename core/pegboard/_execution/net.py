"""Phase 2 of a call: its chain, and the outer net around middlewares and body."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from pegboard._clock import Watch
from pegboard._deadline import Suspended, start
from pegboard._execution.alone import run_alone, run_short
from pegboard._execution.invocation import Invocation
from pegboard._execution.quiet import let_go
from pegboard.decisions import Abort
from pegboard.events import returned_event
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.run import Run
    from pegboard._plan import Plan

log = logging.getLogger("pegboard")


async def execute(run: Run, inv: Invocation, plan: Plan) -> None:
    """Run the chain of a call; whatever happens, the call has a result then.

    Raises:
        CancelledError: the batch's caller was cancelled.
    """
    try:
        chain = plan.chain
        if inv.call is None:  # nobody looks at it
            short = run_short if run.is_quiet else run_alone
            result = await short(inv, plan)
        elif plan.layers:
            # A middleware that holds on to its task is given up, too; the body inside
            # has had its own grace by then.
            result = start(chain(inv.call))
            if type(result) is Suspended:
                result = await result.resume(Watch(None, 2 * plan.grace), None)
        else:
            result = await chain(inv.call)
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
        let_go(run, inv)
    if run.is_heard:
        run.tell(returned_event(inv.call or inv.show(), result))
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
