"""Events on their way to one consumer, however slow it is."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from pegboard.events import Event, ToolUpdate

#: Updates of one call that wait for the consumer at most; then the oldest are dropped.
MAX_WAITING = 1_000


class Stream:
    """A queue of events that loses nothing but old updates.

    Args:
        drop: Told of each update that is dropped.
    """

    def __init__(self, drop: Callable[[], None]) -> None:
        self._drop = drop
        self._queue: deque[Event | deque[ToolUpdate]] = deque()
        self._updates: dict[int, deque[ToolUpdate]] = {}
        self._ready = asyncio.Event()
        self._ended = False

    def put(self, event: Event) -> None:
        """Take an event; on the loop."""
        if isinstance(event, ToolUpdate):
            waiting = self._updates.setdefault(event.call.index, deque())
            waiting.append(event)
            if len(waiting) > MAX_WAITING:
                waiting.popleft()
                self._drop()
            else:
                # A place in the queue stands for "the next update of that call".
                self._queue.append(waiting)
        else:
            self._queue.append(event)
        self._ready.set()

    def end(self) -> None:
        """Say that no event follows."""
        self._ended = True
        self._ready.set()

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Event:
        while not self._queue:
            if self._ended:
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        item = self._queue.popleft()
        return item.popleft() if isinstance(item, deque) else item
