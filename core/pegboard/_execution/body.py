"""The innermost step of every chain: what was guarded is what runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable
from functools import partial
from typing import Any

from pegboard._clock import Watch
from pegboard._deadline import EXPIRED, bounded
from pegboard._execution import nesting, outcome
from pegboard._execution.admission import will_run
from pegboard._execution.alone import SETTLED, run_alone
from pegboard._execution.bodies import make_body
from pegboard._execution.invocation import Invocation
from pegboard._execution.rechecking import check_again
from pegboard._execution.retrying import retried
from pegboard._frozen import thaw
from pegboard._slots import Slots
from pegboard.calls import PreparedCall
from pegboard.errors import ToolError
from pegboard.results import ToolResult
from pegboard.runners import settle


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
    plan = inv.plan
    assert plan is not None
    if is_guarded and plan.free and inv.executed == "no" and not inv.run.dry_run:
        return await run_alone(inv, plan)  # the way of most calls, for its speed
    barred = None if is_guarded else await check_again(inv, call)
    if barred is not None:
        return barred
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
    return await _at_once(inv)


def _at_once(inv: Invocation) -> Awaitable[ToolResult]:
    plan = inv.plan
    assert plan is not None
    return run_alone(inv, plan) if plan.plain else _within_time(inv)


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
                return await _at_once(inv)
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
    watch = Watch(deadline, inv.run.executor.settings.grace)
    inv.executed = "unknown"
    inv.ended = False
    try:
        try:
            value = await bounded(_start(inv, watch), watch)
            if type(value) not in SETTLED and value is not EXPIRED:
                value = await bounded(settle(value, make_body(inv, watch, 1)), watch)
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
    return outcome.finished(inv, plan, value)


def _start(inv: Invocation, watch: Watch) -> Coroutine[Any, Any, Any]:
    plan = inv.plan
    assert plan is not None
    attempt = partial(_attempt, inv, watch)
    return attempt(1) if plan.retry is None else retried(attempt, plan)


async def _attempt(inv: Invocation, watch: Watch, number: int) -> Any:
    plan = inv.plan
    assert plan is not None
    if number > 1:
        _renew(inv)
    inv.nested = 0
    body = make_body(inv, watch, number)
    if plan.runner is None:
        return await settle(await body(), body)
    return await plan.runner.run(body)
