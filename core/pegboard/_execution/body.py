"""The innermost step of every chain: what was guarded is what runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from functools import partial
from types import NoneType
from typing import Any

from pegboard._deadline import EXPIRED, Watch, bounded
from pegboard._execution import nesting, outcome
from pegboard._execution.admission import will_run
from pegboard._execution.invocation import Invocation
from pegboard._execution.rechecking import check_again
from pegboard._execution.retrying import retried
from pegboard._frozen import thaw
from pegboard._slots import Slots
from pegboard.calls import PreparedCall
from pegboard.context import ToolContext
from pegboard.errors import ToolError
from pegboard.protocols import Body
from pegboard.results import ToolResult
from pegboard.runners import settle

#: What an async function may return that is neither awaited nor streamed any more.
_SETTLED = frozenset((str, int, float, bool, NoneType, dict, list, tuple, ToolResult))


async def run_body(call: PreparedCall) -> ToolResult:
    """Run the body of a call that the guards have passed; never raises for it.

    Raises:
        TypeError: the middleware passed on something else than its call.
    """
    try:
        inv: Invocation = call._state
        is_guarded = call is inv.call and inv.barred is None
    except AttributeError:
        kind = type(call).__name__
        raise TypeError(
            f"call_next takes the call it came with, not {kind!r}"
        ) from None
    if not is_guarded:
        barred = await check_again(inv, call)
        if barred is not None:
            return barred
    plan = inv.plan
    assert plan is not None
    if not will_run(inv):
        return outcome.preview(inv)
    if plan.function is None:
        return inv.make(
            "tool_unavailable",
            f"{inv.sent.name} is unavailable: it has no body here",
            status="error",
        )
    if inv.executed != "no":
        _renew(inv)
    slots = () if inv.run.depth else plan.slots
    if slots or inv.lease is not None:
        return await _in_turn(inv, slots)
    return await _within_time(inv)


def _renew(inv: Invocation) -> None:
    """Give a body that runs again what it got the first time, whatever it did to it."""
    assert inv.call is not None
    inv.accept(thaw(inv.call.arguments), None)


async def _in_turn(inv: Invocation, slots: Iterable[Slots]) -> ToolResult:
    """Run the body once it has its resources and its slots."""
    resources, lease = inv.run.executor.resources, inv.lease
    taken: list[asyncio.Semaphore] = []
    try:
        while True:
            if lease is not None:
                await resources.wait(lease)
            for slot in slots:
                taken.append(await slot.take())
            if lease is None or resources.hold(lease):
                return await _within_time(inv)
            # A nested call was faster. It must not wait for a slot in which this one
            # waits: its caller may be what holds the last one.
            _give_back(taken)
    except ToolError as error:
        return inv.make(error.code, str(error), status="error", error=error)
    finally:
        _give_back(taken)


def _give_back(taken: list[asyncio.Semaphore]) -> None:
    while taken:
        taken.pop().release()


async def _within_time(inv: Invocation) -> ToolResult:
    plan = inv.plan
    assert plan is not None
    deadline = None
    if plan.timeout is not None and not plan.begins_late:
        deadline = asyncio.get_running_loop().time() + plan.timeout
    watch = Watch(deadline, inv.run.grace)
    inv.executed = "unknown"
    inv.ended = False
    try:
        try:
            value = await bounded(_start(inv, watch), watch)
            if type(value) not in _SETTLED and value is not EXPIRED:
                value = await bounded(settle(value, _body(inv, watch, 1)), watch)
        finally:
            inv.ended = True
        if inv.children:
            await nesting.stop_children(inv)
    except GeneratorExit:
        raise
    except BaseException as error:
        if inv.children:
            await nesting.stop_children(inv)
        return outcome.failed(inv, error)
    if value is EXPIRED:
        return outcome.late(inv, watch)
    inv.executed = "yes"
    return outcome.finished(inv, value)


def _start(inv: Invocation, watch: Watch) -> Coroutine[Any, Any, Any]:
    plan = inv.plan
    assert plan is not None
    if not plan.plain:
        attempt = partial(_attempt, inv, watch)
        return attempt(1) if plan.retry is None else retried(attempt, plan)
    assert plan.function is not None
    args, kwargs = inv.bound if plan.single is None else ((inv.bound,), {})
    return plan.function(*args, **kwargs)  # type: ignore[no-any-return]  # it is async


async def _attempt(inv: Invocation, watch: Watch, number: int) -> Any:
    plan = inv.plan
    assert plan is not None
    if number > 1:
        _renew(inv)
    inv.nested = 0
    body = _body(inv, watch, number)
    if plan.runner is None:
        return await settle(await body(), body)
    return await plan.runner.run(body)


def _body(inv: Invocation, watch: Watch, attempt: int) -> Body:
    plan = inv.plan
    assert plan is not None
    assert plan.function is not None
    assert inv.call is not None
    context = _context(inv, watch, attempt)
    args, kwargs = inv.bound if plan.single is None else ((), {plan.single: inv.bound})
    hidden = dict(inv.injected or {})
    if plan.hidden.context:
        hidden[plan.hidden.context] = context
    left = plan.timeout
    if watch.deadline is not None:
        left = watch.deadline - asyncio.get_running_loop().time()
    return Body(
        plan.tool,
        plan.function,
        args,
        {**kwargs, **hidden} if hidden else kwargs,
        context,
        (inv.call.arguments if plan.runner and plan.runner.remote else None) or {},
        inv.injected or {},
        seconds=left,
        begin=partial(watch.begin, left),
    )


def _context(inv: Invocation, watch: Watch, attempt: int) -> ToolContext:
    plan, run = inv.plan, inv.run
    assert plan is not None
    return ToolContext(
        inv.sent,
        plan.tool,
        attempt=attempt,
        idempotency_key=run.key_of(inv),
        metadata=run.metadata,
        deadline=watch.deadline,
        send=lambda content, details: run.reporter.update(inv, content, details),
        stopped=lambda: inv.ended or inv.stopping or watch.expired,
        invoke=partial(nesting.call, inv),
        invoke_sync=partial(nesting.call_sync, inv),
    )
