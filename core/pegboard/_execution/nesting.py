"""Tools that call tools: in the caller's slot and cancel scope, not without end."""

from __future__ import annotations

import asyncio
import threading

from pegboard._execution.ids import new_id
from pegboard._execution.invocation import Invocation
from pegboard._execution.run import Run
from pegboard.calls import Arguments, make_call
from pegboard.decisions import Abort
from pegboard.errors import UsageError
from pegboard.results import ToolResult

#: How deep tools may call tools.
MAX_DEPTH = 8


async def call(inv: Invocation, name: str, arguments: Arguments) -> ToolResult:
    """Call another tool from a body, through the whole path.

    Raises:
        UsageError: the body has ended, or runs on another loop than its board.
        Abort: a hook or middleware of the call raised it; the caller's batch ends, too.
    """
    outer, executor = inv.run, inv.run.executor
    if threading.get_ident() != executor.thread:
        raise UsageError("call() belongs on the board's own loop; use call_sync() here")
    if inv.ended:
        raise UsageError(f"{inv.sent.name} has ended: it can call nothing more")
    inv.nested += 1
    run = Run(
        executor,
        metadata=outer.metadata,
        dry_run=outer.dry_run,
        parent=inv,
        id=f"{inv.key}.{inv.nested}",
    )
    sent = make_call(name, arguments, new_id())
    if run.depth > MAX_DEPTH:
        return Invocation(run, sent, 0).refuse(
            "blocked",
            f"{name} did not run: tools call each other {MAX_DEPTH} deep at most",
            status="blocked",
        )
    try:
        return await run.single(sent)
    except Abort as abort:
        outer.abort(abort)  # whatever the body makes of it
        raise


def call_sync(inv: Invocation, name: str, arguments: Arguments) -> ToolResult:
    """Do what `call` does, from a body's thread."""
    executor = inv.run.executor
    if threading.get_ident() == executor.thread:
        raise UsageError("call_sync would stop the loop it waits for; await call()")
    return executor.door.start(lambda: _as_child(inv, name, arguments))[1].result()


async def _as_child(inv: Invocation, name: str, arguments: Arguments) -> ToolResult:
    task = asyncio.current_task()
    assert task is not None
    if inv.children is None:
        inv.children = set()
    inv.children.add(task)
    try:
        return await call(inv, name, arguments)
    finally:
        inv.children.discard(task)


async def stop_children(inv: Invocation) -> None:
    """End the calls that a body's thread still waits for; each has its own grace."""
    while inv.children:
        for child in inv.children:
            child.cancel()
        await asyncio.wait(inv.children)
