"""A body with all that it may know and do, ready for its runner."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from pegboard._clock import Watch
from pegboard._execution import nesting
from pegboard._execution.invocation import Invocation
from pegboard.content import Content
from pegboard.context import ToolContext
from pegboard.protocols import Body


def make_body(inv: Invocation, watch: Watch, attempt: int) -> Body:
    """Return the body of a call that the guards have passed."""
    plan = inv.plan
    assert plan is not None
    assert plan.function is not None
    assert inv.call is not None
    context = _context(inv, watch, attempt)
    args, kwargs = inv.bound if plan.single is None else ((), {plan.single: inv.bound})
    hidden = dict(inv.injected or {})
    if plan.hidden.context:
        hidden[plan.hidden.context] = context
    left = plan.timeout
    if watch.deadline is not None:
        left = watch.deadline - asyncio.get_running_loop().time()
    return Body(
        plan.tool,
        plan.function,
        args,
        {**kwargs, **hidden} if hidden else kwargs,
        context,
        (inv.call.arguments if plan.runner and plan.runner.remote else None) or {},
        inv.injected or {},
        seconds=left,
        begin=partial(watch.begin, left),
        is_late=lambda: watch.expired,
    )


def _context(inv: Invocation, watch: Watch, attempt: int) -> ToolContext:
    plan, run = inv.plan, inv.run
    assert plan is not None
    turn = inv.turn = inv.turn + 1

    def send(content: tuple[Content, ...], details: Any) -> None:
        if inv.turn == turn:
            run.reporter.update(inv, content, details)
        else:
            run.reporter.drop()  # of a body that ran before this one

    return ToolContext(
        inv.sent,
        plan.tool,
        attempt=attempt,
        idempotency_key=inv.key,
        metadata=run.metadata,
        deadline=watch.deadline,
        send=send,
        stopped=lambda: inv.ended or inv.stopping or watch.expired or inv.turn != turn,
        invoke=partial(nesting.call, inv),
        invoke_sync=partial(nesting.call_sync, inv),
    )
