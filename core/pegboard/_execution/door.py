"""The event loop that a board belongs to, and the way in for programs without one."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from pegboard.errors import UsageError

T = TypeVar("T")

#: Seconds after which a waiting thread looks whether the loop still runs.
_LOOK = 1.0
#: Looks after which a loop that does not run is taken for gone.
_PATIENCE = 5


#: Every door of this process, to be reset in a fork of it.
_doors: weakref.WeakSet[Door] = weakref.WeakSet()


def _after_fork() -> None:
    for door in list(_doors):
        door.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Door:
    """One loop: the first that uses the board, or a thread's own.

    Args:
        adopted: Called on the loop's thread, or before it runs, when the board comes
            to belong to a loop.

    Attributes:
        loop: The loop, None before the first use.
        thread: Identifies the thread that runs it.
    """

    def __init__(self, adopted: Callable[[asyncio.AbstractEventLoop], None]) -> None:
        self._adopted = adopted
        self._forget: weakref.finalize[..., Door] | None = None
        self.reset()
        _doors.add(self)

    def reset(self) -> None:
        """Belong to no loop: a fork takes none along."""
        self._lock = threading.Lock()
        self._own: threading.Thread | None = None
        if self._forget is not None:
            self._forget.detach()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.thread: int | None = None

    def is_here(self) -> bool:
        """Whether this is the thread of the board's loop, which runs."""
        # Not get_running_loop, which asks the system for its process each time (3.11).
        loop = self.loop
        return (
            loop is not None
            and self.thread == threading.get_ident()
            and loop.is_running()
        )

    def enter(self) -> None:
        """Make the running loop the board's, if it has none.

        Raises:
            UsageError: the board belongs to another loop that still runs.
        """
        running = asyncio.get_running_loop()
        if running is self.loop:
            self.thread = threading.get_ident()
            return
        with self._lock:
            if self.loop is not None and self.loop.is_running():
                raise UsageError(
                    "this board belongs to another event loop, which still runs; make a"
                    " board for each loop, or use run_sync from a thread"
                )
            self._adopt(running, threading.get_ident())

    def _adopt(self, loop: asyncio.AbstractEventLoop, thread: int | None) -> None:
        self.loop, self.thread = loop, thread
        self._adopted(loop)

    def wait(self, make: Callable[[], Coroutine[Any, Any, T]], shown: str) -> T:
        """Run a coroutine on the board's loop from a thread without it, and wait.

        Args:
            make: Makes the coroutine; called on the loop.
            shown: The form to await, for the error's text.

        Raises:
            UsageError: called on the board's own loop, which could never go on; or
                the loop ended before the coroutine did.
        """
        if self.is_here():
            raise UsageError(
                f"a sync call on the board's own event loop would never return; {shown}"
            )
        loop, done = self.start(make)
        still = 0
        try:
            while True:
                try:
                    return done.result(_LOOK)
                except TimeoutError:
                    if done.done():
                        return done.result()  # in the end; or it is the call's own
                still = 0 if loop.is_running() else still + 1
                if loop.is_closed() or still == _PATIENCE:
                    raise UsageError("the board's event loop ended before the call did")
        except BaseException:
            done.cancel()
            raise

    def start(
        self, make: Callable[[], Coroutine[Any, Any, T]]
    ) -> tuple[asyncio.AbstractEventLoop, Future[T]]:
        """Start a coroutine on the board's loop, in this thread's context.

        Args:
            make: Makes the coroutine; called on the loop.
        """
        done: Future[T] = Future()
        context = contextvars.copy_context()

        def begin() -> None:
            if not done.cancelled():
                _join(loop.create_task(make(), context=context), done)

        with self._lock:
            loop = self._running()
            loop.call_soon_threadsafe(begin)
        return loop, done

    def _running(self) -> asyncio.AbstractEventLoop:
        if self.loop is None or not self.loop.is_running():
            loop = asyncio.new_event_loop()
            ready = threading.Event()
            loop.call_soon(ready.set)
            self._own = threading.Thread(
                target=_serve, args=(loop,), name="pegboard-loop", daemon=True
            )
            self._adopt(loop, None)
            # A board that nobody holds any more leaves no thread and no loop behind.
            self._forget = weakref.finalize(self, _stop, loop)
            self._forget.atexit = False
            self._own.start()
            self.thread = self._own.ident
            ready.wait()
        assert self.loop is not None
        return self.loop

    def close(self) -> None:
        """Stop the thread's own loop, if there is one; its calls are cancelled."""
        with self._lock:
            own, self._own = self._own, None
            if own is not None and self._forget is not None:
                self._forget()
                self.loop = self.thread = None
        if own is not None and own is not threading.current_thread():
            own.join()


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    with suppress(RuntimeError):  # it is closed already
        loop.call_soon_threadsafe(loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, then cancel what is left and close it."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop()
        while True:
            try:
                return loop.run_forever()
            except (KeyboardInterrupt, SystemExit):
                continue  # whoever waits for the task is told


def _join(task: asyncio.Task[T], done: Future[T]) -> None:
    """Let a task and a future end together, whichever is first."""
    loop = task.get_loop()

    def finished(task: asyncio.Task[T]) -> None:
        if task.cancelled():
            done.cancel()
        elif done.set_running_or_notify_cancel():
            error = task.exception()
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(task.result())

    def given_up(done: Future[T]) -> None:
        if done.cancelled() and not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)

    task.add_done_callback(finished)
    done.add_done_callback(given_up)
