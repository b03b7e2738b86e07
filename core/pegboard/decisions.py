"""What guards and people may decide about a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pegboard.errors import PegboardError

if TYPE_CHECKING:
    from pegboard.batches import BatchResult
    from pegboard.results import ToolResult


@dataclass(frozen=True, slots=True)
class Block:
    """Decision of a guard: the call does not run.

    Attributes:
        reason: What the model reads.
        code: The result's code: `blocked`, `denied` or `rate_limited`.
    """

    reason: str
    code: str = "blocked"


@dataclass(frozen=True, slots=True)
class Respond:
    """Decision of a guard: this result is the answer; the tool does not run."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class Defer:
    """Decision of a guard: the call waits for a person.

    Attributes:
        reason: What the person, and for now the model, reads.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Approve:
    """Decision of a person: a deferred call may run.

    Attributes:
        arguments: Other arguments to run it with, or None for those shown.
    """

    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Deny:
    """Decision of a person: a deferred call does not run.

    Attributes:
        reason: What the model reads.
    """

    reason: str = "a person denied this call"


class Abort(PegboardError):
    """Raised on purpose by a hook or middleware: ends the batch and leaves run().

    Attributes:
        batch: One result a call, set by the executor before it re-raises.
    """

    batch: BatchResult | None = None
