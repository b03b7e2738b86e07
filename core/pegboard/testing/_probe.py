"""A runner that stands between the executor and a body, and watches the body."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from pegboard.hookspecs import hookimpl
from pegboard.protocols import Body, Runner
from pegboard.runners import InlineRunner, ThreadRunner
from pegboard.tools import Tool

PROBE = "pegboard-testing"


class Probe:
    """Runs a tool where it would run, and sees what its body does.

    Args:
        tool: The tool that is watched.

    Attributes:
        started: Called once a body runs; on the loop.
        ended: Set once a body came back, in whatever thread it ran.
        raised: What the last body raised, None if it returned.
        changed: Parameters whose values a body changed.
    """

    name = PROBE
    remote = False

    def __init__(self, tool: Tool[..., Any]) -> None:
        is_inline = tool.is_async or tool.runner == "inline"
        self._inner: Runner = InlineRunner() if is_inline else ThreadRunner()
        self._hidden = tool.hidden.names
        self.started: Callable[[], object] = bool
        self.ended = threading.Event()
        self.raised: BaseException | None = None
        self.changed: set[str] = set()

    @hookimpl
    def register_runners(self) -> dict[str, Runner]:
        """Let the tool under test choose this runner."""
        return {PROBE: self}

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what it raised."""
        self.ended.clear()
        self.raised = None
        before = self._picture(body)
        loop = asyncio.get_running_loop()
        watched = self._watched(body, loop)
        try:
            return await self._inner.run(replace(body, function=watched))
        except BaseException as error:
            self.raised = error
            raise
        finally:
            after = self._picture(body)
            self.changed |= {name for name in before if before[name] != after[name]}

    def _watched(
        self, body: Body, loop: asyncio.AbstractEventLoop
    ) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            value = None
            loop.call_soon_threadsafe(self.started)
            try:
                value = body.function(*args, **kwargs)
            finally:
                if not _goes_on(value):
                    self.ended.set()
            if inspect.isgenerator(value):
                return self._to_the_end(value)
            return self._awaited(value) if hasattr(value, "__await__") else value

        return call

    def _to_the_end(self, value: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        try:
            return (yield from value)
        finally:
            self.ended.set()

    async def _awaited(self, value: Any) -> Any:
        try:
            return await value
        finally:
            self.ended.set()

    def _picture(self, body: Body) -> dict[str, str]:
        """Return a text of each value that a model gave, to tell changes by."""
        names = inspect.signature(body.function).parameters
        given = dict(zip(names, body.args, strict=False)) | dict(body.kwargs)
        return {
            name: repr(value)
            for name, value in given.items()
            if name not in self._hidden
        }

    async def close(self) -> None:
        """Stop the runner inside."""
        await self._inner.close()


def _goes_on(value: Any) -> bool:
    """Whether a body is not over when its function returned."""
    return inspect.isgenerator(value) or hasattr(value, "__await__")


async def is_over(probe: Probe, seconds: float) -> bool:
    """Return whether the body comes back within so many seconds."""
    return await asyncio.to_thread(probe.ended.wait, seconds)
