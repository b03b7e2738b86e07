"""What a tool's body may know and do besides its arguments."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from pegboard import content as content_module
from pegboard.calls import Arguments, ToolCall
from pegboard.content import Content
from pegboard.errors import UsageError
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

Send = Callable[[tuple[Content, ...], Any], None]
Invoke = Callable[[str, Arguments], Awaitable[ToolResult]]


def _unconnected(*args: object) -> Any:
    raise UsageError("this ToolContext belongs to no running call")


class ToolContext:
    """The running call, given to a parameter that is annotated with this class.

    Attributes:
        call: The call as the model made it.
        tool: The tool's definition.
        attempt: 1 at the first try, one more at each retry.
        idempotency_key: The same for every try of this call, resumed ones included.
        metadata: What the host said of the caller; the model never sees it.
        log: A logger named after the tool.
    """

    __slots__ = (
        "_deadline",
        "_invoke",
        "_invoke_sync",
        "_send",
        "_stopped",
        "attempt",
        "call_made",
        "idempotency_key",
        "metadata",
        "tool",
    )

    def __init__(
        self,
        call: ToolCall,
        tool: ToolDefinition,
        *,
        attempt: int = 1,
        idempotency_key: str = "",
        metadata: Mapping[str, Any] | None = None,
        deadline: float | None = None,
        send: Send = _unconnected,
        stopped: Callable[[], bool] = bool,
        invoke: Invoke = _unconnected,
        invoke_sync: Callable[[str, Arguments], ToolResult] = _unconnected,
    ) -> None:
        self.call_made = call
        self.tool = tool
        self.attempt = attempt
        self.idempotency_key = idempotency_key
        self.metadata = metadata or {}
        self._deadline = deadline
        self._send = send
        self._stopped = stopped
        self._invoke = invoke
        self._invoke_sync = invoke_sync

    @property
    def call_id(self) -> str:
        """The call's id."""
        return self.call_made.id

    @property
    def log(self) -> logging.Logger:
        """A logger named after the tool."""
        return logging.getLogger(f"pegboard.tools.{self.tool.name}")

    @property
    def deadline(self) -> float | None:
        """Seconds left before the call times out, None if it has no limit."""
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - time.monotonic())

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more; to poll in a thread."""
        return self._stopped()

    def update(
        self,
        content: str | Content | Iterable[Content] = (),
        *,
        details: Any = None,
    ) -> None:
        """Show a partial result at once; from any thread.

        Args:
            content: What can be shown.
            details: For user interfaces: any JSON value.
        """
        self._send(content_module.blocks(content), details)

    async def call(self, name: str, arguments: Arguments = None) -> ToolResult:
        """Call another tool through the whole path, in this call's slot.

        Every hook and middleware applies; at most 8 calls deep.

        Args:
            name: The tool's offered name.
            arguments: As a model would send them.
        """
        return await self._invoke(name, arguments)

    def call_sync(self, name: str, arguments: Arguments = None) -> ToolResult:
        """Do what `call` does, for a body that runs in a thread."""
        return self._invoke_sync(name, arguments)
