"""Ollama's own chat API (`/api/chat`); its OpenAI endpoint speaks openai_chat.

The server reads only a few keywords of a schema, so all others go into descriptions.

Source: the ollama package 0.6 and its API documentation; recorded traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.dialects import _payload
from pegboard.dialects._answers import given_id, pairs, text_of
from pegboard.dialects._export import Export, exports, losses_of
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects._subset import OLLAMA
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "ollama"


def tools(definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """Return the `tools` of a request, in the order of the definitions."""
    return [made.as_function() for made in _exports(definitions)]


def losses(definitions: Iterable[ToolDefinition]) -> list[Loss]:
    """Return what `tools` says otherwise than the tools do."""
    return losses_of(_exports(definitions))


def _exports(definitions: Iterable[ToolDefinition]) -> Iterator[Export]:
    return exports(definitions, OLLAMA)


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an answer.

    Args:
        response: The response as a dict or an SDK's object, or all chunks of a stream.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one `tool` message a call; only text is taken here."""
    return [
        {
            "role": "tool",
            "tool_name": call.name,
            **given_id("tool_call_id", call),
            "content": text_of(result),
        }
        for call, result in pairs(batch)
    ]


class Collector(Stream):
    """Calls out of the chunks of a stream."""

    def _take(self, event: Mapping[str, Any]) -> None:
        message = _payload.member(event, "message")
        for call in _payload.entries(message.get("tool_calls")):
            function = _payload.member(call, "function")
            self._drafts[len(self._drafts)] = Draft(
                _payload.text(call.get("id")),
                _payload.text(function.get("name")),
                function.get("arguments"),
            )
        self._ended |= bool(event.get("done"))
        self._cut |= event.get("done_reason") == "length" or bool(event.get("error"))
