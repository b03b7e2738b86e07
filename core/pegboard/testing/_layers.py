"""What a middleware promises: results come back, and nothing is swallowed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from pegboard.calls import PreparedCall, ToolCall, prepare_call
from pegboard.decisions import Abort
from pegboard.middleware import Middleware
from pegboard.results import ToolResult

#: Seconds that a middleware may take around a body that takes none.
LIMIT = 10.0
Fault = tuple[str, str, str]
Answer = Callable[[PreparedCall], ToolResult]


class _Inner:
    """The rest of the chain, as a middleware sees it.

    Attributes:
        calls: How many calls came through.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.calls = 0

    def __call__(self, call: PreparedCall) -> Awaitable[ToolResult]:
        self.calls += 1
        return self._run(call)

    async def _run(self, call: PreparedCall) -> ToolResult:
        await asyncio.sleep(0)
        return self._answer(call)


async def check_layer(
    middleware: Middleware, call: PreparedCall
) -> AsyncIterator[Fault]:
    """Yield promise, message and remedy of what a middleware does not keep."""
    inner = _Inner(lambda call: ToolResult("done", call=call.sent))
    result = await _result(middleware, call, inner)
    if type(result) is not ToolResult:
        said = f"gave {_said(result)}, so the call would be middleware_failed"
        yield "specs", said, "Return a ToolResult: what call_next gave, or another."
        return
    for raised in (asyncio.CancelledError(), Abort("on purpose")):
        inner = _Inner(_raising(raised))
        result = await _result(middleware, call, inner)
        if inner.calls and type(result) is not type(raised):
            yield (
                "cancellation",
                f"swallows {type(raised).__name__} out of call_next",
                "Catch Exception, not BaseException, and let Abort pass.",
            )
    inner = _Inner(lambda call: ToolResult("no", code="blocked", call=call.sent))
    result = await _result(middleware, call, inner)
    if inner.calls and getattr(result, "status", "") == "success":
        said = "makes a success of a call that was blocked inside it"
        yield "closed", said, "Pass on a result that is an error."
    if not await _keeps_apart(middleware, call):
        said = "mixes up two calls that overlap"
        yield "overlap", said, "Keep state by call, in local variables."


async def _keeps_apart(middleware: Middleware, call: PreparedCall) -> bool:
    """Return whether two calls at once each get the result of their own."""
    inner = _Inner(lambda call: ToolResult(call.id, call=call.sent))
    pair = [_renamed(call, "first"), _renamed(call, "second")]
    results = await asyncio.gather(*(_result(middleware, c, inner) for c in pair))
    ids = [getattr(getattr(result, "call", None), "id", None) for result in results]
    return all(found in (None, own.id) for found, own in zip(ids, pair, strict=True))


def _renamed(call: PreparedCall, id: str) -> PreparedCall:
    sent = ToolCall(call.name, call.sent.arguments, id=id)
    value = dict(call.arguments or {})
    return prepare_call(sent, 0, call.tool, value, metadata=call.metadata)


def _raising(error: BaseException) -> Answer:
    def answer(call: PreparedCall) -> ToolResult:
        raise error

    return answer


async def _result(
    middleware: Middleware, call: PreparedCall, inner: _Inner
) -> ToolResult | BaseException:
    """Return what a middleware gave, or what it raised."""
    task = asyncio.ensure_future(_started(middleware, call, inner))
    done, _ = await asyncio.wait([task], timeout=LIMIT)
    if not done:
        task.cancel()
        return TimeoutError(f"it took longer than {LIMIT:g} s")
    return task.result()


async def _started(
    middleware: Middleware, call: PreparedCall, inner: _Inner
) -> ToolResult | BaseException:
    try:
        return await middleware(call, inner)
    except BaseException as error:
        return error


def _said(result: Any) -> str:
    if isinstance(result, BaseException):
        return f"{type(result).__name__}: {result}".rstrip(": ")
    return repr(type(result).__name__)
