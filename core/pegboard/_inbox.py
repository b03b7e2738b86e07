"""What threads hand to an event loop: in order, with one wake-up for many."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Callable
from typing import Any


class Inbox:
    """Functions that a loop is to call, put in from any thread.

    Completions and updates share one inbox, so that an update sent before a body ended
    is delivered before its end, too.
    """

    __slots__ = ("_is_awake", "_items", "_loop")

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._items: collections.deque[tuple[Callable[..., None], tuple[Any, ...]]] = (
            collections.deque()
        )
        self._is_awake = False

    def adopt(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve another loop; what waits for one that is gone is forgotten."""
        if loop is not self._loop:
            self._items.clear()
            self._loop, self._is_awake = loop, False

    def put(self, function: Callable[..., None], *args: Any) -> None:
        """Have the loop call a function soon."""
        self._items.append((function, args))
        if not self._is_awake:
            self._wake()

    def _wake(self) -> None:
        self._is_awake = True
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:
            self._items.clear()  # the loop is closed: nobody is left to hear of it

    def _deliver(self) -> None:
        """Call what waits by now, and no more, so that a flood leaves the loop time."""
        self._is_awake = False
        try:
            for _ in range(len(self._items)):
                function, args = self._items.popleft()
                function(*args)
        finally:
            if self._items and not self._is_awake:
                self._wake()
