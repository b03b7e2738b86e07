"""The workers of one batch: as few tasks as the bodies need.

A worker takes one call after another until one suspends; a standby, scheduled before
each call, then brings in the next worker. Bodies that never suspend share one task,
and every call runs from start to end in one task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextvars import Context, copy_context
from typing import TYPE_CHECKING

from pegboard._execution.invocation import Invocation
from pegboard._execution.net import execute, leave_out

if TYPE_CHECKING:
    from pegboard._execution.run import Run

#: Calls after which a worker lets the loop breathe.
SLICE = 64


class Crew:
    """Runs middlewares and bodies of several calls together.

    Args:
        run: The batch.
        todo: Its calls that passed the guards, in call order.

    Attributes:
        is_cancelled: Whether the batch's caller was cancelled.
    """

    def __init__(self, run: Run, todo: Sequence[Invocation]) -> None:
        self.is_cancelled = False
        self._run = run
        self._todo = todo
        self._next = 0
        self._loop = asyncio.get_running_loop()
        self._workers: set[asyncio.Task[None]] = set()
        self._standby: asyncio.Handle | None = None
        self._done: asyncio.Future[None] = self._loop.create_future()

    async def work(self) -> None:
        """Run all calls to their end; no worker is left then.

        Raises:
            CancelledError: the caller was cancelled.
        """
        # The workers are tasks of their own, so that no body leaves its context
        # variables to the caller or to another call.
        self._relieve()
        if not self._workers:
            return
        try:
            await self._done
        except BaseException:
            await self._stop_all()
            raise

    def _has_more(self) -> bool:
        return self._next < len(self._todo) and not self._run.stopped

    def _relieve(self) -> None:
        """Bring in a worker, if there is something left to do."""
        if self._standby is not None:
            self._standby.cancel()
            self._standby = None
        if self._has_more():
            worker = self._loop.create_task(self._serve())
            self._workers.add(worker)
            worker.add_done_callback(self._gone)

    def _gone(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        error = None if worker.cancelled() else worker.exception()
        if self.is_cancelled or self._done.done():
            return
        if error is not None:
            self._done.set_exception(error)
            return
        if not self._workers:
            self._relieve()
        if not self._workers:
            self._done.set_result(None)

    async def _serve(self) -> None:
        worker = asyncio.current_task()
        assert worker is not None
        clean = copy_context()
        taken = 0
        while self._has_more():
            inv = self._todo[self._next]
            self._next += 1
            if self._standby is None and self._next < len(self._todo):
                self._standby = self._loop.call_soon(self._relieve, context=clean)
            inv.task = worker
            assert inv.plan is not None
            await execute(self._run, inv, inv.plan)
            if worker.cancelling() or _differ(clean):
                return  # the next call begins in a task that nobody has touched
            taken += 1
            if taken % SLICE == 0:
                await asyncio.sleep(0)

    def halt(self) -> None:
        """Leave out the calls that have not started."""
        for inv in self._todo[self._next :]:
            leave_out(inv)
        self._next = len(self._todo)

    async def _stop_all(self) -> None:
        """Cancel the workers and wait for them, however often that is cancelled.

        Bodies and chains have a grace, so this ends.
        """
        self.is_cancelled = True
        if self._standby is not None:
            self._standby.cancel()
        for worker in self._workers:
            worker.cancel()
        while left := [worker for worker in self._workers if not worker.done()]:
            try:
                await asyncio.wait(left)
            except asyncio.CancelledError:
                continue


def _differ(clean: Context) -> bool:
    """Whether a body left context variables behind: the next call needs a new task."""
    try:
        return copy_context() != clean
    except Exception:  # a value that cannot be compared, or not by yes and no
        return True
