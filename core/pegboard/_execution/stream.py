"""Events on their way to one consumer, however slow it is."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from pegboard.events import Event, ToolUpdate

if TYPE_CHECKING:
    from pegboard._execution.run import Run

#: Updates of one call that wait for the consumer at most; then the oldest are dropped.
MAX_WAITING = 1_000


class Stream:
    """A queue of events that loses nothing but old updates.

    Attributes:
        dropped: The batch that counts what is dropped.
    """

    def __init__(self) -> None:
        self._queue: deque[Event | deque[ToolUpdate]] = deque()
        self._updates: dict[int, deque[ToolUpdate]] = {}
        self._ready = asyncio.Event()
        self._ended = False
        self.dropped: Run | None = None

    def put(self, event: Event) -> None:
        """Take an event; on the loop."""
        if isinstance(event, ToolUpdate):
            waiting = self._updates.setdefault(event.call.index, deque())
            waiting.append(event)
            if len(waiting) > MAX_WAITING:
                waiting.popleft()
                if self.dropped is not None:
                    self.dropped.dropped += 1
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
