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

from pegboard._execution.admission import admit, begin
from pegboard._execution.crew import Crew
from pegboard._execution.defaults import RunDefaults
from pegboard._execution.ending import drop_open, wind_up
from pegboard._execution.finishing import finish
from pegboard._execution.guards import guard
from pegboard._execution.invocation import NOTHING, Invocation
from pegboard._execution.net import execute
from pegboard._execution.order import in_turn, together
from pegboard._execution.reporter import Reporter
from pegboard._frozen import freeze
from pegboard.batches import BatchResult
from pegboard.calls import ToolCall
from pegboard.decisions import Abort, Approve, Deny
from pegboard.events import Event, end_event
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._executor import Executor
    from pegboard._plan import Plan

#: Place in the batch -> what a person decided, with the hash of what was approved.
Decisions = Mapping[int, tuple[Approve | Deny, str | None]]


class Run(RunDefaults):
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
        is_quiet: Whether nobody takes part in any of its calls.
        is_batch: Whether its results are asked for together, by `result`.
        aborted: What will be raised once every call has its end.
        invocations: Its calls, as far as they have been taken up.
        limit: How many calls are run at most, None for all.
        admitting: The task in which a call is being admitted, to stop it there.
        recheck_lock: Lets one call at a time be checked again, once one has been.
    """

    _crew: Crew | None
    # Slots for what every call touches: a default on the class is slow to read.
    __slots__ = (
        "_reporter",
        "aborted",
        "decisions",
        "depth",
        "dry_run",
        "executor",
        "invocations",
        "is_batch",
        "is_heard",
        "is_quiet",
        "metadata",
    )

    def __init__(
        self,
        executor: Executor,
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool = False,
        *,
        sink: Callable[[Event], None] | None = None,
        parent: Invocation | None = None,
        id: str = "",
        positions: Sequence[int] | None = None,
        decisions: Decisions | None = None,
    ) -> None:
        self.executor = executor
        # A copy: what one tool does to it is nothing that another's guard should see.
        self.metadata = freeze(dict(metadata)) if metadata else NOTHING
        self.dry_run = dry_run
        self.is_heard = sink is not None or bool(executor.observers)
        self.invocations: list[Any] = []
        self.decisions = decisions
        self.depth = 0
        self.is_quiet = self.is_batch = False
        self.aborted: Abort | None = None
        self._reporter: Reporter | None = None
        if sink is not None or parent is not None or id:
            self.depth = parent.run.depth + 1 if parent else 0
            self._id = id
            self._sink = sink
            self._parent = parent
            self._positions = positions

    # -- what a call may ask of its batch

    @property
    def reporter(self) -> Reporter:
        """Tells observers and the stream what happens; made when it is needed."""
        if self._reporter is None:
            self._reporter = Reporter(self.executor, self._sink)
        return self._reporter

    @property
    def id(self) -> str:
        """The batch's id, made when it is first asked for."""
        if not self._id:
            self._id = secrets.token_hex(8)
        return self._id

    def callers_of(self) -> list[Invocation]:
        """Return the calls that stand around this batch, the nearest first."""
        parent = self._parent
        return [parent, *parent.run.callers_of()] if parent else []

    def release(self, inv: Invocation) -> None:
        """Give up the resources that a call holds or waits for."""
        if inv.lease is not None:
            self.executor.resources.leave(inv.lease)
            inv.lease = None

    def is_cancelled(self) -> bool:
        """Whether the batch's caller is being cancelled; asked in a call's own task."""
        if self._crew is not None:
            return self._crew.is_cancelled
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0

    def tell(self, event: Event) -> None:
        """Tell everybody; an Abort ends the batch without being raised here."""
        try:
            (self._reporter or self.reporter).emit(event)
        except Abort as abort:
            self.abort(abort)

    # -- one call

    async def single(self, sent: ToolCall, plan: Plan | None = None) -> ToolResult:
        """Run one call in its caller's own context and task, by its plan if known.

        Raises:
            Abort: a hook or middleware raised it on purpose.
        """
        try:
            try:
                inv = begin(self, sent, 0, plan)
                plan = inv.plan
                if inv.result is None and plan is not None:
                    late: Any = None
                    if plan.asked:
                        late = guard(inv, plan)  # as `admit` does, a call less
                    elif plan.attended:
                        late = admit(self, inv, plan)
                    if late is not None:
                        if type(late) is not ToolResult:
                            await late
                        late = None  # see forget
                    if inv.result is None:
                        if not plan.plain:
                            inv.task = asyncio.current_task()
                        await execute(self, inv, plan)
                if self.aborted is None:
                    final = finish(self, inv)
                    try:
                        return final if type(final) is ToolResult else await final
                    finally:
                        del final  # see forget
            except Abort as abort:
                self.abort(abort)
            raise await wind_up(self, [sent])
        except BaseException:
            drop_open(self)
            raise

    def end(self, inv: Invocation, result: ToolResult) -> None:
        """Give a call its last result, and let go what it holds."""
        # What the call holds is let go even if an observer aborts.
        if inv.lease is not None:
            self.release(inv)
        if self.is_heard:
            call = inv.call or inv.show()
            inv.close()
            (self._reporter or self.reporter).emit(end_event(call, result))
        else:
            inv.close()
        if not self.is_batch:
            inv.result = None  # as `forget` does, of the only one
            self.invocations.clear()

    def forget(self) -> None:
        """Hold the calls no more.

        A call and its batch know each other, and the traceback of a result's exception
        leads back to the call, and to each frame that was around what raised: circles
        that only the collector would find. So no frame of ours ends with a result in a
        variable of its own.
        """
        for inv in self.invocations:
            inv.result = None
        self.invocations.clear()

    # -- several calls

    async def batch(
        self, calls: Sequence[ToolCall], *, sequential: bool, limit: int | None
    ) -> None:
        """Run several calls; their results are in `result()`.

        Raises:
            Abort: a hook or middleware raised it on purpose.
        """
        self.limit, self.is_batch = limit, True
        try:
            try:
                await (in_turn if sequential else together)(self, calls)
            except Abort as abort:
                self.abort(abort)
            if self.aborted is not None:
                raise await wind_up(self, calls)
        except BaseException:
            drop_open(self)
            raise

    async def work(self, ready: Sequence[Invocation]) -> None:
        """Run the chains of calls that the guards have passed: phase 2."""
        if not ready:
            return
        self._crew = Crew(self, ready)
        if self.stopped:
            self._crew.halt()
        try:
            await self._crew.work()
        finally:
            self._crew = None

    def next_index(self) -> int:
        """Return the place in the whole batch of the call that is taken up next."""
        place = len(self.invocations)
        return place if self._positions is None else self._positions[place]

    # -- ending early

    def halt(self) -> None:
        """End the batch with complete results: the host's cancel event."""
        if self.stopped:
            return
        self.stopped = True
        if self.admitting is not None:
            self.admitting.cancel()
        for inv in self.invocations:
            inv.stop()
        if self._crew is not None:
            self._crew.halt()

    def abort(self, abort: Abort) -> None:
        """End the batch as `halt` does, and remember to raise."""
        if self.aborted is None:
            self.aborted = abort
            self.reporter.is_aborting = True
        self.halt()

    def result(self) -> BatchResult:
        """Return what the batch came to; asked once."""
        batch = BatchResult(
            [inv.result for inv in self.invocations if inv.result is not None],
            pending=[inv.pending for inv in self.invocations if inv.pending],
            id=self.id,
            dropped=self._reporter.dropped if self._reporter else 0,
        )
        self.forget()
        return batch
