"""How many bodies run at once, and which must not overlap."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator

from pegboard.errors import ToolError


class Slots:
    """A bound on bodies in flight, first come, first served.

    Args:
        limit: How many at once.
    """

    __slots__ = ("_limit", "_semaphore")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.reset()

    def reset(self) -> None:
        """Begin anew, on another loop; what was taken is given back to nobody."""
        self._semaphore = asyncio.Semaphore(self._limit)

    async def take(self) -> asyncio.Semaphore:
        """Wait for a slot; release what is returned."""
        semaphore = self._semaphore
        await semaphore.acquire()
        return semaphore


class Lease:
    """One call's place in the queue of each resource it needs.

    Attributes:
        keys: The resources.
        owner: The call.
        callers: The calls around it, which lend it what they hold.
        holds: Whether it has its resources.
    """

    __slots__ = ("callers", "holds", "keys", "owner", "ready")

    def __init__(
        self, keys: frozenset[str], owner: object, callers: Iterable[object]
    ) -> None:
        self.keys = keys
        self.owner = owner
        self.callers = frozenset(callers)
        self.holds = False
        self.ready: asyncio.Future[None] | None = None


class Resources:
    """Calls that share a resource run one after the other, in the order they came.

    A call enters the queues of all its resources at once, so that no two calls can
    each hold what the other waits for. A nested call waits only for those that hold
    what it needs, not for those that came earlier: they may wait for its own callers.
    """

    __slots__ = ("_queues", "_waiting")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew, on another loop: nobody of the old one comes back."""
        self._queues: dict[str, deque[Lease]] = {}
        self._waiting: set[Lease] = set()

    def enter(
        self, keys: Iterable[str], owner: object, callers: Iterable[object] = ()
    ) -> Lease:
        """Take a place at the end of each queue."""
        lease = Lease(frozenset(keys), owner, callers)
        for key in lease.keys:
            self._queues.setdefault(key, deque()).append(lease)
        return lease

    def _in_the_way(self, lease: Lease) -> Iterator[Lease]:
        for key in lease.keys:
            is_earlier = True
            for other in self._queues[key]:
                if other is lease:
                    is_earlier = False
                elif other.owner not in lease.callers and (
                    other.holds or (is_earlier and not lease.callers)
                ):
                    yield other

    def _is_free(self, lease: Lease) -> bool:
        return next(self._in_the_way(lease), None) is None

    def hold(self, lease: Lease) -> bool:
        """Take the resources, if nobody is in the way."""
        lease.holds = lease.holds or self._is_free(lease)
        return lease.holds

    async def wait(self, lease: Lease) -> None:
        """Wait until nobody is in the way.

        Raises:
            ToolError: that would never be: the call that holds a resource waits,
                through calls of its own, for one that a caller of this call holds.
        """
        while not lease.holds and not self._is_free(lease):
            if self._is_circular(lease):
                raise ToolError(
                    "this call would wait for a resource that is held by a call which"
                    " waits for this one",
                    code="tool_unavailable",
                    retryable=True,
                )
            lease.ready = asyncio.get_running_loop().create_future()
            self._waiting.add(lease)
            try:
                await lease.ready
            finally:
                self._waiting.discard(lease)
                lease.ready = None

    def _is_circular(self, lease: Lease) -> bool:
        """Whether somebody in the way waits, in the end, for a caller of this lease."""
        seen: set[Lease] = set()
        todo = [lease]
        while todo:
            for other in self._in_the_way(todo.pop()):
                if other.owner in lease.callers:
                    return True
                if other not in seen:
                    seen.add(other)
                    todo += [it for it in self._waiting if other.owner in it.callers]
        return False

    def leave(self, lease: Lease) -> None:
        """Give the resources up and wake those who may be next."""
        lease.holds = False
        for key in lease.keys:
            queue = self._queues.get(key)
            if queue is None or lease not in queue:
                continue  # it is of a loop that is gone
            queue.remove(lease)
            for other in queue:
                ready = other.ready
                if ready is not None and not ready.done() and self._is_free(other):
                    ready.set_result(None)
            if not queue:
                del self._queues[key]
