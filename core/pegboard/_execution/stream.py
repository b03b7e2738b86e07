"""Events on their way to one consumer, however slow it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pegboard._execution.backlog import Backlog
from pegboard.events import Event


class Stream:
    """An asynchronous iterator of events that loses nothing but old updates.

    Args:
        drop: Told of each update that is dropped.
    """

    def __init__(self, drop: Callable[[], None]) -> None:
        self._backlog = Backlog(drop)
        self._ready = asyncio.Event()
        self._has_ended = False

    def put(self, event: Event) -> None:
        """Take an event; on the loop."""
        self._backlog.put(event)
        self._ready.set()

    def end(self) -> None:
        """Say that no event follows."""
        self._has_ended = True
        self._backlog.close()
        self._ready.set()

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Event:
        while not self._backlog:
            if self._has_ended:
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        return self._backlog.take()
