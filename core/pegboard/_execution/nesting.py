"""Tools that call tools: in the caller's slot and cancel scope, not without end."""

from __future__ import annotations

import threading

from pegboard._execution.invocation import Invocation
from pegboard._execution.run import Run
from pegboard.calls import Arguments, make_call
from pegboard.errors import UsageError
from pegboard.results import ToolResult

#: How deep tools may call tools.
MAX_DEPTH = 8


async def call(inv: Invocation, name: str, arguments: Arguments) -> ToolResult:
    """Call another tool from a body, through the whole path."""
    if inv.ended:
        raise UsageError(f"{inv.sent.name} has ended: it can call nothing more")
    outer = inv.run
    sent = make_call(name, arguments, outer.executor.new_id())
    run = Run(
        outer.executor, metadata=outer.metadata, dry_run=outer.dry_run, parent=inv
    )
    if run.depth > MAX_DEPTH:
        return Invocation(run, sent, 0).refuse(
            "blocked",
            f"{name} did not run: tools call each other {MAX_DEPTH} deep at most",
            status="blocked",
        )
    return await run.single(sent)


def call_sync(inv: Invocation, name: str, arguments: Arguments) -> ToolResult:
    """Do what `call` does, from a body's thread."""
    executor = inv.run.executor
    if threading.get_ident() == executor.thread:
        raise UsageError("call_sync would stop the loop it waits for; await call()")
    made = executor.door.start(lambda: call(inv, name, arguments))
    inv.children.append(made)
    return made.result()
