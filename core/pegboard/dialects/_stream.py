"""Calls that arrive in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.dialects import _payload


class Draft:
    """One call of which more may come.

    Attributes:
        id: The call's id, "" until it is known.
        name: The tool's name, "" until it is known.
        pieces: The text of the arguments so far.
        whole: The arguments, where they came in one piece; wins over the pieces.
    """

    __slots__ = ("id", "name", "pieces", "whole")

    def __init__(self, id: str = "", name: str = "", whole: Any = None) -> None:
        self.id = id
        self.name = name
        self.pieces: list[str] = []
        self.whole = whole

    def add(self, piece: Any) -> None:
        """Take a piece of the arguments: a text, or all of them as an object."""
        if isinstance(piece, str):
            self.pieces.append(piece)
        elif piece is not None:
            self.whole = piece

    def call(self, *, truncated: bool) -> ToolCall:
        """Return the call as known so far."""
        whole = self.whole
        if whole is None and self.pieces:
            whole = "".join(self.pieces)
        given = _payload.arguments(whole)
        return ToolCall(self.name, given, id=self.id, truncated=truncated)

    def glimpse(self) -> ToolCall:
        """Return the call for display: its arguments as far as they can be read."""
        if self.whole is not None or not self.pieces:
            return self.call(truncated=True)
        return ToolCall(
            self.name, _read_open("".join(self.pieces)), id=self.id, truncated=True
        )


class Stream(ABC):
    """What the collectors of all dialects share: feed, partial and calls; and read.

    A dialect's Collector adds `_take`, which reads one chunk into `_drafts` and sets
    `_ended` when the provider says that the answer is complete, `_cut` when it says
    that it is not.
    """

    def __init__(self) -> None:
        self._drafts: dict[Any, Draft] = {}
        self._kept: list[Draft] = []
        self._ended = False
        self._cut = False

    def feed(self, chunk: Any) -> None:
        """Take one chunk of the stream.

        Args:
            chunk: A dict, an SDK's object, or text: whole lines of server-sent
                events or of JSON.

        Raises:
            UsageError: it is none of these.
        """
        for event in _payload.events(chunk):
            if event is _payload.DONE:
                self._ended = True
            else:
                self._take(event)

    def partial(self) -> list[ToolCall]:
        """Return the calls so far, for display; marked truncated, so none would run."""
        return [draft.glimpse() for draft in self._chosen()]

    def calls(self) -> list[ToolCall]:
        """Return the complete calls.

        When the answer was cut off or the stream broke off, all of them are marked
        truncated.
        """
        truncated = self._cut or not self._ended
        return [draft.call(truncated=truncated) for draft in self._chosen()]

    def read(self, response: Any) -> list[ToolCall]:
        """Return the calls of an answer that is there as a whole.

        Args:
            response: A dict or an SDK's object, or the list of all chunks of a stream.
        """
        payload = _payload.plain(response)
        for chunk in payload if isinstance(payload, list) else [payload]:
            if isinstance(chunk, (Mapping, str, bytes)):
                self.feed(chunk)
        # A whole answer needs no mark at its end, a stream does.
        self._ended |= isinstance(payload, Mapping)
        return self.calls()

    def _restart(self) -> None:
        """Begin another answer; of one that did not end, forget the calls.

        A proxy that tries again sends a second answer after half a first.
        """
        if self._ended:
            self._kept += self._drafts.values()
        self._drafts.clear()
        self._ended = self._cut = False

    @abstractmethod
    def _take(self, event: Mapping[str, Any]) -> None:
        """Read one chunk."""

    def _chosen(self) -> list[Draft]:
        return [*self._kept, *self._drafts.values()]


def _read_open(text: str) -> Any:
    import jiter  # only a stream that somebody watches needs it

    try:
        value = jiter.from_json(text.encode(), partial_mode="trailing-strings")
    except ValueError:
        return text
    return value if isinstance(value, dict) else text
