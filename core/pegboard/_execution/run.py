"""One batch, from its calls to one result each: the path that every call takes.

Parallel: (1) for each call in order: found, parsed, prepared, validated, guarded;
(2) the chains of those that passed, together; (3) for each call in order: rewritten,
ended. Sequential: (1) to (3) for each call in turn. A single call is the same path.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pegboard._execution import hooks
from pegboard._execution.crew import Crew
from pegboard._execution.invocation import NOTHING, Invocation
from pegboard._output import redact
from pegboard._slots import Slots
from pegboard.batches import BatchResult
from pegboard.calls import Arguments, ToolCall, make_call
from pegboard.content import Content
from pegboard.decisions import Abort, Approve, Deny
from pegboard.errors import InvalidArguments, PluginError, ToolError, UsageError
from pegboard.events import Event, ToolEnd, ToolReturned, ToolStart, ToolUpdate
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._chain import Plan
    from pegboard._executor import Executor

log = logging.getLogger("pegboard")

#: Updates of one call that wait for the loop, or for a slow consumer, at most.
MAX_WAITING = 1_000
#: How deep tools may call tools.
MAX_DEPTH = 8


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
        decisions: Place -> what a person decided, with the hash of what was approved.
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
        decisions: Mapping[int, tuple[Approve | Deny, str | None]] = MappingProxyType(
            {}
        ),
    ) -> None:
        self._executor = executor
        self._positions = positions
        self._decisions = decisions
        self._limit: int | None = None
        self._sink = sink
        self._parent = parent
        self.depth: int = parent.run.depth + 1 if parent else 0
        self._id = id
        self._lock: asyncio.Lock | None = None
        self._crew: Crew | None = None
        self._admitting: asyncio.Task[Any] | None = None
        self.metadata = metadata or NOTHING
        self.dry_run = dry_run
        self.observers = executor.observers
        self.listening = bool(self.observers) or sink is not None
        self.hook_timeout = executor.settings.hook_timeout
        self.grace = executor.settings.grace
        self.error_detail = executor.settings.error_detail
        self.resources = executor.resources
        self.dropped = 0
        self.stopped = False
        self.aborted: Abort | None = None
        self.invocations: list[Invocation] = []

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

    def slots_of(self, plan: Plan) -> tuple[Slots, ...]:
        """Return the slots that a body needs; a nested one runs in its caller's."""
        return () if self.depth else plan.slots

    # -- events

    def emit(self, event: Event) -> None:
        """Tell the observers and the stream.

        Raises:
            Abort: a required observer failed, or one raised it on purpose.
        """
        for item in self.observers:
            try:
                item.function(event)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                kind = type(error).__name__
                log.warning("plugin %s failed in on_event: %s", item.plugin, kind)
                if self.aborted is not None:
                    continue
                if isinstance(error, Abort):
                    raise
                if item.required:
                    raise Abort(
                        f"required plugin {item.plugin!r} failed in on_event ({kind});"
                        " what it must record does not run unrecorded"
                    ) from error
        if self._sink is not None:
            self._sink(event)

    def update(
        self, inv: Invocation, content: tuple[Content, ...], details: Any
    ) -> None:
        """Take a partial result of a body, from any thread."""
        if not self.listening:
            return
        if threading.get_ident() == self._executor.thread:
            self._deliver(inv, content, details)
            return
        if inv.waiting is None:
            inv.waiting = deque()
        inv.waiting.append((content, details))
        if len(inv.waiting) > MAX_WAITING:
            inv.waiting.popleft()
            self.dropped += 1
        else:
            self._executor.inbox.put(self._deliver_next, inv)

    def _deliver_next(self, inv: Invocation) -> None:
        if inv.waiting:
            self._deliver(inv, *inv.waiting.popleft())

    def _deliver(
        self, inv: Invocation, content: tuple[Content, ...], details: Any
    ) -> None:
        if inv.ended or inv.plan is None:
            self.dropped += 1
            return
        if not inv.plan.updates:
            content, details = (), None
        if inv.secrets:
            content, details = redact((content, details), inv.secrets)
        try:
            self.emit(ToolUpdate(inv.show(), content, details))
        except Abort as abort:
            # Raised where nobody of ours can catch it: inside a body, or the inbox.
            self.abort(abort)

    # -- phase 1

    def begin(self, sent: ToolCall, index: int) -> Invocation:
        """Take up a call: find its tool, read its arguments, validate them.

        What needs to await, hooks and hidden values, is left to `admit`.
        """
        inv = self._take_up(sent, index)
        if inv.result is not None:
            return inv
        try:
            plan = inv.plan = self._executor.plan(sent.name)
            if sent.truncated:
                raise InvalidArguments(
                    "This call was cut off by the output limit, so it was not run."
                    " Send it again in full, or in smaller parts.",
                    code="truncated_arguments",
                )
            value, text = inv.read(self._executor.settings.max_argument_bytes)
            if plan.prepare:
                inv.bound = value
            else:
                inv.accept(value, text)
        except ToolError as error:
            inv.refuse(error.code, str(error), by=_culprit(error), error=error)
        return inv

    def _take_up(self, sent: ToolCall, index: int) -> Invocation:
        inv = Invocation(self, sent, index)
        self.invocations.append(inv)
        decision = self._decisions.get(index)
        if decision is not None and isinstance(decision[0], Approve):
            inv.approval, inv.approved = decision[0], decision[1]
        if self.listening:
            self.emit(ToolStart(inv.show()))
        if decision is not None and isinstance(decision[0], Deny):
            inv.refuse(
                "denied",
                f"{sent.name} did not run: {decision[0].reason}",
                status="blocked",
            )
        return inv

    async def admit(self, inv: Invocation) -> None:
        """Prepare, guard and inject: the awaiting part of phase 1."""
        plan = inv.plan
        if inv.result is not None or plan is None:
            return
        if plan.prepare:
            value = await hooks.prepare(inv, inv.bound)
            if value is None:
                return
            try:
                inv.accept(value, None)
            except InvalidArguments as error:
                inv.refuse(error.code, str(error), error=error)
                return
        assert inv.call is not None
        if plan.before and await hooks.guard(inv, inv.call) is not None:
            return
        if plan.hidden.injected and not self.dry_run and not await hooks.inject(inv):
            return
        if plan.resources:
            self.renew_lease(inv)

    def renew_lease(self, inv: Invocation) -> None:
        """Take a place in the queue of each resource that the arguments name."""
        if inv.lease is not None:
            self.resources.leave(inv.lease)
            inv.lease = None
        assert inv.plan is not None
        assert inv.call is not None
        keys = {
            key
            for template in inv.plan.resources
            if (key := _fill(template, inv.call.arguments or {})) is not None
        }
        if keys:
            inv.lease = self.resources.enter(keys, self.root_of(inv))

    def root_of(self, inv: Invocation) -> Invocation:
        """Return the outermost call around a call."""
        return self._parent.run.root_of(self._parent) if self._parent else inv

    # -- phase 2

    async def execute(self, inv: Invocation) -> None:
        """Run the chain of a call; the outer net around middlewares and body."""
        plan = inv.plan
        assert plan is not None
        try:
            assert inv.call is not None
            result = await plan.chain(inv.call)
            if type(result) is not ToolResult:
                raise TypeError(
                    f"middleware returned {type(result).__name__!r}, not a ToolResult"
                )
        except BaseException as error:
            result = self._caught(inv, error)
        finally:
            if inv.lease is not None:
                self.resources.leave(inv.lease)
                inv.lease = None
        if inv.barred is not None:
            result, inv.refused = inv.barred, inv.executed == "no"
        if result.call is not inv.sent:
            result = result.replace(
                call=inv.sent,
                executed=inv.executed,
                repairs=inv.repairs,
                started=inv.started,
                duration=time.monotonic() - inv.t0,
            )
        inv.result = result
        if self.listening:
            try:
                self.emit(ToolReturned(inv.show(), result.status, result.duration))
            except Abort as abort:
                self.abort(abort)

    def _caught(self, inv: Invocation, error: BaseException) -> ToolResult:
        if isinstance(error, (KeyboardInterrupt, GeneratorExit)):
            raise error
        if isinstance(error, asyncio.CancelledError):
            task = asyncio.current_task()
            if inv.stopping and task is not None:
                task.uncancel()
                return self._cut_short(inv)
            if task is not None and task.cancelling() > 0:
                raise error
        if isinstance(error, Abort):
            self.abort(error)
            return self._cut_short(inv)
        plugin = getattr(error, "pegboard_layer", "code")
        kind = type(error).__name__
        log.warning("a middleware of plugin %s failed: %s", plugin, kind)
        ran = "did not run" if inv.executed == "no" else "ran"
        return inv.make(
            "middleware_failed",
            f"{inv.sent.name} {ran}: a middleware of plugin {plugin!r} failed ({kind})",
            status="error",
            by=plugin,
            error=error,
        )

    def _cut_short(self, inv: Invocation) -> ToolResult:
        if inv.executed == "no":
            return self.leave_out(inv)
        return inv.make(
            "cancelled", f"{inv.sent.name} was cancelled", status="cancelled"
        )

    def leave_out(self, inv: Invocation, why: str = "") -> ToolResult:
        """End a call that never started."""
        reason = why or "the batch ended before its turn"
        return inv.refuse(
            "not_started", f"{inv.sent.name} did not run: {reason}", status="cancelled"
        )

    # -- phase 3

    async def finish(self, inv: Invocation) -> ToolResult:
        """Pass the result through the after hooks and end the call."""
        result = inv.result
        assert result is not None
        if inv.plan is not None and inv.plan.after and not inv.refused:
            result = inv.result = await hooks.rewrite(inv, result)
        self._end(inv, result)
        return result

    def _end(self, inv: Invocation, result: ToolResult) -> None:
        # What the call holds is let go even if an observer aborts.
        call = inv.show() if self.listening else None
        inv.close()
        if call is not None:
            self.emit(ToolEnd(call, result))

    # -- the whole

    async def single(self, sent: ToolCall) -> ToolResult:
        """Run one call in its caller's own context and task."""
        try:
            inv = self.begin(sent, 0)
            plan = inv.plan
            if inv.result is None and plan is not None and plan.attended:
                await self.admit(inv)
            if inv.result is None:
                inv.task = asyncio.current_task()
                await self.execute(inv)
            result = await self.finish(inv)
        except Abort as abort:
            self.aborted = self.aborted or abort
        except asyncio.CancelledError:
            self._drop_open()
            raise
        if self.aborted is not None:
            await self._wind_up([sent])
        return result

    async def batch(
        self, calls: Sequence[ToolCall], *, sequential: bool, limit: int | None
    ) -> None:
        """Run several calls; their results are in `invocations`."""
        self._limit = limit
        try:
            if sequential:
                await self._in_turn(calls)
            else:
                await self._together(calls)
        except Abort as abort:
            self.abort(abort)
        except asyncio.CancelledError:
            self._drop_open()
            raise
        if self.aborted is not None:
            await self._wind_up(calls)

    async def _together(self, calls: Sequence[ToolCall]) -> None:
        for sent in calls:
            await self._open(sent)
        crew = self._crew = Crew(
            self, [inv for inv in self.invocations if inv.result is None]
        )
        if self.stopped:
            crew.halt()
        await crew.work()
        if self.aborted is not None:
            return
        for inv in self.invocations:
            await self.finish(inv)

    async def _in_turn(self, calls: Sequence[ToolCall]) -> None:
        waits_for: int | None = None
        for sent in calls:
            if waits_for is None:
                inv = await self._open(sent)
            else:
                inv = self._take_up(sent, self._next_index())
                inv.refuse(
                    "approval_required",
                    f"{sent.name} has not run: it comes after call {waits_for + 1},"
                    " which waits for approval",
                    status="deferred",
                )
            if inv.result is None:
                self._crew = Crew(self, [inv])
                await self._crew.work()
            if self.aborted is not None:
                return
            await self.finish(inv)
            if inv.pending is not None:
                waits_for = inv.index

    async def _open(self, sent: ToolCall) -> Invocation:
        if self.stopped or self._is_over_limit():
            inv = self._take_up(sent, self._next_index())
            why = "" if self.stopped else f"a batch runs {self._limit} calls at most"
            self.leave_out(inv, why)
            return inv
        inv = self.begin(sent, self._next_index())
        if inv.result is None and inv.plan is not None and inv.plan.attended:
            await self._admit_or_halt(inv)
        return inv

    async def _admit_or_halt(self, inv: Invocation) -> None:
        task = self._admitting = asyncio.current_task()
        try:
            await self.admit(inv)
        except asyncio.CancelledError:
            if not self.stopped or task is None:
                raise
            task.uncancel()
            self.leave_out(inv)
        finally:
            self._admitting = None

    def _next_index(self) -> int:
        place = len(self.invocations)
        return place if self._positions is None else self._positions[place]

    def _is_over_limit(self) -> bool:
        return self._limit is not None and len(self.invocations) >= self._limit

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
        self.halt()

    async def _wind_up(self, calls: Sequence[ToolCall]) -> None:
        """Give every call its end, then raise the Abort with all results."""
        assert self.aborted is not None
        for sent in calls[len(self.invocations) :]:
            self.leave_out(self._take_up(sent, self._next_index()))
        for inv in self.invocations:
            if inv.result is None:
                self.leave_out(inv)
            if not inv.closed:
                await self.finish(inv)
        self.aborted.batch = self.result()
        raise self.aborted

    def _drop_open(self) -> None:
        """The caller is cancelled: end every open call, ask nobody."""
        self.stopped = True
        for inv in self.invocations:
            if inv.lease is not None:
                self.resources.leave(inv.lease)
                inv.lease = None
            if not inv.closed:
                inv.result = inv.make("cancelled", "", status="cancelled")
                try:
                    self._end(inv, inv.result)
                except Abort:
                    continue  # cancellation is on its way out already

    def result(self) -> BatchResult:
        """Return what the batch came to."""
        return BatchResult(
            [inv.result for inv in self.invocations if inv.result is not None],
            pending=[inv.pending for inv in self.invocations if inv.pending],
            id=self.id,
            dropped=self.dropped,
        )

    # -- tools that call tools

    async def nested(
        self, inv: Invocation, name: str, arguments: Arguments
    ) -> ToolResult:
        """Call another tool from a body, in its slot and cancel scope."""
        if inv.ended:
            raise UsageError(f"{inv.sent.name} has ended: it can call nothing more")
        sent = make_call(name, arguments, self._executor.new_id())
        run = Run(
            self._executor, metadata=self.metadata, dry_run=self.dry_run, parent=inv
        )
        if run.depth > MAX_DEPTH:
            refused = Invocation(run, sent, 0)
            return refused.refuse(
                "blocked",
                f"{name} did not run: tools call each other {MAX_DEPTH} deep at most",
                status="blocked",
            )
        return await run.single(sent)

    def nested_sync(
        self, inv: Invocation, name: str, arguments: Arguments
    ) -> ToolResult:
        """Do what `nested` does, from a body's thread."""
        if threading.get_ident() == self._executor.thread:
            raise UsageError("call_sync would stop the loop it waits for; await call()")
        return self._executor.wait(self.nested(inv, name, arguments))


def _culprit(error: ToolError) -> str | None:
    if isinstance(error.__cause__, PluginError):
        return error.__cause__.plugin
    return error.details.get("plugin") if isinstance(error.details, dict) else None


def _fill(template: str, arguments: Mapping[str, Any]) -> str | None:
    """Return a resource's key; None if the arguments lack what it names."""
    try:
        return template.format_map(arguments)
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        return None
