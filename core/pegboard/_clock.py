"""The clock over one body: its deadline, and the grace once it is told to stop."""

from __future__ import annotations

import asyncio
from typing import Any


class Watch:
    """The limits of one body.

    Attributes:
        deadline: When it must have ended, in the loop's time; None for no limit.
        grace: Seconds for its cleanup once it is told to stop.
        expired: Whether the deadline passed while it ran.
        abandoned: Whether it did not end within the grace, or cannot be stopped.
        clock: Its timers, while it is suspended.
    """

    __slots__ = ("abandoned", "clock", "deadline", "expired", "grace")

    def __init__(self, deadline: float | None, grace: float) -> None:
        self.deadline = deadline
        self.grace = grace
        self.expired = False
        self.abandoned = False
        self.clock: Clock | None = None

    def begin(self, seconds: float | None) -> None:
        """Let the time count from now, unless it counts already; on the loop."""
        if self.deadline is None and seconds is not None:
            self.deadline = asyncio.get_running_loop().time() + seconds
            if self.clock is not None:
                self.clock.start()


class Clock:
    """The timers of a body that has suspended.

    Attributes:
        awaited: What the body waits for first.
        is_over: Whether the body is to be closed at its next turn.
    """

    __slots__ = (
        "_before",
        "_deadline",
        "_loop",
        "_own",
        "_patience",
        "_task",
        "_watch",
        "awaited",
        "is_over",
    )

    def __init__(self, watch: Watch, task: asyncio.Task[Any], awaited: Any) -> None:
        self.awaited = awaited
        self._watch = watch
        self._task = task
        self._loop = task.get_loop()
        self._before = task.cancelling()
        self._own = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._patience: asyncio.TimerHandle | None = None
        self.is_over = False
        watch.clock = self
        self.start()

    def start(self) -> None:
        """Arm the deadline."""
        if self._watch.deadline is not None:
            self._deadline = self._loop.call_at(self._watch.deadline, self._expire)

    def _is_cancelled(self) -> bool:
        """Whether a cancellation is under way that nobody has taken back."""
        return self._task.cancelling() > self._before

    def _cancel(self) -> None:
        self._own += 1
        self._task.cancel()

    def _expire(self) -> None:
        self._watch.expired = True
        if not self._is_cancelled():
            self._stop(self._patience)
            self._patience = None
            self._cancel()

    def note(self) -> None:
        """Take note that a cancellation has reached the body: its grace begins."""
        if self._patience is None:
            self._patience = self._loop.call_later(self._watch.grace, self._give_up)

    def _give_up(self) -> None:
        # Bodies cancel themselves: `asyncio.timeout`, a TaskGroup, a scope of anyio.
        # What they have taken back by now was theirs, and is no reason to end them.
        self._patience = None
        if self._watch.expired or self._is_cancelled():
            self.is_over = True
            self._cancel()

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()

    def end(self) -> bool:
        """Take back our own cancellations; True if somebody else's remain."""
        self._watch.clock = None
        self._stop(self._deadline)
        self._stop(self._patience)
        while self._own and self._is_cancelled():
            self._own -= 1
            self._task.uncancel()
        is_foreign = self._is_cancelled()
        # The frames of what raised lead here, and the task to the result with them.
        del self._task
        return is_foreign
