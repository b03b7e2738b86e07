"""The innermost step of every chain: what was guarded is what runs."""

from __future__ import annotations

import asyncio
from typing import Any

from pegboard._deadline import EXPIRED, Watch, bounded
from pegboard._execution import hooks, nesting, outcome
from pegboard._execution.admission import renew_lease
from pegboard._execution.invocation import Invocation
from pegboard._frozen import thaw
from pegboard.calls import PreparedCall
from pegboard.context import ToolContext
from pegboard.errors import InvalidArguments, ToolError, UsageError
from pegboard.protocols import Body
from pegboard.results import ToolResult


async def run_body(call: PreparedCall) -> ToolResult:
    """Run the body of a call that the guards have passed; never raises for it."""
    inv: Invocation = call._state
    if call is not inv.call or inv.barred is not None:
        barred = await _check_again(inv, call)
        if barred is not None:
            return barred
    plan = inv.plan
    assert plan is not None
    if inv.run.dry_run and not plan.tool.read_only:
        return outcome.preview(inv)
    if plan.function is None:
        return inv.make(
            "tool_unavailable",
            f"{inv.sent.name} is unavailable: it has no body here",
            status="error",
        )
    slots = () if inv.run.depth else plan.slots
    try:
        if inv.lease is not None:
            await inv.run.executor.resources.hold(inv.lease)
        for slot in slots:
            await slot.take()
    except ToolError as error:
        return outcome.said(inv, error)
    try:
        return await _within_time(inv)
    finally:
        for slot in slots:
            slot.give()


async def _within_time(inv: Invocation) -> ToolResult:
    plan = inv.plan
    assert plan is not None
    now = asyncio.get_running_loop().time()
    deadline = None if plan.timeout is None else now + plan.timeout
    watch = Watch(deadline, inv.run.grace)
    inv.executed = "unknown"
    inv.ended = False
    try:
        if plan.plain:
            args, kwargs = inv.bound if plan.single is None else ((inv.bound,), {})
            coroutine = plan.function(*args, **kwargs)  # type: ignore[misc]  # not None: checked by run_body
        elif plan.retry is None:
            coroutine = _attempt(inv, watch, 1)
        else:
            coroutine = _retried(inv, watch)
        value = await bounded(coroutine, watch)
    except BaseException as error:
        return outcome.failed(inv, error)
    finally:
        inv.ended = True
        for child in inv.children:
            child.cancel()
    if value is EXPIRED:
        return outcome.late(inv, watch)
    inv.executed = "yes"
    return outcome.finished(inv, value)


async def _attempt(inv: Invocation, watch: Watch, number: int) -> Any:
    plan = inv.plan
    assert plan is not None
    assert plan.function is not None
    context = _context(inv, watch, number)
    if number > 1 and inv.call is not None:
        # A further attempt gets what the first one got, whatever that did to it.
        inv.accept(thaw(inv.call.arguments), None)
    args, kwargs = inv.bound if plan.single is None else ((), {plan.single: inv.bound})
    hidden = dict(inv.injected or {})
    if plan.hidden.context:
        hidden[plan.hidden.context] = context
    if hidden:
        kwargs = {**kwargs, **hidden}
    remote = plan.runner is not None and plan.runner.remote
    arguments = inv.call.arguments if inv.call and remote else {}
    body = Body(
        plan.tool,
        plan.function,
        args,
        kwargs,
        context,
        arguments or {},
        inv.injected or {},
    )
    if plan.runner is None:
        return await plan.function(*args, **kwargs)
    return await plan.runner.run(body)


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
        invoke=lambda name, arguments: nesting.call(inv, name, arguments),
        invoke_sync=lambda name, arguments: nesting.call_sync(inv, name, arguments),
    )


async def _retried(inv: Invocation, watch: Watch) -> Any:
    import tenacity  # 40 ms, and few tools retry

    plan = inv.plan
    assert plan is not None
    assert plan.retry is not None
    retry = plan.retry
    safe = plan.tool.idempotent or plan.tool.read_only

    def is_worth(error: BaseException) -> bool:
        if isinstance(error, ToolError) and error.retryable:
            return True
        is_listed = isinstance(error, retry.on) and not isinstance(error, ToolError)
        return safe and (is_listed or type(error) in retry.on)

    attempts = tenacity.AsyncRetrying(
        stop=tenacity.stop_after_attempt(retry.attempts),
        wait=tenacity.wait_random_exponential(
            multiplier=retry.wait, max=retry.max_wait
        ),
        retry=tenacity.retry_if_exception(is_worth),
        reraise=True,
        sleep=asyncio.sleep,
    )
    async for attempt in attempts:
        with attempt:
            return await _attempt(inv, watch, attempt.retry_state.attempt_number)


async def _check_again(inv: Invocation, call: PreparedCall) -> ToolResult | None:
    """Validate and guard a call that a middleware changed; the refusal, or None."""
    if inv.closed:
        raise UsageError("call_next was used after its call had ended")
    barred: ToolResult | None = inv.barred
    if barred is not None:
        return barred
    guarded = inv.call
    assert guarded is not None
    if (
        type(call) is not PreparedCall
        or call._state is not inv
        or (call.id, call.name) != (guarded.id, guarded.name)
    ):
        raise TypeError("the middleware passed on another call than it was given")
    if call.arguments == guarded.arguments:
        return None
    async with inv.run.recheck_lock:
        try:
            inv.accept(thaw(call.arguments), None)
        except InvalidArguments as error:
            barred = inv.make(error.code, str(error), status="error", error=error)
            inv.barred = barred
            return barred
        assert inv.call is not None
        found = await hooks.guard(inv, inv.call)
        renew_lease(inv)
    if found is None:
        return None
    inv.pending = None
    if found.status not in ("blocked", "error"):
        found = inv.make(
            "blocked",
            f"{inv.sent.name} did not run: its arguments were changed after the guards"
            f" had seen them, and {found.by!r} did not pass the changed ones",
            status="blocked",
            by=found.by,
        )
    inv.barred = found
    return found
