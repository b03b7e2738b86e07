"""Phase 1 of a call: found, parsed, prepared, validated, guarded."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from pegboard._execution import hooks
from pegboard._execution.guards import guard
from pegboard._execution.invocation import Invocation
from pegboard.calls import ToolCall
from pegboard.decisions import Approve, Deny
from pegboard.errors import InvalidArguments, PluginError, ToolError, UsageError
from pegboard.events import start_event
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.run import Run
    from pegboard._plan import Plan


def take_up(run: Run, sent: ToolCall, index: int) -> Invocation:
    """Start a call; it is refused already if a person denied it."""
    inv = Invocation(run, sent, index)
    run.invocations.append(inv)
    if run.is_heard or run.decisions:
        _announce(run, inv)
    return inv


def _announce(run: Run, inv: Invocation) -> None:
    decision = run.decisions.get(inv.index) if run.decisions else None
    if decision is not None and isinstance(decision[0], Approve):
        inv.approval, inv.approved = decision[0], decision[1]
    if run.is_heard:
        run.reporter.emit(start_event(inv.show()))
    if decision is not None and isinstance(decision[0], Deny):
        text = f"{inv.sent.name} did not run: {decision[0].reason}"
        inv.refuse("denied", text, status="blocked")


def begin(run: Run, sent: ToolCall, index: int, plan: Plan | None = None) -> Invocation:
    """Take up a call: find its tool, read its arguments, validate them.

    What needs to await, hooks and hidden values, is left to `admit`.
    """
    inv = Invocation(run, sent, index)
    run.invocations.append(inv)
    if run.is_heard or run.decisions:
        _announce(run, inv)
        if inv.result is not None:
            return inv
    executor = run.executor
    try:
        if plan is None:
            plan = executor.plan(sent.name)
        inv.plan = plan
        if sent.truncated:
            raise InvalidArguments(
                "This call was cut off by the output limit, so it was not run. Send it"
                " again in full, or in smaller parts.",
                code="truncated_arguments",
            )
        limit = executor.settings.max_argument_bytes
        if plan.prepare:
            inv.bound = inv.read(limit)[0]
        elif not inv.takes_at_once(plan, limit):
            inv.accept(*inv.read(limit))
    except ToolError as error:
        inv.turn_down(error, _culprit(error))
    except UsageError as error:  # two tools of one name, where that is an error
        inv.turn_down(ToolError(str(error), code="tool_unavailable"))
    return inv


def _culprit(error: ToolError) -> str | None:
    if isinstance(error.__cause__, PluginError):
        return error.__cause__.plugin
    return error.details.get("plugin") if isinstance(error.details, dict) else None


def admit(run: Run, inv: Invocation, plan: Plan) -> Awaitable[None] | None:
    """Prepare, guard and inject.

    Returns:
        None if nothing had to wait, else what to await.
    """
    if plan.prepare or plan.hidden.injected:
        return _admit_late(run, inv, plan)
    found = guard(inv, plan)
    if found is None:
        if plan.resources:
            renew_lease(inv)
    elif type(found) is not ToolResult:
        return _heed(inv, found)
    del found  # its exception's traceback leads here: a circle otherwise
    return None


async def _heed(inv: Invocation, verdict: Any) -> None:
    if await verdict is None and inv.plan is not None and inv.plan.resources:
        renew_lease(inv)


async def _admit_late(run: Run, inv: Invocation, plan: Plan) -> None:
    if plan.prepare:
        value = await hooks.prepare(inv, inv.bound)
        if value is None:
            return
        try:
            inv.accept(value, None)
        except InvalidArguments as error:
            inv.turn_down(error)
            return
    found = guard(inv, plan)
    if found is not None and type(found) is not ToolResult:
        found = await found
    if found is not None:
        del found  # as in admit
        return
    if plan.hidden.injected and will_run(inv) and not await hooks.inject(inv):
        return
    if plan.resources:
        renew_lease(inv)


def will_run(inv: Invocation) -> bool:
    """Whether the body itself runs, not a preview of a dry run."""
    plan = inv.plan
    assert plan is not None
    if not inv.run.dry_run:
        return True
    return plan.tool.read_only and plan.function is not None


def renew_lease(inv: Invocation) -> None:
    """Take a place in the queue of each resource that the arguments name."""
    run = inv.run
    run.release(inv)
    assert inv.plan is not None
    assert inv.call is not None
    keys = {
        key
        for template in inv.plan.resources
        if (key := _fill(template, inv.call.arguments or {})) is not None
    }
    if keys:
        inv.lease = run.executor.resources.enter(keys, inv, run.callers_of())


def _fill(template: str, arguments: Mapping[str, Any]) -> str | None:
    """Return a resource's key; None if the arguments lack what it names."""
    try:
        return template.format_map(arguments)
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        return None
