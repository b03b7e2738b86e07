"""Anthropic's messages.

Server-side tools (web search, code execution, MCP) run at the provider, so their calls
are left alone.

Source: the types of the anthropic package 2.14; recorded traffic.
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
from pegboard.dialects._subset import ANTHROPIC_STRICT, PORTABLE
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "anthropic"

#: Stop reasons of answers that are not whole.
CUT = frozenset(("max_tokens", "model_context_window_exceeded", "refusal"))
IMAGES = frozenset(f"image/{kind}" for kind in ("jpeg", "png", "gif", "webp"))


def tools(
    definitions: Iterable[ToolDefinition],
    *,
    strict: bool = False,
    cache: str | None = None,
) -> list[dict[str, Any]]:
    """Return the `tools` of a request.

    Args:
        definitions: The tools to offer, in this order.
        strict: Whether the provider shall hold the model to the schemas; a tool whose
            schema strict mode does not take, or that is over its limits for a request,
            is offered without (see `losses`).
        cache: How long the provider shall keep the listing in its prompt cache: "5m" or
            "1h"; None sets no breakpoint.
    """
    made = [_tool(one) for one in _exports(definitions, strict)]
    if made and cache:
        made[-1]["cache_control"] = {"type": "ephemeral", "ttl": cache}
    return made


def losses(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[Loss]:
    """Return what `tools` with the same arguments says otherwise than the tools do."""
    return losses_of(_exports(definitions, strict))


def _exports(definitions: Iterable[ToolDefinition], strict: bool) -> Iterator[Export]:
    return exports(definitions, PORTABLE, ANTHROPIC_STRICT if strict else None)


def _tool(made: Export) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": made.name}
    if made.description:
        tool["description"] = made.description
    tool["input_schema"] = made.schema
    if made.is_strict:
        tool["strict"] = True
    return tool


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an answer.

    Args:
        response: The message as a dict or an SDK's object, its `content` alone, or all
            events of a stream.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one user message with one `tool_result` a call, [] for no call."""
    content = [_answer(call, result) for call, result in pairs(batch)]
    return [{"role": "user", "content": content}] if content else []


def _answer(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    blocks = [_block(block) for block in shown(result)]
    only_text = all(block["type"] == "text" for block in blocks)
    answer: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": text_of(result) if only_text else blocks,
    }
    if result.is_error:
        answer["is_error"] = True
    return answer


def _block(block: Any) -> dict[str, Any]:
    match block:
        case ImageContent() if block.mime_type in IMAGES:
            return {"type": "image", "source": _source(block)}
        case FileContent(mime_type="application/pdf"):
            return {"type": "document", "source": _source(block)}
        case _:
            return {"type": "text", "text": text_for(block)}


def _source(block: ImageContent | FileContent) -> dict[str, Any]:
    return {
        "type": "base64",
        "media_type": block.mime_type,
        "data": encode(block.data),
    }


class Collector(Stream):
    """Calls out of the events of a stream."""

    def _take(self, event: Mapping[str, Any]) -> None:
        place = _payload.place(event.get("index"))
        match event.get("type"):
            case "message_start":
                self._restart()
                self._take_answer(_payload.member(event, "message"))
            case "content_block_start":
                self._begin(place, _payload.member(event, "content_block"))
            case "content_block_delta":
                piece = _payload.member(event, "delta").get("partial_json")
                draft = self._drafts.get(place)
                if draft and piece:
                    draft.whole = None
                    draft.add(piece)
            case "message_delta":
                self._stop(_payload.member(event, "delta").get("stop_reason"))
            case "error":
                self._cut = True
            case "tool_use":
                self._begin(len(self._drafts), event)
                self._ended = True
            case _:
                self._take_answer(event)

    def _take_answer(self, message: Mapping[str, Any]) -> None:
        for place, block in enumerate(_payload.entries(message.get("content"))):
            self._begin(place, block)
        self._stop(message.get("stop_reason"))

    def _begin(self, place: Any, block: Mapping[str, Any]) -> None:
        if block.get("type") == "tool_use":
            self._drafts[place] = Draft(
                _payload.text(block.get("id")),
                _payload.text(block.get("name")),
                block.get("input"),
            )

    def _stop(self, reason: Any) -> None:
        self._ended |= reason is not None
        self._cut |= _payload.text(reason) in CUT
