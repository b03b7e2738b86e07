"""Hooks at call time: prepare changes, before decides, after rewrites.

Every failure is closed: a hook that raises, hangs or returns something else than its
spec says ends the call, and the result names the plugin.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import logging
import time
from collections.abc import Awaitable, Iterator, Mapping
from operator import length_hint
from typing import Any

from pegboard._arguments import copy_mapping
from pegboard._deadline import TooLong, within
from pegboard._execution.invocation import Invocation
from pegboard._frozen import thaw
from pegboard._output import secrets_in
from pegboard._plan import Plan
from pegboard._plugins import Implementation
from pegboard.batches import PendingCall
from pegboard.calls import PreparedCall
from pegboard.decisions import Abort, Block, Defer, Respond
from pegboard.errors import InvalidArguments
from pegboard.results import CODES, ToolResult

log = logging.getLogger("pegboard")
_BLOCKED = frozenset(code for code, (status, _) in CODES.items() if status == "blocked")


class WrongReturn(TypeError):
    """A hook returned something that its spec does not name."""

    def __init__(self, value: object) -> None:
        super().__init__(f"it returned {type(value).__name__!r}")


def passes(error: BaseException) -> bool:
    """Whether an exception is not to be caught: it ends more than one call."""
    if isinstance(error, (KeyboardInterrupt, GeneratorExit, Abort)):
        return True
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return False


def _in_time(inv: Invocation, answer: Awaitable[Any]) -> Awaitable[Any]:
    settings = inv.run.executor.settings
    return within(answer, settings.hook_timeout, settings.grace)


async def prepare(inv: Invocation, value: dict[str, Any]) -> dict[str, Any] | None:
    """Pass arguments through the prepare hooks and the tool's own prepare.

    Returns:
        The arguments to validate; None if the call was refused.
    """
    assert inv.plan is not None
    for function, plugin, is_hook in inv.plan.prepare:
        try:
            found: Any = function(inv.show(value) if is_hook else thaw(value))
            if found is not None and hasattr(found, "__await__"):
                found = await _in_time(inv, found)
            if found is not None:
                if not isinstance(found, Mapping):
                    raise WrongReturn(found)
                value = copy_mapping(found)
        except BaseException as error:
            if passes(error):
                raise
            name = "prepare_arguments" if is_hook else "prepare"
            fail(inv, plugin, name, error)
            return None
    return value


def guard(
    inv: Invocation, call: PreparedCall, plan: Plan
) -> ToolResult | Awaitable[ToolResult | None] | None:
    """Ask every guard.

    Block beats Defer beats Respond; the first of its kind counts.

    Returns:
        The refusal or answer, or None if the call may run; at once as long as guards
        have nothing to say, else to be awaited.
    """
    functions = iter(plan.guards)
    try:
        for ask in functions:
            decision = ask(call)
            if decision is not None:
                return _weigh(inv, call, _rest(plan.before, functions), decision)
    except BaseException as error:
        return _broken_guard(inv, _rest(plan.before, functions)[0], error)
    return None


def _rest(
    items: tuple[Implementation, ...], functions: Iterator[Any]
) -> tuple[Implementation, ...]:
    """Return the hooks from the one whose function an iterator gave last."""
    return items[len(items) - length_hint(functions) - 1 :]


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
                decision = item.function(call)
            if decision is not None and hasattr(decision, "__await__"):
                decision = await _in_time(inv, decision)
            if decision is None:
                continue
            if isinstance(decision, Block):
                return _block(inv, decision, item.plugin)
            if isinstance(decision, Defer):
                if not _is_settled(inv, call) and not _is_defer(answer):
                    answer = (decision, item.plugin)
            elif isinstance(decision, Respond):
                _check_answer(decision.result)
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


def _check_answer(result: Any) -> None:
    if type(result) is not ToolResult:
        raise WrongReturn(result)
    if result.status == "deferred":
        raise WrongReturn(Defer(""))


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
        duration=time.monotonic() - inv.t0,
    )
    return inv.result


async def inject(inv: Invocation) -> bool:
    """Find the values of the hidden parameters; False if the call was refused."""
    plan = inv.plan
    assert plan is not None
    values: dict[str, Any] = {}
    for parameter, name in plan.hidden.injected.items():
        value = await _ask_for(inv, plan.inject, name)
        if inv.refused:
            return False
        if value is None:
            value = plan.secrets.get(name)
        if value is None and _has_default(plan.function, parameter):
            continue
        if value is None:
            inv.refuse(
                "tool_unavailable",
                f"{inv.sent.name} is unavailable: it needs {name!r}, which nobody has"
                " granted",
            )
            return False
        values[parameter] = value
    inv.injected = values
    inv.secrets = secrets_in(values.values())
    return True


def _has_default(function: Any, parameter: str) -> bool:
    found = inspect.signature(function).parameters[parameter]
    return found.default is not inspect.Parameter.empty


async def _ask_for(
    inv: Invocation, injectors: tuple[Implementation, ...], name: str
) -> Any:
    assert inv.plan is not None
    for item in injectors:
        try:
            value = item.function(inv.plan.tool, name)
            if hasattr(value, "__await__"):
                value = await _in_time(inv, value)
        except BaseException as error:
            if passes(error):
                raise
            fail(inv, item.plugin, "inject", error)
            return None
        if value is not None:
            return value
    return None


def rewrite(
    inv: Invocation, result: ToolResult, plan: Plan
) -> ToolResult | Awaitable[ToolResult]:
    """Pass a result through the after hooks, inside out.

    Returns:
        The result; at once as long as hooks leave it as it is, else to be awaited.

    Raises:
        Abort: a hook raised it; the call's result is withheld by then.
    """
    call = inv.call or inv.show()
    functions = iter(plan.rewriters)
    try:
        for change in functions:
            found = change(call, result)
            if found is not None:
                return _replace(inv, call, result, _rest(plan.after, functions), found)
    except BaseException as error:
        return _broken_rewriter(inv, _rest(plan.after, functions)[0], error)
    return result


def _broken_rewriter(
    inv: Invocation, item: Implementation, error: BaseException
) -> ToolResult:
    if isinstance(error, Abort):
        # Nobody rewrites it now, so nobody reads it.
        inv.refused = True
        inv.result = _withhold(inv, item.plugin, error)
    if passes(error):
        raise error
    return _withhold(inv, item.plugin, error)


async def _replace(
    inv: Invocation,
    call: PreparedCall,
    result: ToolResult,
    items: tuple[Implementation, ...],
    found: Any,
) -> ToolResult:
    """Heed the first hook that did not just return None, and go on with the others."""
    for item in items:
        try:
            if item is not items[0]:
                found = item.function(call, result)
            if found is not None and hasattr(found, "__await__"):
                found = await _in_time(inv, found)
            if found is None:
                continue
            _check_answer(found)
            result = found if found.call is inv.sent else found.replace(call=inv.sent)
        except BaseException as error:
            return _broken_rewriter(inv, item, error)
    return result


def _withhold(inv: Invocation, plugin: str, error: BaseException) -> ToolResult:
    _report(plugin, "after_tool_call", error)
    ran = "ran" if inv.executed != "no" else "was answered"
    return inv.make(
        "hook_failed",
        f"{inv.sent.name} {ran}, but its result is withheld: plugin {plugin!r} failed"
        f" in after_tool_call ({type(error).__name__}). Do not repeat the call.",
        status="error",
        by=plugin,
        error=error,
    )


def fail(inv: Invocation, plugin: str, hook: str, error: BaseException) -> ToolResult:
    """Refuse a call because a hook failed."""
    _report(plugin, hook, error)
    is_ours = isinstance(error, (WrongReturn, TooLong, InvalidArguments))
    why = str(error) if is_ours else ""
    shown = f"{type(error).__name__}: {why}" if why else type(error).__name__
    return inv.refuse(
        "hook_failed",
        f"{inv.sent.name} did not run: plugin {plugin!r} failed in {hook} ({shown})",
        by=plugin,
        error=error,
    )


def _report(plugin: str, hook: str, error: BaseException) -> None:
    log.warning("plugin %s failed in %s: %s", plugin, hook, type(error).__name__)
