"""What came of a body -> the call's result; never raises for it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

from pegboard._clock import Watch
from pegboard._execution.failure import describe
from pegboard._execution.invocation import Invocation
from pegboard._frozen import thaw
from pegboard._output import (
    Shown,
    bound,
    clean,
    clean_blocks,
    convert,
    redact,
    to_json,
)
from pegboard._plan import Plan
from pegboard.content import Content, TextContent, blocks, text_block
from pegboard.decisions import Abort
from pegboard.errors import ToolError
from pegboard.results import CODES, ToolResult, make_result
from pegboard.runners import NotStarted

#: Longest text of an unexpected exception, in bytes.
_MAX_ERROR = 2_000
_FAILED = ("error", "yes")


def preview(inv: Invocation) -> ToolResult:
    """Return what takes the body's place in a dry run."""
    assert inv.call is not None
    arguments = thaw(inv.call.arguments)
    shown = bound(json.dumps(arguments, ensure_ascii=False), 2_000)
    result = inv.make(
        "dry_run", f"Dry run: {inv.sent.name} would run with {shown}", status="success"
    )
    return result.replace(data={"arguments": arguments})


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
    if isinstance(error, Abort) and error is inv.run.aborted:
        raise error  # of a nested call: its hook ends this batch, too
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is not None and task.cancelling() > 0:
            raise error
        return inv.make(
            "cancelled", f"{inv.sent.name} was cancelled", status="cancelled"
        )
    if isinstance(error, NotStarted):
        inv.executed = "no"
        return _said(inv, error.code, error)
    inv.executed = "yes"
    if isinstance(error, ToolError):
        return _said(inv, _own_code(error.code), error)
    text = describe(error, inv.run.executor.settings.error_detail)
    return inv.make(
        "tool_failed", _shown(inv, text, _MAX_ERROR), status="error", error=error
    )


def _own_code(code: str | None) -> str:
    """Return a code that a body may give: its own, or one that says that it ran."""
    return code if code and CODES.get(code, _FAILED) == _FAILED else "tool_failed"


def _said(inv: Invocation, code: str, error: ToolError) -> ToolResult:
    assert inv.plan is not None
    text = str(error) or type(error).__name__
    details = None if error.details is None else to_json(error.details)[0]
    return inv.make(
        code,
        _shown(inv, text, inv.plan.max_result_bytes),
        status="error",
        error=error,
        details=redact(details, inv.secrets),
    )


def _shown(inv: Invocation, text: str, limit: int) -> str:
    # Redacted first: a cut could leave a part of a secret.
    return bound(redact(clean(text), inv.secrets), limit)


def finished(inv: Invocation, plan: Plan, value: Any) -> ToolResult:
    """Return the result of a body that returned."""
    said = value if type(value) is ToolResult else None
    if said is None:
        content, data, lost = convert(value)
        details: Any = {"not_serialised": list(lost)} if lost else None
    else:
        content, data, details = _contents(said)
    promises = plan.output
    if promises is not None and (said is None or said.status == "success"):
        if not promises(data):
            return _broken(inv, data)
    if inv.secrets:
        content, data = redact(content, inv.secrets), redact(data, inv.secrets)
        details = redact(details, inv.secrets)
    limit = plan.max_result_bytes
    if type(content) is not str or len(content) * 4 > limit:
        content, data = _cut(blocks(content), data, limit)
    spent = time.monotonic() - inv.t0
    made = make_result(inv.sent, content, data, inv.started, spent)
    if details is not None or inv.repairs:
        made = made.replace(details=details, repairs=inv.repairs)
    return made if said is None else _adopt(made, said)


def _contents(said: ToolResult) -> tuple[Shown, Any, Any]:
    """Return content, data and details of a result that a body returned."""
    data = None if said.data is None else to_json(said.data)[0]
    details = None if said.details is None else to_json(said.details)[0]
    return clean_blocks(said.content) or convert(data)[0], data, details


def _adopt(made: ToolResult, said: ToolResult) -> ToolResult:
    """Return a result with what a body may say of itself.

    What a body ran into, in a nested call say, is its own error: only the executor
    blocks, defers, cancels.
    """
    is_success = said.status == "success"
    return made.replace(
        status="success" if is_success else "error",
        code=None if is_success else _own_code(said.code),
        terminate=said.terminate and is_success,
        executed="yes",
    )


def _broken(inv: Invocation, data: Any) -> ToolResult:
    return inv.make(
        "invalid_result",
        f"{inv.sent.name} ran, but returned something else than it promises",
        status="error",
        details={"data": redact(data, inv.secrets)},
    )


def _cut(
    content: Sequence[Content], data: Any, limit: int
) -> tuple[tuple[Content, ...], Any]:
    """Return content within the limit, each text cut in proportion; whole in data."""
    texts = [block.text for block in content if isinstance(block, TextContent)]
    sizes = [len(text.encode()) for text in texts]
    if sum(sizes) <= limit:
        return tuple(content), data
    shares = iter([limit * size // sum(sizes) for size in sizes])
    cut = tuple(
        text_block(bound(block.text, next(shares)))
        if isinstance(block, TextContent)
        else block
        for block in content
    )
    return cut, "\n".join(texts) if data is None else data
