"""The rewriters of a result: each sees what those inside it have made of it."""

from __future__ import annotations

from collections.abc import Awaitable
from time import monotonic
from typing import Any

from pegboard._deadline import Suspended, own_exit, start
from pegboard._execution.hooks import (
    ask,
    check_answer,
    passes,
    report,
    rest,
    rest_in_time,
)
from pegboard._execution.invocation import Invocation
from pegboard._plan import Plan
from pegboard._plugins import Implementation
from pegboard.calls import PreparedCall
from pegboard.decisions import Abort
from pegboard.results import ToolResult


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
                return _replace(inv, call, result, rest(plan.after, functions), found)
    except GeneratorExit:  # nothing is awaited here, so it is the hook's own
        return _broken_rewriter(inv, rest(plan.after, functions)[0], own_exit())
    except BaseException as error:
        return _broken_rewriter(inv, rest(plan.after, functions)[0], error)
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
                found = ask(item.function, call, result)
            if found is not None and hasattr(found, "__await__"):
                begun, found = monotonic(), start(found)
                if type(found) is Suspended:
                    found = await rest_in_time(inv, begun, found)
            if found is None:
                continue
            check_answer(found)
            result = found if found.call is inv.sent else found.replace(call=inv.sent)
        except BaseException as error:
            return _broken_rewriter(inv, item, error)
    return result


def _withhold(inv: Invocation, plugin: str, error: BaseException) -> ToolResult:
    report(plugin, "after_tool_call", error)
    ran = "ran" if inv.executed != "no" else "was answered"
    return inv.make(
        "hook_failed",
        f"{inv.sent.name} {ran}, but its result is withheld: plugin {plugin!r} failed"
        f" in after_tool_call ({type(error).__name__}). Do not repeat the call.",
        status="error",
        by=plugin,
        error=error,
    )
