"""Middleware: code that wraps a call; and the one that is always at hand, logging."""

from __future__ import annotations

import logging as stdlib_logging
from collections.abc import Awaitable, Callable

from pegboard.calls import PreparedCall
from pegboard.results import ToolResult

#: Runs the rest of the chain and the body. May be awaited several times, or not at all.
CallNext = Callable[[PreparedCall], Awaitable[ToolResult]]

#: `async def middleware(call, call_next) -> ToolResult`.
Middleware = Callable[[PreparedCall, CallNext], Awaitable[ToolResult]]


def logging(
    logger: stdlib_logging.Logger | None = None, level: int = stdlib_logging.INFO
) -> Middleware:
    """Return a middleware that logs each call's tool, status and duration.

    Values of arguments and results are never logged.

    Args:
        logger: Where to; None means the logger `pegboard.calls`.
        level: The level of the records.
    """
    log = logger or stdlib_logging.getLogger("pegboard.calls")

    async def log_call(call: PreparedCall, call_next: CallNext) -> ToolResult:
        result = await call_next(call)
        log.log(
            level,
            "%s %s in %.3f s (call %s)",
            call.tool.id if call.tool else call.name,
            result.code or result.status,
            result.duration,
            call.id,
        )
        return result

    return log_call
