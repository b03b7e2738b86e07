"""What a person sees of a batch while it runs; on a terminal only, and on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from pegboard.cli.terminal import clean, console, is_terminal
from pegboard.content import TextContent
from pegboard.events import Event, ToolEnd, ToolReturned, ToolStart, ToolUpdate

if TYPE_CHECKING:
    from pegboard.calls import ToolCall

#: Running calls that are shown at once.
SHOWN = 8


class Progress(Protocol):
    """Takes the events of a batch."""

    def __call__(self, event: Event) -> None:
        """Show what has happened."""


@contextmanager
def showing(calls: Sequence[ToolCall]) -> Iterator[Progress]:
    """Show the calls that run, each with its latest update, until the block ends."""
    if not is_terminal(sys.stderr):
        yield lambda event: None
        return
    from rich.live import Live  # late: 100 ms, and for terminals only

    display = _Display(len(calls))
    target = console(sys.stderr)
    display.ascii = target.options.ascii_only
    with Live(display, console=target, transient=True, refresh_per_second=10):
        yield display


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show that something goes on until the block ends."""
    if not is_terminal(sys.stderr):
        yield
        return
    target = console(sys.stderr)
    spinner = "line" if target.options.ascii_only else "dots"
    with target.status(text, spinner=spinner):
        yield


class _Display:
    """The calls in flight, drawn anew ten times a second."""

    def __init__(self, total: int) -> None:
        self.ascii = False
        self._total = total
        self._done = 0
        self._running: dict[int, tuple[str, float, str]] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, ToolStart):
            self._running[event.call.index] = (event.call.name, time.monotonic(), "")
        elif isinstance(event, ToolUpdate) and event.call.index in self._running:
            name, since, _ = self._running[event.call.index]
            self._running[event.call.index] = (name, since, _last_line(event))
        elif isinstance(event, ToolReturned | ToolEnd):
            if self._running.pop(event.call.index, None):
                self._done += 1

    def __rich__(self) -> Any:
        from rich.spinner import Spinner  # late, as above
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 1))
        grid.add_column()
        grid.add_column(no_wrap=True)
        grid.add_column(justify="right", no_wrap=True)
        grid.add_column(no_wrap=True, overflow="ellipsis", style="dim")
        now, running = time.monotonic(), list(self._running.values())
        spinner = Spinner("line" if self.ascii else "dots")
        for name, since, line in running[:SHOWN]:
            took = Text(f"{now - since:.0f} s" if now - since >= 1 else "")
            grid.add_row(spinner, Text(clean(name)), took, Text(clean(line)))
        if self._total > 1:
            more = len(running) - SHOWN
            hidden = f", {more} more running" if more > 0 else ""
            grid.add_row("", Text(f"{self._done} of {self._total} done{hidden}"))
        return grid


def _last_line(update: ToolUpdate) -> str:
    texts = [block.text for block in update.content if isinstance(block, TextContent)]
    lines = "\n".join(texts).strip().splitlines()
    return lines[-1] if lines else ""
