"""One call on its way through the executor."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pegboard._arguments import (
    copy_mapping,
    explain_binding,
    parse_text,
    read_arguments,
)
from pegboard._frozen import freeze
from pegboard.batches import PendingCall
from pegboard.calls import PreparedCall, Repair, ToolCall, prepare_call
from pegboard.content import text_block
from pegboard.decisions import Approve
from pegboard.results import Executed, OpenResult, Status, ToolResult

if TYPE_CHECKING:
    from asyncio import Task
    from collections import deque
    from concurrent.futures import Future

    from pydantic import ValidationError

    from pegboard._execution.run import Run
    from pegboard._plan import Plan
    from pegboard._slots import Lease
    from pegboard.content import Content

NOTHING: Mapping[str, Any] = freeze({})


class Invocation:
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
        stopping: Whether the batch told it to end early.
        approved: Hash of the arguments that a person approved.
        children: Calls that its body's thread waits for; they end with it.
    """

    __slots__ = (
        "approval",
        "approved",
        "barred",
        "bound",
        "call",
        "children",
        "closed",
        "ended",
        "executed",
        "index",
        "injected",
        "lease",
        "pending",
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
        "waiting",
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
        self.pending: PendingCall | None = None
        self.repairs: tuple[Repair, ...] = ()
        self.injected: Mapping[str, Any] | None = None
        self.secrets: tuple[str, ...] = ()
        self.lease: Lease | None = None
        self.task: Task[Any] | None = None
        self.children: list[Future[ToolResult]] = []
        self.waiting: deque[tuple[tuple[Content, ...], Any]] | None = None
        self.approval: Approve | None = None
        self.approved: str | None = None

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

    def accept(self, value: dict[str, Any], text: str | None) -> None:
        """Validate and bind arguments; they become `call` and `bound`.

        Raises:
            InvalidArguments: they do not fit.
        """
        plan = self.plan
        assert plan is not None
        if not plan.is_valid(value):
            value, repairs = plan.schema.fit(value, strict=plan.strict)
            self.repairs += repairs
            text = None
        if plan.bind is None:
            self.bound = value
        else:
            try:
                self.bound = plan.bind(value)
            except ValueError as error:  # pydantic's ValidationError is one
                raise explain_binding(cast("ValidationError", error), value) from error
        # The body may keep and change what it is given, so what hooks see is made
        # from the text, or copied now; nobody else looks at an unwatched call.
        shown = text or (freeze(value) if plan.watched or plan.resources else value)
        self.call = prepare_call(
            self.sent,
            self.index,
            plan.tool,
            shown,
            metadata=self.run.metadata,
            approval=self.approval,
            state=self,
        )

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
        made: Any = OpenResult(self.sent, content, None, self.started, duration)
        made.status = status
        made.code = code
        made.by = by
        made.executed = self.executed
        made.error = error
        made.details = details
        made.repairs = self.repairs
        made.__class__ = ToolResult
        return made  # type: ignore[no-any-return]  # it has just become one

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

    def close(self) -> None:
        """Let go of everything: a cycle with the call would cost the collector."""
        self.closed = self.ended = True
        self.call = self.bound = self.task = self.injected = self.barred = None
