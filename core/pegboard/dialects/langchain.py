"""LangChain's messages, so that a LangGraph node is one line.

Source: langchain-core 1.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.content import ImageContent, encode
from pegboard.dialects import _payload, openai_chat
from pegboard.dialects._answers import pairs, shown, text_for, text_of
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "langchain"

#: Where the providers' packages tell why an answer ended.
_REASONS = ("finish_reason", "stop_reason", "done_reason", "stopReason")
CUT = openai_chat.CUT | {"model_context_window_exceeded", "incomplete"}


def tools(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[dict[str, Any]]:
    """Return what `bind_tools` of any chat model takes.

    Args:
        definitions: The tools to offer, in this order.
        strict: Whether the provider shall hold the model to the schemas; a tool whose
            schema strict mode does not take is offered without (see `losses`).
    """
    return openai_chat.tools(definitions, strict=strict, max_description=None)


def losses(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[Loss]:
    """Return what `tools` with the same arguments says otherwise than the tools do."""
    return openai_chat.losses(definitions, strict=strict, max_description=None)


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of a message, those that LangChain could not parse last.

    Args:
        response: An AIMessage, a list of messages or a state with `messages`, of which
            the last counts; as dicts or as LangChain's objects.
    """
    payload = _payload.plain(response)
    if isinstance(payload, Mapping) and "messages" in payload:
        payload = _payload.plain(payload["messages"] or [])
    messages = _payload.entries(payload)
    if not all(message.get("type") == "AIMessageChunk" for message in messages):
        payload = messages[-1]
    return Collector().read(payload)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one tool message a call, with its images."""
    return [
        {
            "role": "tool",
            "tool_call_id": call.id,
            "name": call.name,
            "content": _content(result),
            "status": "error" if result.is_error else "success",
        }
        for call, result in pairs(batch)
    ]


def _content(result: ToolResult) -> str | list[dict[str, Any]]:
    blocks = shown(result)
    if not any(isinstance(block, ImageContent) for block in blocks):
        return text_of(result)
    return [_block(block) for block in blocks]


def _block(block: Any) -> dict[str, Any]:
    if isinstance(block, ImageContent):
        data = encode(block.data)
        return {"type": "image", "base64": data, "mime_type": block.mime_type}
    return {"type": "text", "text": text_for(block)}


class Collector(Stream):
    """Calls out of message chunks."""

    def _take(self, event: Mapping[str, Any]) -> None:
        event = _payload.member(event, "kwargs") or event
        if event.get("type") == "AIMessageChunk":
            self._take_chunk(event)
        else:
            for key in ("tool_calls", "invalid_tool_calls"):
                for call in _payload.entries(event.get(key)):
                    self._begin(len(self._drafts), call).whole = call.get("args")
        metadata = _payload.member(event, "response_metadata")
        for reason in (metadata.get(key) for key in (*_REASONS, "status")):
            self._ended |= reason is not None
            self._cut |= _payload.text(reason).lower() in CUT
        self._ended |= event.get("chunk_position") == "last"

    def _take_chunk(self, event: Mapping[str, Any]) -> None:
        for piece in _payload.entries(event.get("tool_call_chunks")):
            place = _payload.place(piece.get("index"))
            draft = self._drafts.get(place)
            if draft is None or place is None:
                key = len(self._drafts) if place is None else place
                draft = self._begin(key, piece)
            else:
                draft.id = draft.id or _payload.text(piece.get("id"))
                draft.name = draft.name or _payload.text(piece.get("name"))
            draft.add(piece.get("args"))

    def _begin(self, place: Any, call: Mapping[str, Any]) -> Draft:
        draft = Draft(_payload.text(call.get("id")), _payload.text(call.get("name")))
        self._drafts[place] = draft
        return draft
