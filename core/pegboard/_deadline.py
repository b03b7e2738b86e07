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


@types.coroutine
def bounded(
    coroutine: Coroutine[Any, Any, Any], watch: Watch
) -> Generator[Any, Any, Any]:
    """Run a coroutine under a watch.

    Returns:
        What it returned, or EXPIRED if its deadline passed first, whatever it did then.

    Raises:
        CancelledError: the task was cancelled by somebody else, whatever the coroutine
            did then; `watch.abandoned` says whether it had to be given up.
    """
    # typeshed has no type for the iterator of a coroutine.
    step: Any = coroutine.__await__()
    try:
        awaited = step.send(None)
    except StopIteration as stop:
        return stop.value
    except GeneratorExit as error:
        raise _own_exit() from error
    task = asyncio.current_task()
    assert task is not None
    clock = Clock(watch, task, awaited)
    del awaited  # what a body waits for may hold what the body raises
    return (yield from _suspended(step, clock, watch, EXPIRED))


@types.coroutine
def unless_late(
    coroutine: Coroutine[Any, Any, Any], seconds: float | None, grace: float
) -> Generator[Any, Any, Any]:
    """Run a coroutine that most often never suspends: then it costs no watch at all.

    Returns:
        What it returned, or the Watch whose deadline passed first.

    Raises:
        CancelledError: as `bounded` does.
    """
    begun = monotonic()
    # A coroutine is its own iterator, but for the name of `__next__`.
    step: Any = coroutine
    if type(coroutine) is not types.CoroutineType:
        step = coroutine.__await__()
    try:
        awaited = step.send(None)
    except StopIteration as stop:
        return stop.value
    except GeneratorExit as error:
        raise _own_exit() from error
    deadline = None
    if seconds is not None:
        spent = monotonic() - begun
        deadline = asyncio.get_running_loop().time() + seconds - spent
    watch = Watch(deadline, grace)
    task = asyncio.current_task()
    assert task is not None
    clock = Clock(watch, task, awaited)
    del awaited  # what a body waits for may hold what the body raises
    return (yield from _suspended(step, clock, watch, watch))


def _suspended(
    step: Any, clock: Clock, watch: Watch, late: Any
) -> Generator[Any, Any, Any]:
    """Run a coroutine on from the first thing that it waits for.

    Returns:
        What it returned, or `late` if its deadline passed first.
    """
    value: Any = None
    failure: BaseException | None = None
    try:
        try:
            value = yield from _drive(step, clock)
        except GeneratorExit:
            clock.end()
            raise
        except BaseException as error:
            failure = error
        is_foreign = clock.end()
        is_cancelled = isinstance(failure, asyncio.CancelledError)
        if is_cancelled:
            watch.abandoned = clock.is_over or getattr(failure, "abandoned", False)
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


def _drive(step: Any, clock: Clock) -> Generator[Any, Any, Any]:
    """Pass on all that a coroutine and its loop have to say to each other.

    Returns:
        What the coroutine returned.

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
        except StopIteration as stop:
            return stop.value
        except GeneratorExit as error:
            raise _own_exit() from error
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


def _own_exit() -> RuntimeError:
    # A GeneratorExit that a body raises on its own must not pass for a closing loop.
    return RuntimeError("the coroutine raised GeneratorExit")


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
    loop = asyncio.get_running_loop()

    async def wait() -> Any:
        return await awaitable

    deadline = loop.time() + seconds if seconds else None
    value = await bounded(wait(), Watch(deadline, grace))
    if value is EXPIRED:
        raise TooLong(f"it took longer than {seconds:g} s")
    return value
