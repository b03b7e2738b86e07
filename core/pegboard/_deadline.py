"""A coroutine with a deadline and a grace period, run in its caller's own task.

The coroutine is driven by hand, so that a body which never suspends costs no timer,
and one which outlives its grace can be closed without leaving a task behind.
"""

from __future__ import annotations

import asyncio
import types
from collections.abc import Coroutine, Generator
from typing import Any, Literal

#: What `bounded` returns instead of the body's value when the deadline passed.
EXPIRED: Any = object()


class Watch:
    """The clock over one body.

    Attributes:
        deadline: When it must have ended, in the loop's time; None for no limit.
        grace: Seconds for its cleanup once it is told to stop.
        expired: Whether the deadline passed while it ran.
        abandoned: Whether it did not end within the grace.
    """

    __slots__ = (
        "_phase",
        "_task",
        "_timer",
        "abandoned",
        "deadline",
        "expired",
        "grace",
    )

    def __init__(self, deadline: float | None, grace: float) -> None:
        self.deadline = deadline
        self.grace = grace
        self.expired = False
        self.abandoned = False
        self._phase: Literal["running", "stopping", "killed"] = "running"
        self._task: asyncio.Task[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def _arm(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        if self.deadline is not None:
            self._timer = task.get_loop().call_at(self.deadline, self._expire)

    def _expire(self) -> None:
        if self._task is not None and self._phase == "running":
            self.expired = True
            self._task.cancel()

    def _stop(self) -> bool:
        """Take note of a cancellation; False if there is no more patience."""
        if self._phase == "killed":
            return False
        if self._phase == "running" and self._task is not None:
            self._phase = "stopping"
            if self._timer is not None:
                self._timer.cancel()
            loop = self._task.get_loop()
            self._timer = loop.call_later(self.grace, self._kill)
        return True

    def _kill(self) -> None:
        if self._task is not None:
            self._phase = "killed"
            self._task.cancel()

    def _disarm(self) -> bool:
        """Take back our own cancellations; True if somebody else's remain."""
        task, self._task = self._task, None
        if self._timer is not None:
            self._timer.cancel()
        assert task is not None
        for _ in range(self.expired + (self._phase == "killed")):
            task.uncancel()
        return task.cancelling() > 0


@types.coroutine
def bounded(
    coroutine: Coroutine[Any, Any, Any], watch: Watch
) -> Generator[Any, Any, Any]:
    """Run a coroutine under a watch.

    Returns:
        What it returned, or EXPIRED if its deadline passed first, whatever it did then.

    Raises:
        CancelledError: the task was cancelled by somebody else; `watch.abandoned` says
            whether the coroutine had to be given up.
    """
    # typeshed has no type for the iterator of a coroutine.
    step: Any = coroutine.__await__()
    try:
        awaited = step.send(None)
    except StopIteration as stop:
        return stop.value
    task = asyncio.current_task()
    assert task is not None
    before = task.cancelling()
    watch._arm(task)
    value: Any = EXPIRED
    failure: BaseException | None = None
    try:
        while True:
            try:
                sent = yield awaited
            except asyncio.CancelledError as error:
                if not watch._stop():
                    watch.abandoned = True
                    _close(step)
                    break
                awaited = step.throw(error)
            except GeneratorExit:
                step.close()
                raise
            except BaseException as error:
                awaited = step.throw(error)
            else:
                awaited = step.send(sent)
    except StopIteration as stop:
        value = stop.value
    except BaseException as error:
        failure = error
    foreign = watch._disarm() and task.cancelling() > before
    if foreign:
        raise failure if isinstance(failure, asyncio.CancelledError) else _cancelled()
    if watch.expired:
        watch.abandoned = watch.abandoned or getattr(failure, "abandoned", False)
        return EXPIRED
    if failure is not None:
        raise failure
    return value


def _cancelled() -> asyncio.CancelledError:
    return asyncio.CancelledError()


def _close(step: Any) -> None:
    try:
        step.close()
    except RuntimeError:
        # It ignores even GeneratorExit; Python drops it and nothing of ours waits.
        pass


async def within(awaitable: Any, seconds: float | None, grace: float) -> Any:
    """Await something for so many seconds at most; None and 0 mean no limit.

    Raises:
        TimeoutError: it took longer.
    """
    loop = asyncio.get_running_loop()

    async def wait() -> Any:
        return await awaitable

    deadline = loop.time() + seconds if seconds else None
    value = await bounded(wait(), Watch(deadline, grace))
    if value is EXPIRED:
        raise TimeoutError(f"took longer than {seconds:g} s")
    return value
