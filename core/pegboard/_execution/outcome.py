"""What came of a body -> the call's result; never raises for it."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from pegboard._deadline import Watch
from pegboard._execution.failure import describe
from pegboard._execution.invocation import Invocation
from pegboard._frozen import thaw
from pegboard._output import bound, clean, convert, redact
from pegboard.content import TextContent, text_block
from pegboard.decisions import Abort
from pegboard.errors import ToolError
from pegboard.results import CODES, OpenResult, ToolResult


def preview(inv: Invocation) -> ToolResult:
    """Return what takes the body's place in a dry run."""
    assert inv.call is not None
    assert inv.plan is not None
    arguments = json.dumps(inv.call.arguments, ensure_ascii=False)
    shown = bound(arguments, 2_000)
    result = inv.make(
        "dry_run", f"Dry run: {inv.sent.name} would run with {shown}", status="success"
    )
    return result.replace(data={"arguments": thaw(inv.call.arguments)})


def late(inv: Invocation, watch: Watch) -> ToolResult:
    """Return the result of a body whose time was up."""
    assert inv.plan is not None
    code = "abandoned" if watch.abandoned else "timeout"
    more = "; it could not be stopped and may still run" if watch.abandoned else ""
    return inv.make(
        code,
        f"{inv.sent.name} took longer than {inv.plan.timeout:g} s{more}",
        status="timeout",
    )


def failed(inv: Invocation, error: BaseException) -> ToolResult:
    """Return the result of a body that raised.

    Raises:
        BaseException: the same, if it is not this call's alone: an interrupt, a
            cancellation from outside, the Abort of a nested call.
    """
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
        return said(inv, error)
    text = describe(error, inv.run.executor.settings.error_detail)
    return inv.make(
        "tool_failed",
        redact(bound(clean(text), 2_000), inv.secrets),
        status="error",
        error=error,
    )


def said(inv: Invocation, error: ToolError) -> ToolResult:
    """Return what a tool says to the model."""
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


def finished(inv: Invocation, value: Any) -> ToolResult:
    """Return the result of a body that returned."""
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
