"""Hooks at call time: what they have in common, and those that fill arguments in.

Every failure is closed: a hook that raises, hangs or returns something else than its
spec says ends the call, and the result names the plugin.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from operator import length_hint
from typing import Any

from pegboard._arguments import copy_mapping
from pegboard._deadline import Suspended, TooLong, own_exit, rest_within, within
from pegboard._execution.invocation import Invocation
from pegboard._frozen import thaw
from pegboard._output import secrets_in
from pegboard._plugins import Implementation
from pegboard.decisions import Abort, Defer
from pegboard.errors import InvalidArguments
from pegboard.results import ToolResult

log = logging.getLogger("pegboard")


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


def ask(function: Callable[..., Any], *given: Any) -> Any:
    """Call a hook; a GeneratorExit of its own does not pass for a closing loop."""
    try:
        return function(*given)
    except GeneratorExit as error:
        raise own_exit() from error


def in_time(inv: Invocation, answer: Awaitable[Any]) -> Awaitable[Any]:
    """Await what a hook returned, no longer than a hook may take."""
    settings = inv.run.executor.settings
    return within(answer, settings.hook_timeout, settings.grace)


def rest_in_time(inv: Invocation, begun: float, answer: Suspended) -> Awaitable[Any]:
    """Await the rest of what a hook returned, that began at a moment."""
    settings = inv.run.executor.settings
    return rest_within(answer, begun, settings.hook_timeout, settings.grace)


async def prepare(inv: Invocation, value: dict[str, Any]) -> dict[str, Any] | None:
    """Pass arguments through the prepare hooks and the tool's own prepare.

    Returns:
        The arguments to validate; None if the call was refused.
    """
    assert inv.plan is not None
    for function, plugin, is_hook in inv.plan.prepare:
        try:
            found = ask(function, inv.show(value) if is_hook else thaw(value))
            if found is not None and hasattr(found, "__await__"):
                found = await in_time(inv, found)
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


def rest(
    items: tuple[Implementation, ...], functions: Iterator[Any]
) -> tuple[Implementation, ...]:
    """Return the hooks from the one whose function an iterator gave last."""
    return items[len(items) - length_hint(functions) - 1 :]


def check_answer(result: Any) -> None:
    if type(result) is not ToolResult:
        raise WrongReturn(result)
    if result.status == "deferred":
        raise WrongReturn(Defer(""))


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
            value = ask(item.function, inv.plan.tool, name)
            if hasattr(value, "__await__"):
                value = await in_time(inv, value)
        except BaseException as error:
            if passes(error):
                raise
            fail(inv, item.plugin, "inject", error)
            return None
        if value is not None:
            return value
    return None


def fail(inv: Invocation, plugin: str, hook: str, error: BaseException) -> ToolResult:
    """Refuse a call because a hook failed."""
    report(plugin, hook, error)
    is_ours = isinstance(error, (WrongReturn, TooLong, InvalidArguments))
    why = str(error) if is_ours else ""
    shown = f"{type(error).__name__}: {why}" if why else type(error).__name__
    return inv.refuse(
        "hook_failed",
        f"{inv.sent.name} did not run: plugin {plugin!r} failed in {hook} ({shown})",
        by=plugin,
        error=error,
    )


def report(plugin: str, hook: str, error: BaseException) -> None:
    log.warning("plugin %s failed in %s: %s", plugin, hook, type(error).__name__)
