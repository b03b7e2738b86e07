"""A ToolContext without a running call, for plain unit tests of bodies."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pegboard._conversion import as_tool
from pegboard.calls import Arguments, ToolCall
from pegboard.content import Content, TextContent
from pegboard.context import ToolContext
from pegboard.schemas import ToolDefinition
from pegboard.testing._boards import make_board


@dataclass(frozen=True, slots=True)
class Update:
    """One partial result that a body sent.

    Attributes:
        content: What can be shown.
        details: For user interfaces.
    """

    content: tuple[Content, ...]
    details: Any = None

    @property
    def text(self) -> str:
        """The text blocks, a line break between two."""
        texts = [block.text for block in self.content if isinstance(block, TextContent)]
        return "\n".join(texts)


class RecordingContext(ToolContext):
    """A ToolContext that keeps what the body sends.

    Attributes:
        updates: The updates in the order sent.
    """

    __slots__ = ("_is_cancelled", "updates")

    def __init__(self, call: ToolCall, tool: ToolDefinition, **options: Any) -> None:
        self.updates: list[Update] = []
        self._is_cancelled = False
        super().__init__(
            call, tool, send=self._record, stopped=lambda: self._is_cancelled, **options
        )

    def _record(self, content: tuple[Content, ...], details: Any) -> None:
        self.updates.append(Update(content, details))

    def cancel(self) -> None:
        """Let the body find that nobody waits for its result any more."""
        self._is_cancelled = True


def make_context(
    tool: Any = None,
    arguments: Arguments = None,
    *,
    tools: Iterable[Any] = (),
    id: str = "call_1",
    attempt: int = 1,
    idempotency_key: str = "batch_1:0",
    metadata: Mapping[str, Any] | None = None,
    seconds_left: float | None = None,
) -> RecordingContext:
    """Return the context of a call that nobody runs.

    Args:
        tool: The tool under test, or anything that can be one; None for none.
        arguments: What `context.call_made` says that the model sent.
        tools: What `context.call` can call, through the whole path.
        id: The call's id.
        attempt: Which try it is.
        idempotency_key: The same for every try.
        metadata: What the host says of the caller.
        seconds_left: What `context.deadline` counts down from; None for no limit.
    """
    definition = ToolDefinition("tool") if tool is None else as_tool(tool).definition
    board = make_board(tools)
    return RecordingContext(
        ToolCall(definition.name, arguments, id=id),
        definition,
        attempt=attempt,
        idempotency_key=idempotency_key,
        metadata=metadata,
        deadline=None if seconds_left is None else time.monotonic() + seconds_left,
        invoke=board.call,
        invoke_sync=board.call_sync,
    )
