"""Phase 3 of a call: its result passes the rewriters, and the call ends."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from pegboard._execution.invocation import Invocation
from pegboard._execution.rewriters import rewrite
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.run import Run


def finish(run: Run, inv: Invocation) -> ToolResult | Awaitable[ToolResult]:
    """Pass a result through the after hooks and end its call.

    Returns:
        The final result, or what to await for it if a hook waits.
    """
    result = inv.result
    assert result is not None
    found: Any = None
    try:
        plan = inv.plan
        if plan is not None and plan.after and not inv.refused:
            found = rewrite(inv, result, plan)
            if type(found) is not ToolResult:
                return _finish_late(run, inv, found)
            result = inv.result = found
        run.end(inv, result)
        return result
    finally:
        del result, found  # see Run.forget


async def _finish_late(
    run: Run, inv: Invocation, rewritten: Awaitable[ToolResult]
) -> ToolResult:
    result = inv.result = await rewritten
    try:
        run.end(inv, result)
        return result
    finally:
        del result  # see Run.forget
