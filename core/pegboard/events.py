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


@dataclass(frozen=True, slots=True)
class ToolStart:
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
class ToolReturned:
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
class ToolEnd:
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
