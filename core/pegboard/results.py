"""Results of calls and of batches, their statuses and codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal, Self, final

from pegboard import content as content_module
from pegboard._frozen import Frozen
from pegboard.calls import Repair, ToolCall
from pegboard.content import Content, TextContent, text_block
from pegboard.errors import UsageError

Status = Literal["success", "error", "blocked", "timeout", "cancelled", "deferred"]
Executed = Literal["no", "yes", "unknown"]

#: Code -> its status, and whether the body ran. `hook_failed` and `middleware_failed`
#: say "yes" or "unknown" instead when the body had run before the failure.
CODES: Mapping[str, tuple[Status, Executed]] = MappingProxyType(
    {
        "unknown_tool": ("error", "no"),
        "ambiguous_tool": ("error", "no"),
        "tool_unavailable": ("error", "no"),
        "malformed_arguments": ("error", "no"),
        "truncated_arguments": ("error", "no"),
        "invalid_arguments": ("error", "no"),
        "blocked": ("blocked", "no"),
        "denied": ("blocked", "no"),
        "rate_limited": ("blocked", "no"),
        "approval_required": ("deferred", "no"),
        "timeout": ("timeout", "unknown"),
        "abandoned": ("timeout", "unknown"),
        "cancelled": ("cancelled", "unknown"),
        "not_started": ("cancelled", "no"),
        "tool_failed": ("error", "yes"),
        "invalid_result": ("error", "yes"),
        "hook_failed": ("error", "no"),
        "middleware_failed": ("error", "no"),
        "dry_run": ("success", "no"),
    }
)


class OpenResult:
    """The open twin of ToolResult, for the executor."""

    __slots__ = (
        "_content",
        "_started",
        "by",
        "call",
        "code",
        "data",
        "details",
        "duration",
        "error",
        "executed",
        "repairs",
        "status",
        "terminate",
    )
    _content: str | tuple[Content, ...]
    call: ToolCall | None
    details: Any
    data: Any
    terminate: bool
    status: Status
    code: str | None
    by: str | None
    executed: Executed
    error: BaseException | None
    repairs: tuple[Repair, ...]
    _started: float
    duration: float


@final
class ToolResult(Frozen, OpenResult):
    """What comes back of a call: exactly one, whatever happened.

    Attributes:
        call: The call that this answers; set by the executor.
        details: For user interfaces and logs: any JSON value; the model never sees it.
        data: For the program: a JSON value, None if there is none.
        terminate: Whether the tool asks to end the conversation's turn.
        status: success, error, blocked, timeout, cancelled or deferred.
        code: What happened in one word (see CODES); None for a plain success.
        by: The plugin that blocked, answered, deferred or failed; else None.
        executed: Whether the body ran: no, yes or unknown.
        error: The exception behind it; never serialised, never sent to the model.
        repairs: What was changed in the arguments so that they fit.
        duration: Seconds from the call's start to its result.
    """

    __slots__ = ()

    def __init__(
        self,
        content: str | Content | Iterable[Content] = (),
        *,
        details: Any = None,
        data: Any = None,
        terminate: bool = False,
        status: Status | None = None,
        code: str | None = None,
        call: ToolCall | None = None,
        by: str | None = None,
        executed: Executed | None = None,
        error: BaseException | None = None,
        repairs: Iterable[Repair] = (),
        started: datetime | float = 0.0,
        duration: float = 0.0,
    ) -> None:
        default = CODES.get(code, ("error", "no")) if code else ("success", "yes")
        when = started.timestamp() if isinstance(started, datetime) else started
        values = {
            "call": call,
            "_content": content_module.blocks(content),
            "details": details,
            "data": data,
            "terminate": terminate,
            "status": status or default[0],
            "code": code,
            "by": by,
            "executed": executed or default[1],
            "error": error,
            "repairs": tuple(repairs),
            "_started": when,
            "duration": duration,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def content(self) -> tuple[Content, ...]:
        """What the model reads."""
        content = self._content
        if isinstance(content, str):
            # Most results are one text, and few of them are looked at as blocks.
            content = (text_block(content),)
            object.__setattr__(self, "_content", content)
        return content

    @property
    def text(self) -> str:
        """The text blocks, a line break between two."""
        if isinstance(self._content, str):
            return self._content
        texts = [block.text for block in self.content if isinstance(block, TextContent)]
        return texts[0] if len(texts) == 1 else "\n".join(texts)

    @property
    def is_error(self) -> bool:
        """Whether the call did neither succeed nor wait for a person."""
        return self.status not in ("success", "deferred")

    @property
    def started(self) -> datetime:
        """When the call started, in UTC."""
        return datetime.fromtimestamp(self._started, UTC)

    def replace(self, **changes: Any) -> ToolResult:
        """Return a copy with other fields, named as in the constructor."""
        names = OpenResult.__slots__
        values = {name.lstrip("_"): getattr(self, name) for name in names}
        if "code" in changes and changes["code"] != self.code:
            values["status"] = values["executed"] = None
        return ToolResult(**{**values, **changes})

    def __repr__(self) -> str:
        name = self.call.name if self.call else "?"
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        return f"<ToolResult {name!r} {self.code or self.status}: {shown!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolResult) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.call, self.status, self.code, self._started))

    def __reduce__(self) -> tuple[Any, ...]:
        return ToolResult.from_dict, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON object, without the exception."""
        return {
            "call": self.call.to_dict() if self.call else None,
            "status": self.status,
            "code": self.code,
            "by": self.by,
            "executed": self.executed,
            "content": [block.to_dict() for block in self.content],
            "data": self.data,
            "details": self.details,
            "terminate": self.terminate,
            "repairs": [repair.to_dict() for repair in self.repairs],
            "started": self.started.isoformat(),
            "duration": self.duration,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a result of what `to_dict` returned.

        Raises:
            UsageError: it is no such object.
        """
        try:
            call = value.get("call")
            return cls(
                tuple(content_module.from_dict(block) for block in value["content"]),
                details=value.get("details"),
                data=value.get("data"),
                terminate=bool(value.get("terminate")),
                status=value["status"],
                code=value.get("code"),
                call=ToolCall.from_dict(call) if call else None,
                by=value.get("by"),
                executed=value.get("executed"),
                repairs=map(Repair.from_dict, value.get("repairs") or ()),
                started=datetime.fromisoformat(value["started"]),
                duration=float(value.get("duration") or 0.0),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"no result can be made of this JSON: {error!r}") from None


def make_result(
    call: ToolCall | None,
    content: str | tuple[Content, ...],
    data: Any,
    started: float,
    duration: float,
) -> ToolResult:
    """Return a success, faster than the constructor."""
    # Set one by one: an __init__ of its own would cost a third more.
    result: Any = OpenResult()
    result.call = call
    result._content = content
    result.details = None
    result.data = data
    result.terminate = False
    result.status = "success"
    result.code = None
    result.by = None
    result.executed = "yes"
    result.error = None
    result.repairs = ()
    result._started = started
    result.duration = duration
    result.__class__ = ToolResult
    return result  # type: ignore[no-any-return]  # it has just become one
