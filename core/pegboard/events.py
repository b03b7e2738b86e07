"""Events: what observers and `stream` see of a batch.

Every call has exactly one ToolStart and one ToolEnd; updates and ToolReturned, if
any, come between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pegboard.batches import BatchResult
from pegboard.calls import PreparedCall
from pegboard.content import Content
from pegboard.results import Status, ToolResult


class OpenStart:
    """The open twin of ToolStart, for the executor: made at every call."""

    __slots__ = ("call",)


class OpenReturned:
    """The open twin of ToolReturned."""

    __slots__ = ("call", "duration", "status")


class OpenEnd:
    """The open twin of ToolEnd."""

    __slots__ = ("call", "result")


@dataclass(frozen=True, slots=True)
class ToolStart(OpenStart):
    """A call is taken up; its tool and arguments are not known yet."""

    call: PreparedCall


@dataclass(frozen=True, slots=True)
class ToolUpdate:
    """A partial result, in the order sent.

    Attributes:
        call: The call whose body sent it.
        content: What can be shown.
        details: For user interfaces: any JSON value.
    """

    call: PreparedCall
    content: tuple[Content, ...] = ()
    details: Any = None


@dataclass(frozen=True, slots=True)
class ToolReturned(OpenReturned):
    """A body ended; its result is not final yet.

    Attributes:
        call: The call whose body ended.
        status: The status so far.
        duration: Seconds since the call's start.
    """

    call: PreparedCall
    status: Status
    duration: float


@dataclass(frozen=True, slots=True)
class ToolEnd(OpenEnd):
    """A call has its final result."""

    call: PreparedCall
    result: ToolResult


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """The last event of a stream: the whole batch."""

    batch: BatchResult


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """Tools were added to or removed from the board.

    Attributes:
        added: Offered names that are new.
        removed: Offered names that are gone.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


Event = ToolStart | ToolUpdate | ToolReturned | ToolEnd | BatchEnd | ToolsChanged


def start_event(call: PreparedCall) -> ToolStart:
    """Return a ToolStart, faster than its constructor."""
    event: Any = OpenStart()
    event.call = call
    event.__class__ = ToolStart
    return event  # type: ignore[no-any-return]  # it has just become one


def returned_event(call: PreparedCall, result: ToolResult) -> ToolReturned:
    """Return a ToolReturned, faster than its constructor."""
    event: Any = OpenReturned()
    event.call = call
    event.status = result.status
    event.duration = result.duration
    event.__class__ = ToolReturned
    return event  # type: ignore[no-any-return]  # it has just become one


def end_event(call: PreparedCall, result: ToolResult) -> ToolEnd:
    """Return a ToolEnd, faster than its constructor."""
    event: Any = OpenEnd()
    event.call = call
    event.result = result
    event.__class__ = ToolEnd
    return event  # type: ignore[no-any-return]  # it has just become one
