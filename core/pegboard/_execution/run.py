"""One batch, from its calls to one result each: the path that every call takes.

Parallel: (1) each call in order is admitted; (2) the chains of those that passed run
together; (3) each call in order is finished. Sequential: (1) to (3) for each call in
turn. A single call is the same path, in its caller's own task.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pegboard._execution import hooks
from pegboard._execution.admission import admit, begin, take_up
from pegboard._execution.crew import Crew
from pegboard._execution.invocation import NOTHING, Invocation
from pegboard._execution.net import execute, leave_out
from pegboard._execution.reporter import Reporter
from pegboard.batches import BatchResult
from pegboard.calls import ToolCall
from pegboard.decisions import Abort, Approve, Deny
from pegboard.events import Event, ToolEnd
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._executor import Executor

#: Place in the batch -> what a person decided, with the hash of what was approved.
Decisions = Mapping[int, tuple[Approve | Deny, str | None]]


class Run:
    """One batch of calls.

    Args:
        executor: Whose registry, hooks and slots apply.
        metadata: What the host says of the caller.
        dry_run: Whether only read-only bodies execute.
        sink: Takes every event besides the observers.
        parent: The call whose body made this one.
        id: The batch's id, of one that is resumed.
        positions: Places of its calls in the batch that is resumed.
        decisions: What a person decided of them.

    Attributes:
        depth: How many calls stand around this batch.
        stopped: Whether no more calls are started.
        aborted: What will be raised once every call has its end.
    """

    def __init__(
        self,
        executor: Executor,
        *,
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool = False,
        sink: Callable[[Event], None] | None = None,
        parent: Invocation | None = None,
        id: str = "",
        positions: Sequence[int] | None = None,
        decisions: Decisions | None = None,
    ) -> None:
        settings = executor.settings
        self.executor = executor
        self.metadata = metadata or NOTHING
        self.dry_run = dry_run
        self.decisions = decisions
        self.reporter = Reporter(executor, sink, self.abort)
        self.hook_timeout = settings.hook_timeout
        self.grace = settings.grace
        self.depth: int = parent.run.depth + 1 if parent else 0
        self.stopped = False
        self.aborted: Abort | None = None
        self.invocations: list[Invocation] = []
        self._parent = parent
        self._id = id
        self._positions = positions
        self._limit: int | None = None
        self._lock: asyncio.Lock | None = None
        self._crew: Crew | None = None
        self._admitting: asyncio.Task[Any] | None = None

    # -- what a call may ask of its batch

    @property
    def id(self) -> str:
        """The batch's id, made when it is first asked for."""
        if not self._id:
            self._id = secrets.token_hex(8)
        return self._id

    def key_of(self, inv: Invocation) -> str:
        """Return the call's idempotency key."""
        return f"{self.id}:{inv.index}"

    @property
    def recheck_lock(self) -> asyncio.Lock:
        """One second check at a time in a batch."""
        if self._lock is None:
            self._lock = asyncio.Lock()
        return self._lock

    def root_of(self, inv: Invocation) -> Invocation:
        """Return the outermost call around a call."""
        return self._parent.run.root_of(self._parent) if self._parent else inv

    def release(self, inv: Invocation) -> None:
        """Give up the resources that a call holds or waits for."""
        if inv.lease is not None:
            self.executor.resources.leave(inv.lease)
            inv.lease = None

    # -- one call

    async def single(self, sent: ToolCall) -> ToolResult:
        """Run one call in its caller's own context and task.

        Raises:
            Abort: a hook or middleware raised it on purpose.
        """
        try:
            inv = begin(self, sent, 0)
            plan = inv.plan
            if inv.result is None and plan is not None and plan.attended:
                await admit(self, inv)
            if inv.result is None:
                await execute(self, inv)
            if self.aborted is None:
                return await self.finish(inv)
        except Abort as abort:
            self.abort(abort)
        except asyncio.CancelledError:
            self._drop_open()
            raise
        raise await self._wind_up([sent])

    async def finish(self, inv: Invocation) -> ToolResult:
        """Pass a result through the after hooks and end its call: phase 3."""
        result = inv.result
        assert result is not None
        if inv.plan is not None and inv.plan.after and not inv.refused:
            result = inv.result = await hooks.rewrite(inv, result)
        self._end(inv, result)
        return result

    def _end(self, inv: Invocation, result: ToolResult) -> None:
        # What the call holds is let go even if an observer aborts.
        call = inv.show() if self.reporter.is_heard else None
        inv.close()
        if call is not None:
            self.reporter.emit(ToolEnd(call, result))

    # -- several calls

    async def batch(
        self, calls: Sequence[ToolCall], *, sequential: bool, limit: int | None
    ) -> None:
        """Run several calls; their results are in `result()`.

        Raises:
            Abort: a hook or middleware raised it on purpose.
        """
        self._limit = limit
        try:
            await (self._in_turn(calls) if sequential else self._together(calls))
        except Abort as abort:
            self.abort(abort)
        except asyncio.CancelledError:
            self._drop_open()
            raise
        if self.aborted is not None:
            raise await self._wind_up(calls)

    async def _together(self, calls: Sequence[ToolCall]) -> None:
        for sent in calls:
            await self._open(sent)
        ready = [inv for inv in self.invocations if inv.result is None]
        await self._work(ready)
        if self.aborted is None:
            for inv in self.invocations:
                await self.finish(inv)

    async def _in_turn(self, calls: Sequence[ToolCall]) -> None:
        waits_for: int | None = None
        for sent in calls:
            if waits_for is None:
                inv = await self._open(sent)
            else:
                inv = take_up(self, sent, self._next_index())
                inv.refuse(
                    "approval_required",
                    f"{sent.name} has not run: it comes after call {waits_for + 1},"
                    " which waits for approval",
                    status="deferred",
                )
            if inv.result is None:
                await self._work([inv])
            if self.aborted is not None:
                return
            await self.finish(inv)
            if inv.pending is not None:
                waits_for = inv.index

    async def _work(self, ready: list[Invocation]) -> None:
        self._crew = Crew(self, ready)
        if self.stopped:
            self._crew.halt()
        await self._crew.work()

    async def _open(self, sent: ToolCall) -> Invocation:
        over = self._limit is not None and len(self.invocations) >= self._limit
        if self.stopped or over:
            inv = take_up(self, sent, self._next_index())
            why = "" if self.stopped else f"a batch runs {self._limit} calls at most"
            leave_out(inv, why)
            return inv
        inv = begin(self, sent, self._next_index())
        if inv.result is None and inv.plan is not None and inv.plan.attended:
            await self._admit_or_halt(inv)
        return inv

    async def _admit_or_halt(self, inv: Invocation) -> None:
        task = self._admitting = asyncio.current_task()
        try:
            await admit(self, inv)
        except asyncio.CancelledError:
            if not self.stopped or task is None:
                raise
            task.uncancel()
            leave_out(inv)
        finally:
            self._admitting = None

    def _next_index(self) -> int:
        place = len(self.invocations)
        return place if self._positions is None else self._positions[place]

    # -- ending early

    def halt(self) -> None:
        """End the batch with complete results: the host's cancel event."""
        if self.stopped:
            return
        self.stopped = True
        if self._admitting is not None:
            self._admitting.cancel()
        if self._crew is not None:
            self._crew.halt()

    def abort(self, abort: Abort) -> None:
        """End the batch as `halt` does, and remember to raise."""
        if self.aborted is None:
            self.aborted = abort
            self.reporter.is_aborting = True
        self.halt()

    async def _wind_up(self, calls: Sequence[ToolCall]) -> Abort:
        """Give every call its end, and return the Abort with all results."""
        assert self.aborted is not None
        for sent in calls[len(self.invocations) :]:
            leave_out(take_up(self, sent, self._next_index()))
        for inv in self.invocations:
            if inv.result is None:
                leave_out(inv)
            if not inv.closed:
                try:
                    await self.finish(inv)
                except Abort:
                    self._end(inv, inv.result or leave_out(inv))
        self.aborted.batch = self.result()
        return self.aborted

    def _drop_open(self) -> None:
        """The caller is cancelled: end every open call, ask nobody."""
        self.stopped = self.reporter.is_aborting = True
        for inv in self.invocations:
            self.release(inv)
            if not inv.closed:
                inv.result = inv.make("cancelled", "", status="cancelled")
                self._end(inv, inv.result)

    def result(self) -> BatchResult:
        """Return what the batch came to."""
        return BatchResult(
            [inv.result for inv in self.invocations if inv.result is not None],
            pending=[inv.pending for inv in self.invocations if inv.pending],
            id=self.id,
            dropped=self.reporter.dropped,
        )
