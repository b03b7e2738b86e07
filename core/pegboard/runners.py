"""Where bodies run: inline on the loop, or in a thread."""

from __future__ import annotations

import asyncio
import collections
import contextvars
import inspect
import queue
import threading
from typing import Any

from pegboard._inbox import Inbox
from pegboard._output import to_content
from pegboard.errors import ToolError
from pegboard.protocols import Body

#: Threads that a runner starts at most, abandoned ones not counted.
MAX_THREADS = 256
#: Seconds after which an idle thread ends.
IDLE = 10.0
#: Abandoned bodies of one tool that are tolerated before it is unavailable.
MAX_LEFT = 8


class Abandoned(asyncio.CancelledError):
    """Raised by a runner that was cancelled but could not stop the body."""

    abandoned = True


async def settle(value: Any, body: Body) -> Any:
    """Return the final value of what a body returned: awaited, or streamed to its end.

    Each value of an async generator is sent as an update; the last is the result.
    """
    if hasattr(value, "__aiter__") and inspect.isasyncgen(value):
        last = None
        try:
            async for last in value:
                body.context.update(to_content(last))
        finally:
            await value.aclose()
        return last
    while hasattr(value, "__await__"):
        value = await value
    return value


def drain(value: Any, body: Body) -> Any:
    """Return the final value of a generator: what it returns, else its last value."""
    last = None
    try:
        while True:
            try:
                last = next(value)
            except StopIteration as stop:
                return last if stop.value is None else stop.value
            body.context.update(to_content(last))
            if body.context.cancelled:
                return last
    finally:
        value.close()


class InlineRunner:
    """Runs async bodies on the loop, in the call's own task."""

    remote = False

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what it raised."""
        value = body()
        if inspect.isgenerator(value):
            return drain(value, body)
        return await settle(value, body)

    async def close(self) -> None:
        """Do nothing: there is nothing to stop."""


class ThreadRunner:
    """Runs sync bodies in daemon threads of its own, contextvars carried.

    Daemons, so that a hung body never holds the interpreter. Completions and updates
    come back through one inbox and one wake-up of the loop, so that their order holds.
    """

    remote = False

    def __init__(
        self, inbox: Inbox | None = None, *, max_threads: int = MAX_THREADS
    ) -> None:
        self._inbox = inbox or Inbox()
        self._max = max_threads
        self._work: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads = 0
        self._lock = threading.Lock()
        self._left: collections.Counter[str] = collections.Counter()

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what it raised.

        Raises:
            ToolError: too many abandoned bodies of this tool still run.
        """
        identity = body.tool.id
        if self._left[identity] >= MAX_LEFT:
            raise ToolError(
                f"{body.tool.name} is unavailable: {MAX_LEFT} earlier calls of it never"
                " came back",
                code="tool_unavailable",
            )
        loop = self._inbox.loop = asyncio.get_running_loop()
        job = _Job(body, loop.create_future(), contextvars.copy_context())
        self._submit(job)
        try:
            value, error = await job.future
        except asyncio.CancelledError:
            with self._lock:
                if job.ended:
                    raise
                job.left = True
                self._left[identity] += 1
                self._threads -= 1
            raise Abandoned from None
        if error is not None:
            raise error
        return await settle(value, body)

    def _submit(self, job: _Job) -> None:
        if not self._idle.acquire(blocking=False):
            with self._lock:
                grow = self._threads < self._max
                self._threads += grow
            if grow:
                threading.Thread(
                    target=self._serve, name="pegboard-body", daemon=True
                ).start()
        self._work.put(job)

    def _serve(self) -> None:
        while True:
            try:
                job = self._work.get(timeout=IDLE)
            except queue.Empty:
                # Only a thread that nobody has counted on may go.
                if self._idle.acquire(blocking=False):
                    with self._lock:
                        self._threads -= 1
                    return
                continue
            if job is None:
                return
            outcome = job.perform()
            with self._lock:
                job.ended, left = True, job.left
            self._inbox.put(job.deliver, outcome)
            if left:
                self._came_back(job.body.tool.id)
                return
            job = None
            self._idle.release()

    def _came_back(self, identity: str) -> None:
        with self._lock:
            self._left[identity] -= 1

    async def close(self) -> None:
        """Let the idle threads end."""
        while self._idle.acquire(blocking=False):
            with self._lock:
                self._threads -= 1
            self._work.put(None)


class _Job:
    """One body on its way through a thread.

    Attributes:
        ended: Whether the body came back.
        left: Whether nobody waits for it any more.
    """

    __slots__ = ("body", "context", "ended", "future", "left")

    def __init__(
        self,
        body: Body,
        future: asyncio.Future[tuple[Any, BaseException | None]],
        context: contextvars.Context,
    ) -> None:
        self.body = body
        self.future = future
        self.context = context
        self.ended = False
        self.left = False

    def perform(self) -> tuple[Any, BaseException | None]:
        """Run the body and return its value, or what it raised."""
        try:
            return self.context.run(self._call), None
        except StopIteration as error:
            # A future cannot carry it, and a coroutine cannot raise it.
            wrapped = RuntimeError("the body raised StopIteration")
            wrapped.__cause__ = error
            return None, wrapped
        except BaseException as error:
            return None, error

    def _call(self) -> Any:
        value = self.body()
        return drain(value, self.body) if inspect.isgenerator(value) else value

    def deliver(self, outcome: tuple[Any, BaseException | None]) -> None:
        """Hand the outcome to whoever still waits; on the loop."""
        if not self.future.done():
            self.future.set_result(outcome)
