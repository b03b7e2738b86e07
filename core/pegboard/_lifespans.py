"""What plugins open and close once a board, held by one task.

Context managers must be left in the task that entered them, and a board may be closed
from anywhere; so a task of their own holds them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from typing import Any

from pegboard._deadline import within
from pegboard.errors import PluginError

log = logging.getLogger("pegboard")


class Lifespans:
    """The lifespans of one board's plugins, outside in.

    Args:
        make: Returns `(plugin's name, a function that makes its context manager)` for
            each, the outermost first; asked when they are opened.
        failed: Told of each that could not be entered.
        grace: Seconds that each may take to close.

    Attributes:
        loop: The loop on which they are entered, None while they are not.
    """

    def __init__(
        self,
        make: Callable[[], Iterable[tuple[str, Callable[[], Any]]]],
        failed: Callable[[PluginError], None],
        grace: float,
    ) -> None:
        self._make = make
        self._failed = failed
        self._grace = grace
        self._closing: asyncio.Event | None = None
        self._opened: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    async def open(self) -> None:
        """Enter all of them, once a loop; a second caller waits for the first."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened.get_loop() is not loop:
            makers = list(self._make())
            self._opened, self._closing = loop.create_future(), asyncio.Event()
            if makers:
                hold = self._hold(makers, self._opened, self._closing)
                self._task = loop.create_task(hold)
            else:
                self._opened.set_result(None)
        await asyncio.shield(self._opened)
        self.loop = loop

    async def _hold(
        self,
        makers: list[tuple[str, Callable[[], Any]]],
        opened: asyncio.Future[None],
        closing: asyncio.Event,
    ) -> None:
        async with AsyncExitStack() as stack:
            for name, make in makers:
                try:
                    manager = make()
                    if manager is None:
                        continue
                    await manager.__aenter__()
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    self._failed(
                        PluginError(
                            f"plugin {name!r} failed in lifespan:"
                            f" {type(error).__name__}: {error}",
                            plugin=name,
                        )
                    )
                else:
                    stack.push_async_callback(self._leave, name, manager)
            opened.set_result(None)
            await closing.wait()

    async def _leave(self, name: str, manager: Any) -> None:
        try:
            await within(manager.__aexit__(None, None, None), self._grace, 0.0)
        except Exception as error:
            kind = type(error).__name__
            log.warning("plugin %s failed to close its lifespan: %s", name, kind)

    async def close(self) -> None:
        """Leave all of them, the innermost first; they may be opened again."""
        if self._task is not None and self._closing is not None:
            self._closing.set()
            await asyncio.wait([self._task])
        self._task = self._opened = self._closing = self.loop = None
