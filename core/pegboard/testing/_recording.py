"""A plugin that records every hook and every event, in order."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pegboard.calls import PreparedCall
from pegboard.events import Event
from pegboard.hookspecs import hookimpl
from pegboard.middleware import CallNext, Middleware
from pegboard.protocols import Host
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was recorded.

    Attributes:
        name: The hook's name; of `on_event` the event's class; "middleware" when its
            middleware is entered, "middleware returned" when it is left; "lifespan"
            and "lifespan closed".
        call: The id of the call, "" if the step belongs to none.
        value: What was passed: the call, the result (for `after_tool_call` and
            "middleware returned"), the event, the tool, the host, or None.
    """

    name: str
    call: str = ""
    value: Any = None


class RecordingPlugin:
    """Implements every hook, records each call of them, and changes nothing.

    Args:
        name: The plugin's name, which decides over its place.

    Attributes:
        steps: What was recorded, in order.
    """

    def __init__(self, name: str = "recording") -> None:
        self.name = name
        self.steps: list[Step] = []

    def names(self, call: str | None = None) -> list[str]:
        """Return the names of the steps in order.

        Args:
            call: Only those of the call of this id.
        """
        return [step.name for step in self.steps if call is None or step.call == call]

    @property
    def events(self) -> list[Event]:
        """The events in order."""
        return [s.value for s in self.steps if s.name == type(s.value).__name__]

    def _record(self, name: str, call: str = "", value: Any = None) -> None:
        self.steps.append(Step(name, call, value))

    @hookimpl
    def register_tools(self) -> None:
        """Record that tools are asked for."""
        self._record("register_tools")

    @hookimpl
    def register_runners(self) -> None:
        """Record that runners are asked for."""
        self._record("register_runners")

    @hookimpl
    @asynccontextmanager
    async def lifespan(self, host: Host) -> AsyncIterator[None]:
        """Record that the board is opened, and closed."""
        self._record("lifespan", value=host)
        yield
        self._record("lifespan closed", value=host)

    @hookimpl
    def prepare_arguments(self, call: PreparedCall) -> None:
        """Record the call before validation."""
        self._record("prepare_arguments", call.id, call)

    @hookimpl
    def before_tool_call(self, call: PreparedCall) -> None:
        """Record the call before execution."""
        self._record("before_tool_call", call.id, call)

    @hookimpl
    def inject(self, tool: ToolDefinition, name: str) -> None:
        """Record the name of a value that a tool needs."""
        self._record("inject", value=name)

    @hookimpl
    def tool_middleware(self, tool: ToolDefinition) -> Middleware:
        """Record the tool whose chain is built; return a middleware that records."""
        self._record("tool_middleware", value=tool)

        async def middleware(call: PreparedCall, call_next: CallNext) -> ToolResult:
            self._record("middleware", call.id, call)
            result = await call_next(call)
            self._record("middleware returned", call.id, result)
            return result

        return middleware

    @hookimpl
    def after_tool_call(self, call: PreparedCall, result: ToolResult) -> None:
        """Record the result."""
        self._record("after_tool_call", call.id, result)

    @hookimpl
    def on_event(self, event: Event) -> None:
        """Record the event."""
        call = getattr(event, "call", None)
        self._record(type(event).__name__, call.id if call else "", event)
