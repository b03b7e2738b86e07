"""One call on its way through the executor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pegboard._arguments import (
    copy_mapping,
    explain_binding,
    parse_text,
    read_arguments,
)
from pegboard._execution.defaults import InvocationDefaults
from pegboard._frozen import freeze
from pegboard.calls import PreparedCall, Repair, ToolCall, prepare_call
from pegboard.content import text_block
from pegboard.decisions import Approve
from pegboard.errors import ToolError
from pegboard.results import Executed, Status, ToolResult

if TYPE_CHECKING:
    from asyncio import Task

    from pegboard._execution.run import Run
    from pegboard._plan import Plan
    from pegboard._slots import Lease

NOTHING: Mapping[str, Any] = freeze({})


class Invocation(InvocationDefaults):
    """What the executor knows of one call.

    Attributes:
        run: The batch it belongs to.
        plan: The chain of its tool, None until the tool is found.
        call: What hooks see; the guarded call once the guards have passed it.
        bound: `(args, kwargs)` for the body, or the dict.
        result: None until it is known; final after the last hook.
        executed: Whether the body ran.
        refused: Whether it ended before execution: no middleware, no after hook.
        barred: The refusal of a second check; nothing runs after it.
        ended: Whether the body ended: later updates are dropped.
        closed: Whether the call has its final result.
        task: What runs its chain now, so that it can be told to stop.
        stopping: Whether the batch told it to end early.
        approved: Hash of the call that a person approved.
        lease: Its place in the queues of its resources.
        children: Tasks of calls that its body's thread made; they end with it.
        nested: How many calls its body has made.
        turn: How often a body was made ready: only the latest may still speak.
        waiting: Updates from threads on their way to the loop.
    """

    # Slots for what every call touches: a default on the class is slow to read.
    __slots__ = (
        "approval",
        "barred",
        "bound",
        "call",
        "closed",
        "ended",
        "executed",
        "index",
        "lease",
        "plan",
        "refused",
        "repairs",
        "result",
        "run",
        "secrets",
        "sent",
        "started",
        "stopping",
        "t0",
        "task",
    )

    def __init__(self, run: Run, sent: ToolCall, index: int) -> None:
        self.run = run
        self.sent = sent
        self.index = index
        self.started = time.time()
        self.t0 = time.monotonic()
        self.plan: Plan | None = None
        self.call: PreparedCall | None = None
        self.bound: Any = None
        self.result: ToolResult | None = None
        self.executed: Executed = "no"
        self.refused = self.ended = self.closed = self.stopping = False
        self.barred: ToolResult | None = None
        self.repairs: tuple[Repair, ...] = ()
        self.secrets: tuple[str, ...] = ()
        self.lease: Lease | None = None
        self.task: Task[Any] | None = None
        self.approval: Approve | None = None

    # -- ending early

    def stop(self) -> None:
        """Tell a running call to end, as its batch does."""
        if self.task is not None and not self.stopping:
            self.stopping = True
            self._before = self.task.cancelling()
            self.task.cancel()

    async def stand_down(self) -> None:
        """Take `stop` back once the chain has ended, delivered or not.

        Raises:
            CancelledError: somebody else cancels the task, too.
        """
        task = self.task
        assert task is not None
        task.uncancel()
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            if task.cancelling() > self._before:
                raise

    # -- arguments

    def read(self, limit: int) -> tuple[dict[str, Any], str | None]:
        """Return the arguments as sent, and their strict JSON text if that is known.

        Raises:
            InvalidArguments: they are no JSON object, or cut off.
        """
        arguments = self.sent.arguments
        if self.approval is not None and self.approval.arguments is not None:
            arguments = dict(self.approval.arguments)
        try:
            if type(arguments) is str:
                return parse_text(arguments, limit), arguments
            if type(arguments) is dict:
                return copy_mapping(arguments), None
        except ValueError:
            pass  # the slow path decides and explains
        assert self.plan is not None
        value, text, self.repairs = read_arguments(
            arguments, strict=self.plan.strict, limit=limit
        )
        return value, text

    def takes_at_once(self, plan: Plan, limit: int) -> bool:
        """Take the arguments if they are text and as they should be: most are."""
        text = self.sent.arguments
        if type(text) is not str or plan.bind is None or self.approval is not None:
            return False
        # Called by names of their own: Python looks `plan.bind(...)` up as a method.
        is_valid, bind = plan.is_valid, plan.bind
        try:
            value = parse_text(text, limit, plan.is_closed)
            if not is_valid(value):
                return False
            self.bound = bind(value)
        except Exception:  # the long way decides and explains
            return False
        run = self.run
        if not plan.bare or run.is_heard or run.dry_run:
            self.call = prepare_call(
                self.sent,
                self.index,
                plan.tool,
                text,
                metadata=run.metadata,
                state=self,
            )
        return True

    def accept(self, value: dict[str, Any], text: str | None) -> None:
        """Validate and bind arguments; they become `call` and `bound`.

        Raises:
            InvalidArguments: they do not fit.
        """
        plan = self.plan
        assert plan is not None
        is_seen = not plan.bare or self.run.is_heard or self.run.dry_run
        if not plan.is_valid(value):
            value, repairs = plan.schema.fit(value, strict=plan.strict)
            self.repairs += repairs
            text = None
        elif plan.bind is None or (text is None and is_seen):
            # Else a binder makes 3 of 3.0 by itself, and `settle` does for lookers.
            value, text = plan.schema.settle(value, text)
        self._bind(plan, value)
        if not is_seen:
            return
        # The body may keep and change what it is given, so what others see is made
        # from the text, or copied now; nobody else looks at an unwatched call.
        shown: Any = text
        if text is None:
            is_kept = plan.watched or plan.resources or plan.retry
            shown = freeze(value) if is_kept or self.run.is_heard else value
        self.call = prepare_call(
            self.sent,
            self.index,
            plan.tool,
            shown,
            metadata=self.run.metadata,
            approval=self.approval,
            state=self,
        )

    def _bind(self, plan: Plan, value: dict[str, Any]) -> None:
        if plan.bind is None:
            self.bound = value
            return
        try:
            self.bound = plan.bind(value)
            return
        except Exception as error:  # pydantic's, or of a check of the author's
            refused = explain_binding(error, value, plan.schema)
        raise refused  # here, where it has no context that quotes the values

    def settle(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return valid arguments, made from their text, as they are to be seen."""
        assert self.plan is not None
        return self.plan.schema.settle(value, None)[0]

    @property
    def key(self) -> str:
        """The call's idempotency key."""
        return f"{self.run.id}:{self.index}"

    def show(self, value: Any = None) -> PreparedCall:
        """Return the call as far as it is known, for hooks and events."""
        return self.call or prepare_call(
            self.sent,
            self.index,
            self.plan.tool if self.plan else None,
            None if value is None else freeze(value),
            metadata=self.run.metadata,
            approval=self.approval,
            state=self,
        )

    # -- results

    def make(
        self,
        code: str | None,
        text: str,
        *,
        status: Status,
        by: str | None = None,
        error: BaseException | None = None,
        details: Any = None,
    ) -> ToolResult:
        """Return a result of this call with one text."""
        content = (text_block(text),) if text else ()
        duration = time.monotonic() - self.t0
        return ToolResult(
            content,
            details=details,
            status=status,
            code=code,
            call=self.sent,
            by=by,
            executed=self.executed,
            error=error,
            repairs=self.repairs,
            started=self.started,
            duration=duration,
        )

    def refuse(
        self,
        code: str,
        text: str,
        *,
        status: Status = "error",
        by: str | None = None,
        error: BaseException | None = None,
        details: Any = None,
    ) -> ToolResult:
        """End the call before execution."""
        self.refused = True
        self.result = self.make(
            code, text, status=status, by=by, error=error, details=details
        )
        return self.result

    def turn_down(self, error: ToolError, by: str | None = None) -> None:
        """Refuse the call because of what was found; where in our code says nothing."""
        bare = error.with_traceback(None)
        self.refuse(error.code, str(error), by=by, error=bare)

    def close(self) -> None:
        """Let go of everything: a cycle with the call would cost the collector."""
        self.closed = self.ended = True
        self.call = self.bound = self.barred = None
        if self.plan is not None and not self.plan.plain:
            self.injected = self.waiting = None
            self.secrets = ()
