"""Calls as the model makes them and as hooks see them, and the repairs between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pegboard._frozen import Frozen, freeze, thaw
from pegboard.decisions import Approve
from pegboard.schemas import ToolDefinition

JsonValue = Any
Arguments = str | bytes | Mapping[str, Any] | None

#: Begins each id that was made up for a call without one, so that a dialect can leave
#: out of its answer what the provider never gave.
MADE_ID = "call_pegboard_"


class OpenCall:
    """The open twin of ToolCall, for the executor."""

    __slots__ = ("arguments", "id", "name", "truncated")
    id: str
    name: str
    arguments: Arguments
    truncated: bool


class ToolCall(Frozen, OpenCall):
    """What the model asks for.

    Attributes:
        id: The model's id of the call, "" if it gave none (the executor makes one up).
        name: The name of the tool as the model wrote it.
        arguments: What the model sent: JSON as text or bytes, a mapping, or None.
        truncated: Whether the answer was cut off; such a call is never run.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str,
        arguments: Arguments = None,
        *,
        id: str = "",
        truncated: bool = False,
    ) -> None:
        set_ = object.__setattr__
        set_(self, "name", str(name or ""))
        set_(self, "arguments", arguments)
        set_(self, "id", id)
        set_(self, "truncated", truncated)

    def __repr__(self) -> str:
        shown = repr(self.arguments)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        return f"ToolCall({self.name!r}, {shown}, id={self.id!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolCall) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.id, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return ToolCall.from_dict, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Return the call as a JSON object; bytes become text."""
        arguments = self.arguments
        if isinstance(arguments, (bytes, bytearray)):
            arguments = bytes(arguments).decode("utf-8", "replace")
        try:
            arguments = thaw(arguments)
        except RecursionError:  # a mapping from code; it was refused for its depth
            arguments = "<nested too deep to be shown>"
        return {
            "id": self.id,
            "name": self.name,
            "arguments": arguments,
            "truncated": self.truncated,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a call of what `to_dict` returned."""
        return cls(
            value["name"],
            value.get("arguments"),
            id=value.get("id") or "",
            truncated=bool(value.get("truncated")),
        )


@dataclass(frozen=True, slots=True)
class Repair:
    """One recorded change made to a model's arguments so that they fit.

    Attributes:
        path: Keys and positions from the root of the arguments, () for all of them.
        rule: The rule that was used, one word.
        before: The value as it came (for a rule of the text: a short excerpt or None).
        after: The value as it is handed on; None if it was dropped.
    """

    path: tuple[str | int, ...]
    rule: str
    before: JsonValue = None
    after: JsonValue = None

    def to_dict(self) -> dict[str, Any]:
        """Return the repair as a JSON object."""
        return {
            "path": list(self.path),
            "rule": self.rule,
            "before": self.before,
            "after": self.after,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a repair of what `to_dict` returned."""
        path = tuple(value["path"])
        return cls(path, value["rule"], value.get("before"), value.get("after"))


@dataclass(frozen=True, slots=True)
class Injected:
    """Marks a parameter that the host fills in: `Annotated[str, Injected("KEY")]`.

    Attributes:
        name: The name under which the value is asked for.
    """

    name: str


class OpenPreparedCall:
    """The open twin of PreparedCall, for the executor."""

    __slots__ = (
        "_frozen",
        "_state",
        "_value",
        "approval",
        "id",
        "index",
        "metadata",
        "name",
        "sent",
        "tool",
    )
    id: str
    name: str
    sent: ToolCall
    index: int
    tool: ToolDefinition | None
    metadata: Mapping[str, Any]
    approval: Approve | None
    _value: Any
    _frozen: Mapping[str, Any] | None
    _state: Any


class PreparedCall(Frozen, OpenPreparedCall):
    """What hooks, middlewares and events see of a call.

    Attributes:
        id: The call's id.
        name: The name of the tool as the model wrote it.
        sent: The call as the model made it.
        index: Place in the batch, from 0.
        tool: The tool's definition, None until it is found.
        metadata: What the host said of the caller; the model never sees it.
        approval: The decision of a person that this call was resumed with.
    """

    __slots__ = ()

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The arguments, read-only at every depth; None until parsed.

        Once validated they are valid, and they are what the tool runs with.
        """
        if self._frozen is None and self._value is not None:
            # Most calls are never looked at, so the copy is made at the first look;
            # from the text, which no body can have changed.
            value = self._value
            if isinstance(value, str):
                value = _parse(value)
                if self._state is not None:
                    value = self._state.settle(value)
            object.__setattr__(self, "_frozen", freeze(value))
        return self._frozen

    @property
    def idempotency_key(self) -> str:
        """The same for every try of this call, resumed ones included."""
        return "" if self._state is None else str(self._state.key)

    def replace(self, *, arguments: Mapping[str, Any]) -> PreparedCall:
        """Return the same call with other arguments, for `call_next`.

        They are validated and pass every guard once more before anything runs.
        """
        return prepare_call(
            self.sent,
            self.index,
            self.tool,
            thaw(dict(arguments)),
            metadata=self.metadata,
            approval=self.approval,
            state=self._state,
        )

    def __repr__(self) -> str:
        return f"<PreparedCall {self.name!r} id={self.id!r} index={self.index}>"


def _parse(text: str) -> Any:
    import jiter  # not needed to make a tool, so not at the top

    return jiter.from_json(text.encode(), cache_mode="keys")


def make_call(name: str, arguments: Arguments, id: str) -> ToolCall:
    """Return a ToolCall, faster than its constructor."""
    call: Any = OpenCall()
    call.id = id
    call.name = name
    call.arguments = arguments
    call.truncated = False
    call.__class__ = ToolCall
    return call  # type: ignore[no-any-return]  # it has just become one


def prepare_call(
    sent: ToolCall,
    index: int,
    tool: ToolDefinition | None,
    value: Any,
    *,
    metadata: Mapping[str, Any],
    approval: Approve | None = None,
    state: Any = None,
) -> PreparedCall:
    """Return a PreparedCall, faster than a constructor would.

    Args:
        sent: The call as the model made it.
        index: Place in the batch, from 0.
        tool: The tool's definition, None until it is found.
        value: The arguments: strict JSON text, a value that nobody else will change,
            or None if they are not known yet.
        metadata: What the host said of the caller.
        approval: The decision of a person, of a resumed call.
        state: The executor's own record of the call.
    """
    call: Any = OpenPreparedCall()
    call.id = sent.id
    call.name = sent.name
    call.sent = sent
    call.index = index
    call.tool = tool
    call.metadata = metadata
    call.approval = approval
    call._value = value
    call._frozen = None
    call._state = state
    call.__class__ = PreparedCall
    return call  # type: ignore[no-any-return]  # it has just become one
