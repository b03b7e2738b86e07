"""What a batch of calls comes back as, and what of it still waits for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

from pegboard._frozen import freeze, thaw
from pegboard.calls import ToolCall
from pegboard.errors import UsageError
from pegboard.results import ToolResult

FORMAT = 1


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A deferred call: what a person is asked about.

    Attributes:
        position: Place in the batch, from 0.
        call: The call as the model made it.
        tool: The tool's identity, `plugin:tool`.
        arguments: What the tool would run with; read-only.
        reason: Why it waits.
        by: The plugin that deferred it.
    """

    position: int
    call: ToolCall
    tool: str
    arguments: Mapping[str, Any]
    reason: str
    by: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the pending call as a JSON object."""
        return {
            "position": self.position,
            "call": self.call.to_dict(),
            "tool": self.tool,
            "arguments": thaw(self.arguments),
            "reason": self.reason,
            "by": self.by,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a pending call of what `to_dict` returned."""
        arguments = value["arguments"]
        if not isinstance(arguments, Mapping):
            raise TypeError(f"arguments are no {type(arguments).__name__}")
        return cls(
            int(value["position"]),
            ToolCall.from_dict(value["call"]),
            str(value["tool"]),
            freeze(dict(arguments)),
            str(value["reason"]),
            value.get("by"),
        )


class BatchResult(Sequence[ToolResult]):
    """One result a call, in call order.

    Attributes:
        results: The results.
        pending: The calls that wait for a person, in call order.
        id: Names the batch; a call's idempotency key is made of it and the position.
        dropped: How many updates were dropped: late ones, or beyond 1,000 waiting.
    """

    __slots__ = ("dropped", "id", "pending", "results")

    def __init__(
        self,
        results: Sequence[ToolResult],
        *,
        pending: Sequence[PendingCall] = (),
        id: str = "",
        dropped: int = 0,
    ) -> None:
        self.results = tuple(results)
        self.pending = tuple(pending)
        self.id = id
        self.dropped = dropped

    @property
    def terminate(self) -> bool:
        """Whether there is a result and every one asks to end the turn."""
        return bool(self.results) and all(r.terminate for r in self.results)

    @overload
    def __getitem__(self, index: int) -> ToolResult: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ToolResult, ...]: ...
    def __getitem__(self, index: int | slice) -> ToolResult | tuple[ToolResult, ...]:
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[ToolResult]:
        return iter(self.results)

    def __repr__(self) -> str:
        return f"<BatchResult of {len(self)}: {[r.code or r.status for r in self]}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the batch as a JSON object."""
        return {
            "pegboard_batch": FORMAT,
            "id": self.id,
            "results": [result.to_dict() for result in self.results],
            "pending": [call.to_dict() for call in self.pending],
        }

    def to_json(self) -> str:
        """Return the batch as ASCII JSON text, to be resumed in another process."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Make a batch of what `to_json` returned.

        Raises:
            UsageError: it is no such text.
        """
        try:
            value = json.loads(text)
            if value["pegboard_batch"] != FORMAT:
                raise ValueError(f"format {value['pegboard_batch']!r} is not {FORMAT}")
            return cls(
                [ToolResult.from_dict(result) for result in value["results"]],
                pending=[PendingCall.from_dict(call) for call in value["pending"]],
                id=str(value["id"]),
            )
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            UsageError,
        ) as error:
            raise UsageError(f"this text is no saved batch: {error!r}") from None
