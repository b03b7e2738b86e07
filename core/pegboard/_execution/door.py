"""The event loop that a board belongs to, and the way in for programs without one."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from pegboard.errors import UsageError

T = TypeVar("T")


class Door:
    """One loop: the first that uses the board, or a thread's own.

    Args:
        adopted: Called on the loop when the board comes to belong to it.
    """

    def __init__(self, adopted: Callable[[asyncio.AbstractEventLoop], None]) -> None:
        self._adopted = adopted
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.thread: int | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    def enter(self) -> None:
        """Make the running loop the board's, if it has none.

        Raises:
            UsageError: the board belongs to another loop that still runs.
        """
        running = asyncio.get_running_loop()
        if running is self.loop:
            return
        with self._lock:
            if self.loop is not None and self.loop.is_running():
                raise UsageError(
                    "this board belongs to another event loop, which still runs; make a"
                    " board for each loop, or use run_sync from a thread"
                )
            self.loop = running
            self.thread = threading.get_ident()
        self._adopted(running)

    def wait(self, make: Callable[[], Coroutine[Any, Any, T]], shown: str) -> T:
        """Run a coroutine on the board's loop from a thread without it, and wait.

        Args:
            make: Makes the coroutine; called on the loop.
            shown: The form to await, for the error's text.

        Raises:
            UsageError: called on the board's own loop, which could never go on.
        """
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is not None and running is self.loop:
            raise UsageError(
                f"a sync call on the board's own event loop would never return; {shown}"
            )
        done = self.start(make)
        try:
            return done.result()
        except BaseException:
            done.cancel()
            raise

    def start(self, make: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Start a coroutine on the board's loop, in this thread's context.

        Args:
            make: Makes the coroutine; called on the loop.
        """
        loop = self._ready()
        done: Future[T] = Future()
        context = contextvars.copy_context()

        def begin() -> None:
            _chain(loop.create_task(make(), context=context), done)

        loop.call_soon_threadsafe(begin)
        return done

    def _ready(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self.loop is None or not self.loop.is_running():
                self.loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self.loop.run_forever, name="pegboard-loop", daemon=True
                )
                self._thread.start()
                self.thread = self._thread.ident
                self._adopted(self.loop)
            return self.loop

    def close(self) -> None:
        """Stop the thread's own loop, if there is one."""
        with self._lock:
            thread, self._thread = self._thread, None
            loop = self.loop
        if thread is not None and loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            if thread is not threading.current_thread():
                thread.join()
                loop.close()
            self.loop = None


def _chain(task: asyncio.Task[T], done: Future[T]) -> None:
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
