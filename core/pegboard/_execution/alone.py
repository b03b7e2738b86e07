"""A body that wants nothing but arguments, and its net: the short end of every path.

Most bodies are such async functions; in a call that nobody else takes part in this is
the whole of phases 2 and 3.
"""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Generator
from types import NoneType
from typing import Any

from pegboard._clock import Watch
from pegboard._deadline import EXPIRED, bounded, unless_late
from pegboard._execution import outcome
from pegboard._execution.invocation import Invocation
from pegboard._plan import Plan
from pegboard.errors import ToolError
from pegboard.results import ToolResult
from pegboard.runners import settle

#: What an async function may return that is neither awaited nor streamed any more.
SETTLED = frozenset((str, int, float, bool, NoneType, dict, list, tuple, ToolResult))


@types.coroutine
def run_alone(inv: Invocation) -> Generator[Any, Any, ToolResult]:
    """Run a plain body; never raises for it."""
    plan = inv.plan
    assert plan is not None
    assert plan.function is not None
    inv.executed = "unknown"
    try:
        args, kwargs = inv.bound if plan.single is None else ((inv.bound,), {})
        value = yield from unless_late(
            plan.function(*args, **kwargs), plan.timeout, plan.grace
        )
        if type(value) not in SETTLED and type(value) is not Watch:
            value = yield from _settle_late(inv, value).__await__()
    except GeneratorExit:
        raise
    except BaseException as error:
        return outcome.failed(inv, error)
    if type(value) is Watch:
        return outcome.late(inv, value)
    inv.executed = "yes"
    return outcome.finished(inv, value)


async def _settle_late(inv: Invocation, value: Any) -> Any:
    """Await or stream what an async function returned instead of a value."""
    from pegboard._execution.bodies import make_body  # late: it leads back to here

    plan = inv.plan
    assert plan is not None
    if inv.call is None:
        inv.call = inv.show()
    deadline = None
    if plan.timeout is not None:
        spent = time.monotonic() - inv.t0
        deadline = asyncio.get_running_loop().time() + plan.timeout - spent
    watch = Watch(deadline, plan.grace)
    try:
        found = await bounded(settle(value, make_body(inv, watch, 1)), watch)
    finally:
        inv.ended = True
    return watch if found is EXPIRED else found


async def run_short(inv: Invocation, plan: Plan) -> ToolResult:
    """Run one call in which nobody takes part, from its arguments to its result.

    It needs no batch of its own: no hook, observer or middleware could tell.
    """
    inv.plan = plan
    limit = inv.run.executor.settings.max_argument_bytes
    if not inv.takes_at_once(plan, limit):
        try:
            inv.accept(*inv.read(limit))
        except ToolError as error:
            inv.turn_down(error)
    return inv.result or await run_alone(inv)
