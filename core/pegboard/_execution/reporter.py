"""Events of one batch on their way to observers and the stream."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pegboard._execution.invocation import Invocation
from pegboard._output import redact
from pegboard.content import Content
from pegboard.decisions import Abort
from pegboard.events import Event, ToolUpdate

if TYPE_CHECKING:
    from pegboard._executor import Executor

log = logging.getLogger("pegboard")

#: Updates of one call that wait for the loop at most; then the oldest are dropped.
MAX_WAITING = 1_000


class Reporter:
    """Tells observers and the stream what happens.

    Args:
        executor: Whose observers are told, on whose loop.
        sink: Takes every event besides the observers.
        abort: Told of an Abort that is raised where it cannot be caught.

    Attributes:
        is_heard: Whether anybody listens.
        is_aborting: Whether the batch ends already: then no observer ends it again.
        dropped: Updates that came late, or were too many.
    """

    def __init__(
        self,
        executor: Executor,
        sink: Callable[[Event], None] | None,
        abort: Callable[[Abort], None],
    ) -> None:
        self._executor = executor
        self._sink = sink
        self._abort = abort
        self.is_heard = bool(executor.observers) or sink is not None
        self.is_aborting = False
        self.dropped = 0

    def emit(self, event: Event) -> None:
        """Tell everybody.

        Raises:
            Abort: a required observer failed, or one raised it on purpose.
        """
        for item in self._executor.observers:
            try:
                item.function(event)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                kind = type(error).__name__
                log.warning("plugin %s failed in on_event: %s", item.plugin, kind)
                if self.is_aborting:
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

    def emit_safely(self, event: Event) -> None:
        """Tell everybody; an Abort ends the batch without being raised here."""
        try:
            self.emit(event)
        except Abort as abort:
            self._abort(abort)

    def drop(self) -> None:
        """Count an update that nobody will see."""
        self.dropped += 1

    def update(
        self, inv: Invocation, content: tuple[Content, ...], details: Any
    ) -> None:
        """Take a partial result of a body, from any thread."""
        if not self.is_heard:
            return
        if threading.get_ident() == self._executor.thread:
            self._deliver(inv, content, details)
            return
        if inv.waiting is None:
            inv.waiting = deque()
        inv.waiting.append((content, details))
        if len(inv.waiting) > MAX_WAITING:
            inv.waiting.popleft()
            self.drop()
        else:
            self._executor.inbox.put(self._deliver_next, inv)

    def _deliver_next(self, inv: Invocation) -> None:
        if inv.waiting:
            self._deliver(inv, *inv.waiting.popleft())

    def _deliver(
        self, inv: Invocation, content: tuple[Content, ...], details: Any
    ) -> None:
        if inv.ended or inv.plan is None:
            self.drop()
            return
        if not inv.plan.updates:
            content, details = (), None
        if inv.secrets:
            content, details = redact((content, details), inv.secrets)
        self.emit_safely(ToolUpdate(inv.show(), content, details))
