"""The workers of one batch: as few tasks as the bodies need.

A worker takes one call after another until one suspends; a standby, scheduled before
each call, then brings in the next worker. Bodies that never suspend share one task,
and every call runs from start to end in one task.
"""

from __future__ import annotations

import asyncio
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
    """

    def __init__(self, run: Run, todo: list[Invocation]) -> None:
        self._run = run
        self._todo = todo
        self._next = 0
        self._left = len(todo)
        self._loop = asyncio.get_running_loop()
        self._workers: set[asyncio.Task[None]] = set()
        self._standby: asyncio.Handle | None = None
        self._done: asyncio.Future[None] = self._loop.create_future()

    async def work(self) -> None:
        """Run all calls to their end.

        Raises:
            CancelledError: the caller was cancelled; all workers have ended or, after
                the grace, been given up.
        """
        if not self._todo:
            return
        # The workers are tasks of their own, so that no body leaves its context
        # variables to the caller or to another call.
        self._relieve()
        try:
            await self._done
        except asyncio.CancelledError:
            await self._stop_all()
            raise
        finally:
            if self._standby is not None:
                self._standby.cancel()

    def _relieve(self) -> None:
        self._standby = None
        if self._next < len(self._todo) and not self._run.stopped:
            worker = self._loop.create_task(self._serve())
            self._workers.add(worker)
            worker.add_done_callback(self._gone)

    def _gone(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if self._done.done():
            return
        error = None if worker.cancelled() else worker.exception()
        if error is not None:
            self._done.set_exception(error)
        elif worker.cancelled() and not self._workers:
            self._done.cancel()
        elif not self._workers and self._next < len(self._todo):
            self._relieve()

    async def _serve(self) -> None:
        worker = asyncio.current_task()
        clean = copy_context()
        taken = 0
        while self._next < len(self._todo) and not self._run.stopped:
            inv = self._todo[self._next]
            self._next += 1
            if self._standby is None and self._next < len(self._todo):
                self._standby = self._loop.call_soon(self._relieve, context=clean)
            inv.task = worker
            await execute(self._run, inv)
            self._ended()
            if inv.stopping or _differ(clean):
                return
            taken += 1
            if taken % SLICE == 0:
                await asyncio.sleep(0)

    def _ended(self) -> None:
        self._left -= 1
        if self._left == 0 and not self._done.done():
            self._done.set_result(None)

    def halt(self) -> None:
        """End early: running calls are told to stop, unstarted ones are left out."""
        for inv in self._todo[: self._next]:
            if inv.result is None and inv.task is not None and not inv.stopping:
                inv.stopping = True
                inv.task.cancel()
        for inv in self._todo[self._next :]:
            leave_out(inv)
            self._ended()
        self._next = len(self._todo)

    async def _stop_all(self) -> None:
        for worker in self._workers:
            worker.cancel()
        if self._workers:
            # A body has its own grace; the second one is for a middleware that does
            # not let go.
            await _settle(self._workers, self._run.grace * 2 + 0.1)


async def _settle(tasks: set[asyncio.Task[None]], seconds: float) -> None:
    """Wait for tasks to end, however often the caller is cancelled meanwhile."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while tasks and loop.time() < end:
        try:
            await asyncio.wait(set(tasks), timeout=end - loop.time())
        except asyncio.CancelledError:
            continue


def _differ(clean: Context) -> bool:
    """Whether a body left context variables behind: the next call needs a new task."""
    return copy_context() != clean
