"""A coroutine with a deadline and a grace period, run in its caller's own task.

The coroutine is driven by hand, so that a body which never suspends costs no timer,
and one which outlives its grace can be closed without leaving a task behind.
"""

from __future__ import annotations

import asyncio
import types
from collections.abc import Coroutine, Generator
from time import monotonic
from typing import Any

from pegboard._clock import Clock, Watch

#: What `bounded` returns instead of the body's value when the deadline passed.
EXPIRED: Any = object()
_COROUTINE = types.CoroutineType
_DONE = object()


class Suspended:
    """A coroutine that waits for something; to be awaited on, or it is lost.

    Args:
        step: Runs the coroutine, and puts what it returns into the box.
        box: An empty list.
        awaited: What the coroutine waits for first.
    """

    __slots__ = ("_awaited", "_box", "_step")

    def __init__(self, step: Any, box: list[Any], awaited: Any) -> None:
        self._step = step
        self._box = box
        self._awaited = awaited

    @types.coroutine
    def resume(self, watch: Watch, late: Any) -> Generator[Any, Any, Any]:
        """Run on under a watch.

        Returns:
            What the coroutine returned, or `late` if its deadline passed first,
            whatever it did then.

        Raises:
            CancelledError: somebody else cancelled the task, whatever the coroutine
                did then; `watch.abandoned` says whether it had to be given up.
        """
        value: Any = None
        failure: BaseException | None = None
        clock = self._clock(watch)
        try:
            try:
                yield from _drive(self._step, clock)
                value = self._box.pop()
            except GeneratorExit:
                clock.end()
                raise
            except BaseException as error:
                failure = error
            is_foreign = clock.end()
            is_cancelled = isinstance(failure, asyncio.CancelledError)
            if is_cancelled:
                given_up = getattr(failure, "abandoned", False)
                watch.abandoned = clock.is_over or given_up
            if isinstance(failure, KeyboardInterrupt):
                raise failure
            if is_foreign and not is_cancelled:
                raise asyncio.CancelledError
            if watch.expired and not is_foreign:
                return late
            if failure is not None:
                raise failure
            return value
        finally:
            # A traceback in one of them leads here: a circle otherwise.
            value = failure = None

    def _clock(self, watch: Watch) -> Clock:
        # What a body waits for may hold what the body raises, so it is not kept.
        awaited, self._awaited = self._awaited, None
        task = asyncio.current_task()
        assert task is not None
        return Clock(watch, task, awaited)


def start(coroutine: Any) -> Any:
    """Run a coroutine until it waits for something: most never do.

    Then it costs no watch and no timer.

    Returns:
        What it returned, or a Suspended.
    """
    box: list[Any] = []
    is_own = type(coroutine) is _COROUTINE
    step = _boxed(coroutine if is_own else coroutine.__await__(), box)
    try:
        awaited = next(step, _DONE)
    except GeneratorExit as error:
        raise own_exit() from error
    return box.pop() if awaited is _DONE else Suspended(step, box, awaited)


@types.coroutine
def _boxed(step: Any, box: list[Any]) -> Generator[Any, Any, None]:
    # To return a value to whoever drives by hand is to raise StopIteration, which
    # costs as much as a small tool; to return None is to raise nothing.
    box.append((yield from step))


async def bounded(coroutine: Coroutine[Any, Any, Any], watch: Watch) -> Any:
    """Run a coroutine under a watch.

    Returns:
        What it returned, or EXPIRED if its deadline passed first, whatever it did then.

    Raises:
        CancelledError: as `Suspended.resume` does.
    """
    value = start(coroutine)
    if type(value) is Suspended:
        value = await value.resume(watch, EXPIRED)
    return value


def watch_from(begun: float, seconds: float | None, grace: float) -> Watch:
    """Return a watch whose time counts from a moment that has passed.

    Args:
        begun: The moment, as `time.monotonic` told it.
        seconds: From then to the deadline; None for none.
        grace: Seconds for the cleanup.
    """
    if seconds is None:
        return Watch(None, grace)
    spent = monotonic() - begun
    return Watch(asyncio.get_running_loop().time() + seconds - spent, grace)


def _drive(step: Any, clock: Clock) -> Generator[Any, Any, None]:
    """Pass on all that a coroutine and its loop have to say to each other.

    Raises:
        CancelledError: the coroutine was closed, or raised it.
    """
    awaited, clock.awaited = clock.awaited, None
    while True:
        sent: Any = None
        thrown: BaseException | None = None
        try:
            kind = type(awaited)
            if kind is not asyncio.Future and issubclass(kind, asyncio.Future):
                yield from _outlive(awaited, clock)
            else:
                sent = yield awaited
        except asyncio.CancelledError as error:
            if clock.is_over:
                _close(step)
                raise
            clock.note()
            thrown = error
        except GeneratorExit:
            _close(step)
            raise
        except BaseException as error:
            thrown = error
        awaited = None
        try:
            awaited = step.send(sent) if thrown is None else step.throw(thrown)
        except StopIteration:
            return
        except GeneratorExit as error:
            raise own_exit() from error
        finally:
            thrown = None  # its traceback leads here: a circle otherwise


def _outlive(inner: asyncio.Future[Any], clock: Clock) -> Generator[Any, Any, None]:
    """Wait for a task or a gathering as a task does, but not for ever.

    Either one may go on after its cancellation, and then the task that awaits it
    would hear of no further one.
    """
    # What the loop's task would do with the future that it is handed.
    inner._asyncio_future_blocking = False
    while not inner.done():
        outer = inner.get_loop().create_future()

        def wake(
            inner: asyncio.Future[Any], outer: asyncio.Future[None] = outer
        ) -> None:
            if not outer.done():
                outer.set_result(None)

        inner.add_done_callback(wake)
        try:
            yield from outer.__await__()
        except asyncio.CancelledError:
            if clock.is_over or not inner.cancel():
                raise
            clock.note()
        finally:
            inner.remove_done_callback(wake)


def own_exit() -> RuntimeError:
    """Return what stands for a GeneratorExit that somebody raised on its own.

    It must not pass for a closing loop.
    """
    return RuntimeError("it raised GeneratorExit")


def _close(step: Any) -> None:
    try:
        step.close()
    except KeyboardInterrupt:
        raise
    except BaseException:
        # It ignores even GeneratorExit, or fails at it: nothing of ours waits for it.
        pass


class TooLong(TimeoutError):
    """What was awaited took longer than it may."""


async def within(awaitable: Any, seconds: float | None, grace: float) -> Any:
    """Await something for so many seconds at most; None and 0 mean no limit.

    Raises:
        TooLong: it took longer.
    """
    begun = monotonic()
    is_own = type(awaitable) is _COROUTINE
    value = start(awaitable if is_own else _waiting(awaitable))
    if type(value) is Suspended:
        value = await rest_within(value, begun, seconds, grace)
    return value


async def rest_within(
    started: Suspended, begun: float, seconds: float | None, grace: float
) -> Any:
    """Await the rest of what began at a moment, for so many seconds from then.

    Raises:
        TooLong: it took longer.
    """
    watch = watch_from(begun, seconds or None, grace)
    value = await started.resume(watch, EXPIRED)
    if value is EXPIRED:
        raise TooLong(f"it took longer than {seconds:g} s")
    return value


async def _waiting(awaitable: Any) -> Any:
    return await awaitable
