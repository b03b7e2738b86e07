"""A body that wants nothing but arguments, and its net: the short end of every path.

Most bodies are such async functions; in a call that nobody else takes part in this is
the whole of phases 2 and 3.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from types import NoneType
from typing import Any

from pegboard._clock import Watch
from pegboard._deadline import EXPIRED, Suspended, bounded, start, watch_from
from pegboard._execution import outcome
from pegboard._execution.invocation import Invocation
from pegboard._plan import Plan
from pegboard.errors import ToolError
from pegboard.results import ToolResult
from pegboard.runners import settle

#: What an async function may return that is neither awaited nor streamed any more.
SETTLED = frozenset((str, int, float, bool, NoneType, dict, list, tuple, ToolResult))


async def run_alone(inv: Invocation, plan: Plan) -> ToolResult:
    """Run a plain body; never raises for it."""
    function: Any = plan.function
    inv.executed = "unknown"
    try:
        args, kwargs = inv.bound if plan.single is None else ((inv.bound,), {})
        begun = 0.0 if plan.timeout is None else monotonic()
        value = start(function(*args, **kwargs))
        if type(value) not in SETTLED:  # one look for what few bodies do
            value = await _settled(inv, plan, value, begun)
            if type(value) is Watch:
                return outcome.late(inv, value)
    except GeneratorExit:
        raise
    except BaseException as error:
        return outcome.failed(inv, error)
    inv.executed = "yes"
    return outcome.finished(inv, plan, value)


async def _settled(inv: Invocation, plan: Plan, value: Any, begun: float) -> Any:
    """Return what a body comes to that waits, or returned something to wait for.

    Returns:
        Its value, or the Watch whose deadline passed.
    """
    if type(value) is Suspended:
        watch = watch_from(begun, plan.timeout, plan.grace)
        value = await value.resume(watch, watch)
    if type(value) in SETTLED or type(value) is Watch:
        return value
    return await _settle_late(inv, plan, value)


async def _settle_late(inv: Invocation, plan: Plan, value: Any) -> Any:
    """Await or stream what an async function returned instead of a value."""
    from pegboard._execution.bodies import make_body  # late: it leads back to here

    if inv.task is None:  # whoever hears of what it yields may end the call
        inv.task = asyncio.current_task()
    if inv.call is None:
        inv.call = inv.show()
    watch = watch_from(inv.t0, plan.timeout, plan.grace)
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
    return inv.result or await run_alone(inv, plan)
