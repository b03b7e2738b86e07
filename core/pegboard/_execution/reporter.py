"""Events of one batch on their way to observers and the stream."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pegboard._execution.backlog import MAX_WAITING, Backlog
from pegboard._execution.invocation import Invocation
from pegboard._output import clean_blocks, redact, to_json
from pegboard.content import Content
from pegboard.decisions import Abort
from pegboard.events import Event, ToolUpdate

if TYPE_CHECKING:
    from pegboard._executor import Executor

log = logging.getLogger("pegboard")
#: Guards what threads change without the loop: counts, and the first queue of a call.
_lock = threading.Lock()


class Reporter:
    """Tells observers and the stream what happens.

    Args:
        executor: Whose observers are told, on whose loop.
        sink: Takes every event besides the observers.

    Attributes:
        is_aborting: Whether the batch ends already: then no observer ends it again.
        dropped: Updates that came late, or were too many.
    """

    __slots__ = ("_executor", "_held", "_sink", "dropped", "is_aborting")

    def __init__(
        self, executor: Executor, sink: Callable[[Event], None] | None
    ) -> None:
        self._executor = executor
        self._sink = sink
        self._held: Backlog | None = None
        self.is_aborting = False
        self.dropped = 0

    def emit(self, event: Event) -> None:
        """Tell everybody.

        Raises:
            Abort: a required observer failed, or one raised it on purpose.
        """
        if self._held is not None:
            self._held.put(event)
            return
        for item in self._executor.observers:
            tell = item.function
            try:
                tell(event)
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

    def hold(self) -> None:
        """Keep events until `release`: a hook of the batch is at work."""
        self._held = Backlog(self.drop)

    def release(self) -> list[Event]:
        """Return the events that were kept, and keep no more."""
        held, self._held = self._held, None
        return [] if held is None else held.take_all()

    def drop(self) -> None:
        """Count an update that nobody will see."""
        with _lock:
            self.dropped += 1

    def update(
        self, inv: Invocation, content: tuple[Content, ...], details: Any
    ) -> None:
        """Take a partial result of a body, from any thread."""
        if not self._executor.observers and self._sink is None:
            return
        if threading.get_ident() == self._executor.thread:
            while inv.waiting:  # what threads sent before this comes before it
                self._deliver(inv, *inv.waiting.popleft())
            self._deliver(inv, content, details)
            return
        with _lock:
            waiting = inv.waiting
            if waiting is None:
                waiting = inv.waiting = deque()
        waiting.append((content, details))
        if len(waiting) > MAX_WAITING:
            waiting.popleft()
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
        content = clean_blocks(content)
        if details is not None:
            details = to_json(details)[0]
        if inv.secrets:
            content, details = redact((content, details), inv.secrets)
        inv.run.tell(ToolUpdate(inv.show(), content, details))
