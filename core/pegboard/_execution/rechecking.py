"""The second check of a call that a middleware changed after the guards saw it."""

from __future__ import annotations

import asyncio

from pegboard._execution.admission import renew_lease
from pegboard._execution.guards import guard
from pegboard._execution.invocation import Invocation
from pegboard._frozen import thaw
from pegboard.calls import PreparedCall
from pegboard.decisions import Abort
from pegboard.errors import InvalidArguments, UsageError
from pegboard.results import ToolResult


async def check_again(inv: Invocation, call: PreparedCall) -> ToolResult | None:
    """Validate and guard a call that is not the guarded one; the refusal, or None.

    Raises:
        UsageError: the call has ended.
        TypeError: it is another call than the middleware was given.
    """
    if inv.closed:
        raise UsageError("call_next was used after its call had ended")
    if inv.barred is not None:
        return inv.barred
    guarded = inv.call
    assert guarded is not None
    if (call.id, call.name) != (guarded.id, guarded.name):
        raise TypeError("the middleware passed on another call than it was given")
    if call.arguments == guarded.arguments:
        return None
    if inv.run.recheck_lock is None:
        inv.run.recheck_lock = asyncio.Lock()
    async with inv.run.recheck_lock:
        try:
            inv.accept(thaw(call.arguments), None)
        except InvalidArguments as error:
            text, bare = str(error), error.with_traceback(None)
            inv.barred = inv.make(error.code, text, status="error", error=bare)
            return inv.barred
        inv.barred = await _ask(inv)
        renew_lease(inv)
    return inv.barred


async def _ask(inv: Invocation) -> ToolResult | None:
    """Ask every guard once more; no observer is called meanwhile."""
    assert inv.plan is not None
    run = inv.run
    run.reporter.hold()
    try:
        found = guard(inv, inv.plan)
        if found is not None and type(found) is not ToolResult:
            found = await found
    except Abort as abort:
        # Whatever the middlewares make of it.
        run.abort(abort)
        text = f"{inv.sent.name} did not run: the batch was ended"
        inv.barred = inv.make("not_started", text, status="cancelled")
        raise
    finally:
        for event in run.reporter.release():
            run.tell(event)
    if found is None or found.status in ("blocked", "error"):
        return found
    inv.pending = None
    return inv.make(
        "blocked",
        f"{inv.sent.name} did not run: its arguments were changed after the guards had"
        f" seen them, and {found.by!r} did not pass the changed ones",
        status="blocked",
        by=found.by,
    )
