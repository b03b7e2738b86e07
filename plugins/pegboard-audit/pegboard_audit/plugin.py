"""The plugin: what an installed `pegboard-audit` adds to every board."""

from __future__ import annotations

from pegboard import hookimpl
from pegboard.events import Event, ToolEnd, ToolStart
from pegboard_audit.journal import Journal
from pegboard_audit.record import Recorder
from pegboard_audit.settings import AuditSettings


class Audit:
    """Writes one line a call to the audit log, whatever became of the call.

    Args:
        settings: Where the log is and what goes into it.
    """

    name = "audit"
    Settings = AuditSettings

    def __init__(self, settings: AuditSettings) -> None:
        self._recorder = Recorder(settings)
        self._journal = Journal(
            settings.path,
            max_bytes=settings.max_bytes,
            keep=settings.keep,
            sync=settings.sync == "line",
        )

    @hookimpl
    def on_event(self, event: Event) -> None:
        """Record a call that ended; refused and never started ones end too.

        Raises:
            OSError: the log cannot be opened, so the call should not start; or the
                line could not be written, and nothing of it was.
        """
        if isinstance(event, ToolStart):
            self._journal.check()
        elif isinstance(event, ToolEnd):
            self._journal.append(self._recorder.record(event))
