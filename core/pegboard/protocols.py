"""What a plugin may bring besides functions: runners, dialects; and what it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pegboard.calls import Arguments, ToolCall
from pegboard.context import ToolContext
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition


@dataclass(frozen=True, slots=True)
class Body:
    """One body, ready to run.

    Attributes:
        tool: The tool's definition.
        function: The function itself.
        args: Positional arguments, bound to their Python types.
        kwargs: Keyword arguments, bound; the context and injected values included.
        context: The running call.
        arguments: The validated arguments as JSON values, for runners that must
            carry them to another process.
        hidden: Injected values by parameter, for the same runners.
        seconds: How long it may take from `begin` on, None for no limit.
        begin: To be called by a runner that `begins_late`, when the body begins.
        is_late: Whether its time is up, once it was cancelled.
    """

    tool: ToolDefinition
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    context: ToolContext
    arguments: Mapping[str, Any]
    hidden: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    begin: Callable[[], None] = lambda: None
    is_late: Callable[[], bool] = bool

    def __call__(self) -> Any:
        """Call the function."""
        return self.function(*self.args, **self.kwargs)


class Runner(Protocol):
    """Where a body runs.

    Attributes:
        remote: Whether bodies run outside this process, so that they must be found
            again by plugin and tool name.

    A runner may also have `limit`, how many bodies may run at once (further ones wait,
    and their time does not count), and `begins_late = True`, if a body begins some
    time after `run` is called: then the runner bounds that time itself and calls
    `body.begin()`, from which the tool's own time counts.
    """

    remote: bool

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what it raised.

        Cancelled when the call's time is up: raise CancelledError once the body has
        ended, or at once if it cannot be stopped (then say so: `runners.Abandoned`).
        What could not be started raises `runners.NotStarted`.
        """
        ...

    async def close(self) -> None:
        """Stop whatever the runner keeps."""
        ...


class Collector(Protocol):
    """Puts a streamed answer together."""

    def feed(self, chunk: Any) -> None:
        """Take one chunk: a dict, an SSE data line, or an SDK's object."""
        ...

    def calls(self) -> list[ToolCall]:
        """Return the complete calls, once the stream has ended."""
        ...


class Dialect(Protocol):
    """The wire format of one provider: pure functions, usually a module."""

    @property
    def tools(self) -> Callable[..., list[dict[str, Any]]]:
        """`tools(definitions, **options)`: what the provider takes as tools."""
        ...

    def calls(self, response: Any) -> list[ToolCall]:
        """Return the calls of an answer."""
        ...

    def results(self, batch: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """Return the messages to append to the conversation."""
        ...


class Host(Protocol):
    """What `lifespan` gets: tools that are known only after I/O go through it."""

    def add(self, tools: Any | Iterable[Any]) -> None:
        """Offer tools, under the plugin's name."""
        ...

    def remove(self, name: str) -> None:
        """Stop offering a tool of the plugin."""
        ...

    async def call(self, name: str, arguments: Arguments = None) -> ToolResult:
        """Call any tool of the board, through the whole path."""
        ...
