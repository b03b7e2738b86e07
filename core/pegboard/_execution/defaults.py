"""What few batches and calls touch: it stands on a class until one of them does.

To set all of it would cost a call more than all else that is made for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections import deque
    from collections.abc import Callable, Mapping, Sequence

    from pegboard.batches import PendingCall
    from pegboard.content import Content
    from pegboard.events import Event


class RunDefaults:
    """What most batches never touch; explained at Run."""

    stopped = False
    limit: int | None = None
    admitting: asyncio.Task[Any] | None = None
    recheck_lock: asyncio.Lock | None = None
    _id = ""
    _sink: Callable[[Event], None] | None = None
    _parent: Any = None
    _positions: Sequence[int] | None = None
    _crew: Any = None


class InvocationDefaults:
    """What most calls never touch; explained at Invocation."""

    injected: Mapping[str, Any] | None = None
    pending: PendingCall | None = None
    approved: str | None = None
    children: set[asyncio.Task[Any]] | None = None
    nested = turn = _before = 0
    waiting: deque[tuple[tuple[Content, ...], Any]] | None = None
