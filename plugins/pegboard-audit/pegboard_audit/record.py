"""What the log says of one call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pegboard import PreparedCall, Repair
from pegboard.events import ToolEnd
from pegboard_audit.redaction import Redactor
from pegboard_audit.settings import AuditSettings

LONGEST_NAME = 256


class Recorder:
    """Makes records of calls: JSON objects, never with the content of a result.

    Args:
        settings: What goes into a record.
    """

    def __init__(self, settings: AuditSettings) -> None:
        self._arguments = settings.arguments
        self._metadata = settings.metadata
        self._redactor = Redactor(settings.redact)

    def record(self, event: ToolEnd) -> dict[str, Any]:
        """Return the record of a call that ended."""
        call, result = event.call, event.result
        tool = call.tool
        record = {
            "call": _cut(call.id),
            "key": call.idempotency_key,
            "name": _cut(call.name),
            "tool": tool.id if tool else None,
            "pack": tool.plugin if tool else None,
            "version": tool.version if tool else None,
            **self._of_arguments(call),
            "repairs": [self._of_repair(repair, call) for repair in result.repairs],
            "status": result.status,
            "code": result.code,
            "executed": result.executed,
            "by": result.by,
            "started": result.started.isoformat(),
            "duration": round(result.duration, 6),
        }
        if call.approval is not None:
            record["approved"] = True
        chosen = {k: call.metadata[k] for k in self._metadata if k in call.metadata}
        if chosen:
            record["metadata"] = self._redactor.redact(chosen)
        return record

    def _of_arguments(self, call: PreparedCall) -> dict[str, Any]:
        if self._arguments == "hash":
            known = call.arguments
            value = call.sent.arguments if known is None else known
            return {"arguments_sha256": hash_arguments(value)}
        if self._arguments == "redacted":
            # A text that was not understood may hold anything, so it is not written.
            return {"arguments": self._redacted(call.arguments, call)}
        return {}

    def _of_repair(self, repair: Repair, call: PreparedCall) -> dict[str, Any]:
        path = [_cut(step) if isinstance(step, str) else step for step in repair.path]
        record = {"path": path, "rule": repair.rule}
        if self._arguments == "redacted" and path:
            # A repair of the whole text shows an excerpt of it; and where a text became
            # an object, the text holds all that is hidden in the object.
            values = {"before": repair.before, "after": repair.after}
            if isinstance(repair.after, (Mapping, list, tuple)):
                del values["before"]
            for name, value in values.items():
                record[name] = self._redacted(value, call, repair.path)
        return record

    def _redacted(
        self, value: Any, call: PreparedCall, path: tuple[str | int, ...] = ()
    ) -> Any:
        schema = call.tool.input_schema if call.tool else None
        return self._redactor.redact_at(path, value, schema)


def hash_arguments(value: Any) -> str | None:
    """Return the SHA-256 of arguments, in hexadecimal; None if there are none.

    Args:
        value: An object: what is hashed is its JSON in ASCII, keys sorted, no blanks.
            Text or bytes that were not understood: these, as they came.
    """
    if isinstance(value, Mapping):
        try:
            value = json.dumps(value, sort_keys=True, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError):
            return None  # the host passed what no JSON can hold
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return hashlib.sha256(value).hexdigest() if value else None


def _cut(text: str) -> str:
    """Bound what a model chose, so that it cannot fill the disk."""
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}..."
