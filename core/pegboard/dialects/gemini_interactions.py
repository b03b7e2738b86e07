"""Google's interactions API, the newer one beside `generateContent`.

Source: the types of google-genai 3.6; recorded traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.content import ImageContent, encode
from pegboard.dialects import _payload
from pegboard.dialects._answers import pairs, shown, text_for, text_of
from pegboard.dialects._export import Export, exports, losses_of
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects._subset import GEMINI
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "gemini_interactions"

#: Statuses of interactions whose answer is whole.
WHOLE = frozenset(("completed", "requires_action"))
_OPEN = frozenset(("in_progress", "queued"))


def tools(definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """Return the `tools` of a request, in the order of the definitions."""
    return [
        {
            "type": "function",
            "name": made.name,
            "description": made.description,
            "parameters": made.schema,
        }
        for made in _exports(definitions)
    ]


def losses(definitions: Iterable[ToolDefinition]) -> list[Loss]:
    """Return what `tools` says otherwise than the tools do."""
    return losses_of(_exports(definitions))


def _exports(definitions: Iterable[ToolDefinition]) -> Iterator[Export]:
    return exports(definitions, GEMINI)


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an interaction.

    Args:
        response: The interaction as a dict or an SDK's object, or all events of a
            stream.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one `function_result` a call: the input of the next request."""
    return [_answer(call, result) for call, result in pairs(batch)]


def _answer(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "type": "function_result",
        "call_id": call.id,
        "name": call.name,
        "result": _content(result),
    }
    if result.is_error:
        answer["is_error"] = True
    return answer


def _content(result: ToolResult) -> str | list[dict[str, Any]]:
    blocks = shown(result)
    if not any(isinstance(block, ImageContent) for block in blocks):
        return text_of(result)
    return [_block(block) for block in blocks]


def _block(block: Any) -> dict[str, Any]:
    if isinstance(block, ImageContent):
        data = encode(block.data)
        return {"type": "image", "mime_type": block.mime_type, "data": data}
    return {"type": "text", "text": text_for(block)}


class Collector(Stream):
    """Calls out of the events of a stream."""

    def _take(self, event: Mapping[str, Any]) -> None:
        place = _payload.place(event.get("index"))
        match event.get("event_type"):
            case "step.start":
                self._begin(place, _payload.member(event, "step"))
            case "step.delta":
                piece = _payload.member(event, "delta").get("arguments")
                draft = self._drafts.get(place)
                if draft and piece:
                    draft.whole = None
                    draft.add(piece)
            case "error":
                self._cut = True
            case _:
                answer = _payload.member(event, "interaction") or event
                for at, step in enumerate(_payload.entries(answer.get("steps"))):
                    self._begin(at, step)
                self._stop(answer.get("status"))

    def _begin(self, place: Any, step: Mapping[str, Any]) -> None:
        if step.get("type") == "function_call":
            id, title = _payload.text(step.get("id")), _payload.text(step.get("name"))
            self._drafts[place] = Draft(id, title, step.get("arguments"))

    def _stop(self, status: Any) -> None:
        if status is not None and _payload.text(status) not in _OPEN:
            self._ended = True
            self._cut |= _payload.text(status) not in WHOLE
