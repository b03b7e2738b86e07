"""How many bodies run at once, and which must not overlap."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

from pegboard.errors import ToolError


class Slots:
    """A bound on bodies in flight, first come, first served.

    Args:
        limit: How many at once.
    """

    __slots__ = ("_semaphore",)

    def __init__(self, limit: int) -> None:
        self._semaphore = asyncio.Semaphore(limit)

    async def take(self) -> None:
        """Wait for a slot."""
        await self._semaphore.acquire()

    def give(self) -> None:
        """Give the slot back."""
        self._semaphore.release()


class Lease:
    """One call's place in the queue of each resource it needs.

    Attributes:
        keys: The resources.
        root: Names the outermost call: a nested call may share what its callers hold.
    """

    __slots__ = ("_ready", "keys", "root")

    def __init__(self, keys: frozenset[str], root: object) -> None:
        self.keys = keys
        self.root = root
        self._ready: asyncio.Future[None] | None = None


class Resources:
    """Calls that share a resource run one after the other, in the order they came.

    A call enters the queues of all its resources at once, so that no two calls can
    each hold what the other waits for.
    """

    __slots__ = ("_queues",)

    def __init__(self) -> None:
        self._queues: dict[str, deque[Lease]] = {}

    def enter(self, keys: Iterable[str], root: object) -> Lease:
        """Take a place at the end of each queue."""
        lease = Lease(frozenset(keys), root)
        for key in lease.keys:
            self._queues.setdefault(key, deque()).append(lease)
        return lease

    def _is_ready(self, lease: Lease) -> bool:
        """Whether all who came earlier, but for the callers of this call, are gone."""
        for key in lease.keys:
            for earlier in self._queues[key]:
                if earlier is lease:
                    break
                if earlier.root is not lease.root:
                    return False
        return True

    async def hold(self, lease: Lease) -> None:
        """Wait until the lease is first in all its queues.

        Raises:
            ToolError: waiting would never end: the call that holds a resource waits,
                through calls of its own, for one that this call's caller holds.
        """
        if self._is_ready(lease):
            return
        if self._is_circular(lease):
            raise ToolError(
                "this call would wait for a resource that is held by a call which waits"
                " for this one",
                code="tool_unavailable",
                retryable=True,
            )
        lease._ready = asyncio.get_running_loop().create_future()
        try:
            await lease._ready
        finally:
            lease._ready = None

    def _is_circular(self, lease: Lease) -> bool:
        """Whether somebody this lease waits for waits, in the end, for its root."""
        seen: set[int] = set()
        todo = [lease]
        while todo:
            for root in self._waits_for(todo.pop()):
                if root is lease.root:
                    return True
                if id(root) not in seen:
                    seen.add(id(root))
                    todo += self._waiting_of(root)
        return False

    def _waits_for(self, lease: Lease) -> list[object]:
        found: list[object] = []
        for key in lease.keys:
            for earlier in self._queues[key]:
                if earlier is lease:
                    break
                if earlier.root is not lease.root:
                    found.append(earlier.root)
        return found

    def _waiting_of(self, root: object) -> list[Lease]:
        return [
            lease
            for queue in self._queues.values()
            for lease in queue
            if lease.root is root and lease._ready is not None
        ]

    def leave(self, lease: Lease) -> None:
        """Give the resources up and wake whoever is next."""
        woken: set[Lease] = set()
        for key in lease.keys:
            queue = self._queues[key]
            queue.remove(lease)
            woken.update(queue)
            if not queue:
                del self._queues[key]
        for other in woken:
            ready = other._ready
            if ready is not None and not ready.done() and self._is_ready(other):
                ready.set_result(None)
