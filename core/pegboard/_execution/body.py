"""The innermost step of every chain: what was guarded is what runs."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pegboard._deadline import EXPIRED, Watch, bounded
from pegboard._execution import hooks
from pegboard._execution.failure import describe
from pegboard._execution.invocation import Invocation
from pegboard._frozen import thaw
from pegboard._output import bound, clean, convert, redact
from pegboard.calls import PreparedCall
from pegboard.content import TextContent, text_block
from pegboard.context import ToolContext
from pegboard.decisions import Abort
from pegboard.errors import InvalidArguments, ToolError, UsageError
from pegboard.protocols import Body
from pegboard.results import CODES, OpenResult, ToolResult


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
        return _preview(inv)
    if plan.function is None:
        return inv.make(
            "tool_unavailable",
            f"{inv.sent.name} is unavailable: it has no body here",
            status="error",
        )
    slots = inv.run.slots_of(plan)
    try:
        if inv.lease is not None:
            await inv.run.resources.hold(inv.lease)
        for slot in slots:
            await slot.take()
    except ToolError as error:
        return _said(inv, error)
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
        return _failed(inv, error, watch)
    finally:
        inv.ended = True
    if value is EXPIRED:
        return _late(inv, watch)
    inv.executed = "yes"
    return _finished(inv, value)


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
        send=lambda content, details: run.update(inv, content, details),
        stopped=lambda: inv.ended or inv.stopping or watch.expired,
        invoke=lambda name, arguments: run.nested(inv, name, arguments),
        invoke_sync=lambda name, arguments: run.nested_sync(inv, name, arguments),
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
        inv.run.renew_lease(inv)
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


def _preview(inv: Invocation) -> ToolResult:
    assert inv.call is not None
    assert inv.plan is not None
    import json

    arguments = json.dumps(inv.call.arguments, ensure_ascii=False)
    shown = bound(arguments, 2_000)
    result = inv.make(
        "dry_run", f"Dry run: {inv.sent.name} would run with {shown}", status="success"
    )
    return result.replace(data={"arguments": thaw(inv.call.arguments)})


def _late(inv: Invocation, watch: Watch) -> ToolResult:
    assert inv.plan is not None
    code = "abandoned" if watch.abandoned else "timeout"
    more = "; it could not be stopped and may still run" if watch.abandoned else ""
    return inv.make(
        code,
        f"{inv.sent.name} took longer than {inv.plan.timeout:g} s{more}",
        status="timeout",
    )


def _failed(inv: Invocation, error: BaseException, watch: Watch) -> ToolResult:
    if isinstance(error, (KeyboardInterrupt, GeneratorExit)):
        raise error
    if isinstance(error, Abort) and error.batch is not None:
        raise error  # of a nested call: its hook ends this batch, too
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if inv.stopping or (task is not None and task.cancelling() > 0):
            raise error
        return inv.make(
            "cancelled", f"{inv.sent.name} was cancelled", status="cancelled"
        )
    inv.executed = "yes"
    if isinstance(error, ToolError):
        return _said(inv, error)
    text = describe(error, inv.run.error_detail)
    return inv.make(
        "tool_failed",
        redact(bound(clean(text), 2_000), inv.secrets),
        status="error",
        error=error,
    )


def _said(inv: Invocation, error: ToolError) -> ToolResult:
    status, executed = CODES.get(error.code, ("error", "yes"))
    if executed == "no":
        inv.executed = "no"
    return inv.make(
        error.code,
        redact(bound(clean(str(error)), inv.plan.max_result_bytes), inv.secrets),  # type: ignore[union-attr]  # a body ran, so it has a plan
        status="error" if status in ("success", "deferred") else status,
        error=error,
        details=redact(convert(error.details)[1], inv.secrets),
    )


def _finished(inv: Invocation, value: Any) -> ToolResult:
    plan = inv.plan
    assert plan is not None
    if type(value) is ToolResult:
        return _adopt(inv, value)
    content, data, lost = convert(value)
    details: Any = {"not_serialised": list(lost)} if lost else None
    if plan.output is not None and not plan.output(data):
        return inv.make(
            "invalid_result",
            f"{inv.sent.name} ran, but returned something else than it promises",
            status="error",
            details={"data": redact(data, inv.secrets)},
        )
    return _build(inv, content, data, details)


def _build(inv: Invocation, content: Any, data: Any, details: Any) -> ToolResult:
    limit = inv.plan.max_result_bytes  # type: ignore[union-attr]  # a body ran, so it has a plan
    for block in content:
        if type(block) is TextContent and len(block.text) * 4 > limit:
            data = block.text if data is None else data
            content = tuple(_bound_block(item, limit) for item in content)
            break
    if inv.secrets:
        content, data = redact(content, inv.secrets), redact(data, inv.secrets)
        details = redact(details, inv.secrets)
    duration = time.monotonic() - inv.t0
    made: Any = OpenResult(inv.sent, content, data, inv.started, duration)
    made.details = details
    made.repairs = inv.repairs
    made.__class__ = ToolResult
    return made  # type: ignore[no-any-return]  # it has just become one


def _bound_block(block: Any, limit: int) -> Any:
    if type(block) is not TextContent:
        return block
    return text_block(bound(block.text, limit))


def _adopt(inv: Invocation, value: ToolResult) -> ToolResult:
    """Make a result of the body the result of this call."""
    if value.status not in ("success", "error"):
        return inv.make(
            "invalid_result",
            f"{inv.sent.name} ran, but returned a result of status {value.status!r},"
            " which is not a tool's to give",
            status="error",
        )
    content, data = value.content, value.data
    cleaned = tuple(
        text_block(clean(b.text)) if type(b) is TextContent else b for b in content
    )
    plain, details = convert(data)[1], convert(value.details)[1]
    check = inv.plan.output if inv.plan else None
    if check is not None and value.status == "success" and not check(plain):
        return inv.make(
            "invalid_result",
            f"{inv.sent.name} ran, but returned something else than it promises",
            status="error",
        )
    made = _build(
        inv,
        cleaned,
        None if data is None else plain,
        None if value.details is None else details,
    )
    return made.replace(
        status=value.status,
        code=value.code or ("tool_failed" if value.status == "error" else None),
        terminate=value.terminate and value.status == "success",
        executed="yes",
    )
