"""Cohere's chat, API version 2.

Source: the cohere package 7.3 and its structured-output guide; recorded traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.dialects import _payload
from pegboard.dialects._answers import pairs, text_of
from pegboard.dialects._export import Export, exports, losses_of
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects._subset import COHERE_STRICT, PORTABLE
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "cohere"

#: Finish reasons of whole answers.
WHOLE = frozenset(("COMPLETE", "STOP_SEQUENCE", "TOOL_CALL"))


def tools(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[dict[str, Any]]:
    """Return the `tools` of a request.

    Args:
        definitions: The tools to offer, in this order.
        strict: Whether the request sets `strict_tools`, which holds for all its tools:
            set it only if `losses` names none as refused.
    """
    made = [one.as_function() for one in _exports(definitions, strict)]
    for tool in made:
        tool["function"].pop("strict", None)
    return made


def losses(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[Loss]:
    """Return what `tools` with the same arguments says otherwise than the tools do."""
    return losses_of(_exports(definitions, strict))


def _exports(definitions: Iterable[ToolDefinition], strict: bool) -> Iterator[Export]:
    return exports(definitions, PORTABLE, COHERE_STRICT if strict else None)


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an answer.

    Args:
        response: The response as a dict or an SDK's object, or all events of a stream.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one `tool` message a call; only text is taken here."""
    return [
        {"role": "tool", "tool_call_id": call.id, "content": text_of(result)}
        for call, result in pairs(batch)
    ]


class Collector(Stream):
    """Calls out of the events of a stream."""

    def _take(self, event: Mapping[str, Any]) -> None:
        message = _payload.member(event, "delta", "message") or _payload.member(
            event, "message"
        )
        given = _payload.entries(message.get("tool_calls"))
        place = _payload.place(event.get("index"))
        match event.get("type"):
            case "tool-call-start":
                for call in given:
                    self._begin(place, call)
            case "tool-call-delta":
                draft = self._drafts.get(place)
                for call in given:
                    if draft:
                        draft.add(_payload.member(call, "function").get("arguments"))
            case "message-end":
                self._stop(_payload.member(event, "delta").get("finish_reason"))
            case None:
                for at, call in enumerate(given):
                    self._begin(at, call)
                self._stop(event.get("finish_reason"))

    def _begin(self, place: Any, call: Mapping[str, Any]) -> None:
        function = _payload.member(call, "function")
        draft = Draft(
            _payload.text(call.get("id")), _payload.text(function.get("name"))
        )
        draft.add(function.get("arguments"))
        self._drafts[place] = draft

    def _stop(self, reason: Any) -> None:
        if reason is not None:
            self._ended = True
            self._cut |= _payload.text(reason) not in WHOLE
