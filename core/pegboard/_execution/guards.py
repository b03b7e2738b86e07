"""The guards of a call: pass, block, answer, or leave it to a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable
from time import monotonic
from typing import Any

from pegboard._deadline import Suspended, own_exit, start
from pegboard._execution.hooks import (
    WrongReturn,
    ask,
    check_answer,
    fail,
    passes,
    rest,
    rest_in_time,
)
from pegboard._execution.invocation import Invocation
from pegboard._plan import Plan
from pegboard._plugins import Implementation
from pegboard.batches import PendingCall
from pegboard.calls import PreparedCall
from pegboard.decisions import Block, Defer, Respond
from pegboard.results import CODES, ToolResult

_BLOCKED = frozenset(code for code, (status, _) in CODES.items() if status == "blocked")


def guard(
    inv: Invocation, plan: Plan
) -> ToolResult | Awaitable[ToolResult | None] | None:
    """Ask every guard.

    Block beats Defer beats Respond; the first of its kind counts.

    Returns:
        The refusal or answer, or None if the call may run; at once as long as guards
        have nothing to say, else to be awaited.
    """
    call: Any = inv.call
    functions = iter(plan.guards)
    try:
        for function in functions:
            decision = function(call)
            if decision is not None:
                return _weigh(inv, call, rest(plan.before, functions), decision)
    except GeneratorExit:  # nothing is awaited here, so it is the hook's own
        return _broken_guard(inv, rest(plan.before, functions)[0], own_exit())
    except BaseException as error:
        return _broken_guard(inv, rest(plan.before, functions)[0], error)
    return None


def _broken_guard(
    inv: Invocation, item: Implementation, error: BaseException
) -> ToolResult:
    if passes(error):
        raise error
    return fail(inv, item.plugin, "before_tool_call", error)


async def _weigh(
    inv: Invocation,
    call: PreparedCall,
    items: tuple[Implementation, ...],
    decision: Any,
) -> ToolResult | None:
    """Heed the first guard that did not just return None, and ask the others."""
    answer: tuple[Defer | Respond, str] | None = None
    for item in items:
        try:
            if item is not items[0]:
                decision = ask(item.function, call)
            if decision is not None and hasattr(decision, "__await__"):
                begun, decision = monotonic(), start(decision)
                if type(decision) is Suspended:
                    decision = await rest_in_time(inv, begun, decision)
            if decision is None:
                continue
            if isinstance(decision, Block):
                return _block(inv, decision, item.plugin)
            if isinstance(decision, Defer):
                if not _is_settled(inv, call) and not _is_defer(answer):
                    answer = (decision, item.plugin)
            elif isinstance(decision, Respond):
                check_answer(decision.result)
                answer = answer or (decision, item.plugin)
            else:
                raise WrongReturn(decision)
        except BaseException as error:
            return _broken_guard(inv, item, error)
    if answer is None:
        return None
    decision, plugin = answer
    if isinstance(decision, Defer):
        return defer(inv, call, decision.reason, plugin)
    return _respond(inv, decision, plugin)


def _block(inv: Invocation, decision: Block, plugin: str) -> ToolResult:
    # A code that says that the body ran, or may have, is not a guard's to give.
    code = decision.code if decision.code in _BLOCKED else "blocked"
    reason = str(decision.reason) or f"{inv.sent.name} did not run: {plugin!r} said no"
    return inv.refuse(code, reason, status="blocked", by=plugin)


def _is_defer(answer: tuple[Any, str] | None) -> bool:
    return answer is not None and isinstance(answer[0], Defer)


def _is_settled(inv: Invocation, call: PreparedCall) -> bool:
    if inv.approved is None or call.tool is None:
        return False
    return inv.approved == fingerprint(call.tool.id, call.arguments)


def fingerprint(tool: str, arguments: Any) -> str:
    """Return a hash that is equal for equal calls, whatever the order of their keys.

    Args:
        tool: The tool's identity.
        arguments: Validated arguments.
    """
    text = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def defer(
    inv: Invocation, call: PreparedCall, reason: str, plugin: str | None
) -> ToolResult:
    """Leave a call for a person to decide."""
    assert call.tool is not None
    assert call.arguments is not None
    inv.pending = PendingCall(
        inv.index, inv.sent, call.tool.id, call.arguments, reason, plugin
    )
    text = f"{call.name} has not run: it waits for approval. {reason}"
    return inv.refuse("approval_required", text, status="deferred", by=plugin)


def _respond(inv: Invocation, decision: Respond, plugin: str) -> ToolResult:
    given = decision.result
    inv.result = given.replace(
        call=inv.sent,
        by=plugin,
        executed="no",
        repairs=inv.repairs,
        started=inv.started,
        duration=monotonic() - inv.t0,
    )
    return inv.result
