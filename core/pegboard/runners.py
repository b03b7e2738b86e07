"""Where bodies run: inline on the loop, or in a thread."""

from __future__ import annotations

import asyncio
import collections
import contextvars
import inspect
import os
import queue
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pegboard._inbox import Inbox
from pegboard._output import to_content
from pegboard.errors import ToolError
from pegboard.protocols import Body

#: Bodies that run in threads at once; further ones wait, and their time does not count.
MAX_THREADS = 256
#: Seconds after which an idle thread ends.
IDLE = 10.0
#: Abandoned bodies of one tool that are tolerated before it is unavailable.
MAX_LEFT = 8


class Abandoned(asyncio.CancelledError):
    """Raised by a runner that was cancelled but could not stop the body."""

    abandoned = True


class NotStarted(ToolError):
    """Raised by a runner that could not start the body: it has not run."""

    def __init__(self, message: str, *, details: Any = None) -> None:
        super().__init__(message, code="tool_unavailable", details=details)


class RemoteError(Exception):
    """What a body raised in another process, where the exception itself stays.

    Attributes:
        kind: The exception's type, or those of a group's leaves.
        names: The dotted names of its class and of all that it inherits from.
    """

    def __init__(self, message: str, *, kind: str, names: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.names = frozenset(names)


async def settle(value: Any, body: Body) -> Any:
    """Return the final value of what a body returned: awaited, streamed to its end.

    Each value of a generator is sent as an update; the last one is the result.
    """
    while True:
        if inspect.isasyncgen(value):
            value = await _last_of(value, body)
        elif inspect.isgenerator(value):
            value = drain(value, body)
        elif hasattr(type(value), "__await__"):
            value = await value
        else:
            return value


async def _last_of(values: Any, body: Body) -> Any:
    last = None
    try:
        async for last in values:
            body.context.update(to_content(last))
    finally:
        await values.aclose()
    return last


def drain(values: Any, body: Body) -> Any:
    """Return the final value of a generator: what it returns, else its last value."""
    last = None
    try:
        while True:
            try:
                last = next(values)
            except StopIteration as stop:
                return last if stop.value is None else stop.value
            body.context.update(to_content(last))
            if body.context.cancelled:
                return last
    finally:
        values.close()


class InlineRunner:
    """Runs bodies on the loop, in the call's own task."""

    remote = False

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what it raised."""
        return await settle(body(), body)

    async def close(self) -> None:
        """Do nothing: there is nothing to stop."""


class ThreadRunner:
    """Runs sync bodies in daemon threads of its own, contextvars carried.

    Daemons, so that a hung body never holds the interpreter. Completions and updates
    come back through one inbox and one wake-up of the loop, so that their order holds.

    Attributes:
        limit: How many bodies may run at once; a nested call is in its caller's place.
    """

    remote = False

    def __init__(self, inbox: Inbox | None = None, *, limit: int = MAX_THREADS) -> None:
        self.limit = limit
        self._inbox = inbox or Inbox()
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._work: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._left: collections.Counter[str] = collections.Counter()

    @property
    def left(self) -> Mapping[str, int]:
        """How many abandoned bodies still run, by the tool's identity."""
        return +self._left

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what it raised.

        Raises:
            NotStarted: too many abandoned bodies of this tool still run.
        """
        if self._process != os.getpid():
            self._reset()  # a fork takes no threads along
        if self._left[body.tool.id] >= MAX_LEFT:
            raise NotStarted(
                f"{body.tool.name} is unavailable: {MAX_LEFT} earlier calls of it never"
                " came back"
            )
        value, error = await self._perform(body)
        if error is not None:
            try:
                raise error
            finally:
                error = None  # its traceback leads here: a circle otherwise
        return await settle(value, body)

    async def _perform(self, body: Body) -> tuple[Any, BaseException | None]:
        loop = asyncio.get_running_loop()
        self._inbox.adopt(loop)
        job = _Job(body, loop.create_future(), contextvars.copy_context())
        self._submit(job)
        try:
            await job.future
        except BaseException as error:
            # Whatever ends the wait before the body does.
            if self._leave(job) and isinstance(error, asyncio.CancelledError):
                raise Abandoned from None
            raise
        return job.take()

    def _leave(self, job: _Job) -> bool:
        """Wait for a body no longer; True if it runs on without anybody."""
        with self._lock:
            runs = job.state == "running"
            self._left[job.body.tool.id] += runs
            if job.state == "ended":
                job.drop()
            job.state = "left" if runs else "dropped"
        return runs

    def _submit(self, job: _Job) -> None:
        is_expected = self._idle.acquire(blocking=False)
        self._work.put(job)
        if is_expected:
            return
        thread = threading.Thread(target=self._serve, name="pegboard-body", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            with self._lock:
                if job.state != "waiting":
                    return  # another thread has got to it
                job.state = "dropped"
            name = job.body.tool.name
            raise NotStarted(f"{name} is unavailable: {error}") from error

    def _serve(self) -> None:
        while True:
            try:
                job = self._work.get(timeout=IDLE)
            except queue.Empty:
                # Only a thread that nobody counts on may go.
                if self._idle.acquire(blocking=False):
                    return
                continue
            if job is None or not self._finish(job):
                return
            del job  # an idle thread keeps nothing alive

    def _finish(self, job: _Job) -> bool:
        """Run a body and report; False if nobody waits for it by then."""
        with self._lock:
            is_wanted = job.state == "waiting"
            if is_wanted:
                job.state = "running"
        if is_wanted:
            job.perform()
        with self._lock:
            if job.state == "left":
                self._left[job.body.tool.id] -= 1
                job.drop()
                return False
            if is_wanted:
                job.state = "ended"
        self._idle.release()  # before the report, so that the next call finds it idle
        self._inbox.put(job.deliver)
        return True

    async def close(self) -> None:
        """Let the idle threads end."""
        while self._idle.acquire(blocking=False):
            self._work.put(None)


class _Job:
    """One body on its way through a thread.

    Attributes:
        future: Done when the outcome is there.
        state: Of the body: it is waited for, or runs, or has ended; or nobody waits
            for it any more, while it runs (left) or not (dropped).
    """

    __slots__ = ("_context", "_outcome", "body", "future", "state")

    def __init__(
        self, body: Body, future: asyncio.Future[None], context: contextvars.Context
    ) -> None:
        self.body = body
        self.future = future
        self.state: Literal["waiting", "running", "ended", "left", "dropped"] = (
            "waiting"
        )
        self._context = context
        self._outcome: tuple[Any, BaseException | None] = (None, None)

    def perform(self) -> None:
        """Run the body and keep its value, or what it raised."""
        try:
            self._outcome = self._context.run(self._call), None
        except (StopIteration, GeneratorExit) as error:
            # A coroutine cannot raise the one, and must not raise the other.
            wrapped = RuntimeError(f"the body raised {type(error).__name__}")
            wrapped.__cause__ = error
            self._outcome = None, wrapped
        except BaseException as error:
            self._outcome = None, error

    def _call(self) -> Any:
        value = self.body()
        return drain(value, self.body) if inspect.isgenerator(value) else value

    def deliver(self) -> None:
        """Tell whoever still waits; on the loop."""
        if not self.future.done():
            self.future.set_result(None)

    def take(self) -> tuple[Any, BaseException | None]:
        """Return the outcome and keep it no more: its traceback leads here."""
        outcome, self._outcome = self._outcome, (None, None)
        return outcome

    def drop(self) -> None:
        """Let go of an outcome that comes too late."""
        value, _ = self.take()
        if inspect.iscoroutine(value):
            value.close()
