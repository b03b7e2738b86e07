"""OpenAI's responses, and the servers that speak the same (Azure, xAI, LM Studio).

Calls of built-in and custom tools are not ours, so they are left alone.

Source: the types of the openai package 3.57; recorded traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.content import FileContent, ImageContent, encode
from pegboard.dialects import _payload
from pegboard.dialects._answers import pairs, shown, text_for, text_of
from pegboard.dialects._export import Export, exports, losses_of
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects._subset import OPENAI_STRICT, PORTABLE
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "openai_responses"

#: Statuses of an answer or of a call that is not whole.
CUT = frozenset(("incomplete", "failed", "cancelled"))
IMAGES = frozenset(f"image/{kind}" for kind in ("jpeg", "png", "gif", "webp"))
_LAST = frozenset(f"response.{end}" for end in ("completed", *CUT))


def tools(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[dict[str, Any]]:
    """Return the `tools` of a request.

    Args:
        definitions: The tools to offer, in this order.
        strict: Whether the provider shall hold the model to the schemas; a tool whose
            schema strict mode does not take is offered without (see `losses`).
    """
    return [
        {
            "type": "function",
            "name": made.name,
            "description": made.description,
            "parameters": made.schema,
            "strict": made.is_strict,  # left out, it would mean true
        }
        for made in _exports(definitions, strict)
    ]


def losses(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[Loss]:
    """Return what `tools` with the same arguments says otherwise than the tools do."""
    return losses_of(_exports(definitions, strict))


def _exports(definitions: Iterable[ToolDefinition], strict: bool) -> Iterator[Export]:
    return exports(definitions, PORTABLE, OPENAI_STRICT if strict else None)


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an answer.

    Args:
        response: The response as a dict or an SDK's object, its `output` alone, or all
            events of a stream.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one `function_call_output` a call, with its images and files."""
    return [
        {"type": "function_call_output", "call_id": call.id, "output": _output(result)}
        for call, result in pairs(batch)
    ]


def _output(result: ToolResult) -> str | list[dict[str, Any]]:
    parts = [_part(block) for block in shown(result)]
    only_text = all(part["type"] == "input_text" for part in parts)
    return text_of(result) if only_text else parts


def _part(block: Any) -> dict[str, Any]:
    match block:
        case ImageContent() if block.mime_type in IMAGES:
            return {"type": "input_image", "image_url": _url(block), "detail": "auto"}
        case FileContent(mime_type="application/pdf"):
            title = block.name or "file.pdf"
            return {"type": "input_file", "filename": title, "file_data": _url(block)}
        case _:
            return {"type": "input_text", "text": text_for(block)}


def _url(block: ImageContent | FileContent) -> str:
    return f"data:{block.mime_type};base64,{encode(block.data)}"


class Collector(Stream):
    """Calls out of the events of a stream."""

    def _take(self, event: Mapping[str, Any]) -> None:
        kind = _payload.text(event.get("type"))
        if kind.startswith("response."):
            self._take_event(kind, event)
        elif kind == "error" or event.get("error"):
            self._cut = True
        elif "output" in event:
            self._take_answer(event)
        elif kind:
            self._take_item(event, None)
            self._ended = True

    def _take_event(self, kind: str, event: Mapping[str, Any]) -> None:
        # Some servers give a call another item id in each event; its place is stable.
        place = _payload.place(event.get("output_index"))
        if kind == "response.created":
            self._restart()
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._take_item(_payload.member(event, "item"), place)
        elif kind == "response.function_call_arguments.delta":
            if draft := self._drafts.get(place):
                draft.add(event.get("delta"))
        elif kind in _LAST:
            self._ended = True
            self._take_answer(_payload.member(event, "response"))

    def _take_answer(self, answer: Mapping[str, Any]) -> None:
        self._cut |= _payload.text(answer.get("status")) in CUT
        for place, item in enumerate(_payload.entries(answer.get("output"))):
            if place not in self._drafts:
                self._take_item(item, place)

    def _take_item(self, item: Mapping[str, Any], place: Any) -> None:
        if item.get("type") != "function_call":
            return
        key = len(self._drafts) if place is None else place
        draft = self._drafts.setdefault(key, Draft())
        draft.id = _payload.text(item.get("call_id") or item.get("id"))
        draft.name = _payload.text(item.get("name")) or draft.name
        if item.get("arguments"):
            draft.whole = item["arguments"]
        self._cut |= _payload.text(item.get("status")) in CUT
