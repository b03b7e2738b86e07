"""Events that wait: nothing is lost but the oldest updates of a call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from pegboard.events import Event, ToolUpdate

#: Updates of one call that wait at most; then the oldest are dropped.
MAX_WAITING = 1_000


class Backlog:
    """A queue of events, bounded by the number of calls.

    Args:
        drop: Told of each update that is dropped.
    """

    def __init__(self, drop: Callable[[], None]) -> None:
        self._drop = drop
        self._queue: deque[Event | deque[ToolUpdate]] = deque()
        self._updates: dict[int, deque[ToolUpdate]] = {}

    def __len__(self) -> int:
        return len(self._queue)

    def put(self, event: Event) -> None:
        """Take an event."""
        if not isinstance(event, ToolUpdate):
            self._queue.append(event)
            return
        waiting = self._updates.setdefault(event.call.index, deque())
        waiting.append(event)
        if len(waiting) > MAX_WAITING:
            waiting.popleft()
            self._drop()
        else:
            # A place in the queue stands for "the next update of that call".
            self._queue.append(waiting)

    def close(self) -> None:
        """Take no more, and know nobody to tell of what is dropped."""
        self._drop = _nothing

    def take(self) -> Event:
        """Return the event that has waited longest."""
        item = self._queue.popleft()
        return item.popleft() if isinstance(item, deque) else item

    def take_all(self) -> list[Event]:
        """Return all events in their order."""
        return [self.take() for _ in range(len(self._queue))]


def _nothing() -> None:
    """Stand for whom there is nobody to tell."""
