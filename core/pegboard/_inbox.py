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

    __slots__ = ("_awake", "_items", "loop")

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._items: collections.deque[tuple[Callable[..., None], tuple[Any, ...]]] = (
            collections.deque()
        )
        self._awake = False

    def put(self, function: Callable[..., None], *args: Any) -> None:
        """Have the loop call a function soon."""
        self._items.append((function, args))
        if not self._awake and self.loop is not None:
            self._awake = True
            try:
                self.loop.call_soon_threadsafe(self.deliver)
            except RuntimeError:
                # The loop is closed: nobody is left to hear of it.
                self._items.clear()
                self._awake = False

    def deliver(self) -> None:
        """Call all that waits; on the loop."""
        self._awake = False
        while self._items:
            function, args = self._items.popleft()
            function(*args)
