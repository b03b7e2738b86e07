"""Mistral's chat completions.

Source: the types of mistralai 3.7 and mistral-common 1.13; recorded traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.dialects import openai_chat
from pegboard.dialects._answers import pairs, text_of
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "mistral"


def tools(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[dict[str, Any]]:
    """Return the `tools` of a request.

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
            "tool_call_id": call.id,
            "name": call.name,
            "content": text_of(result),
        }
        for call, result in pairs(batch)
    ]


class Collector(openai_chat.Collector):
    """Calls out of the chunks of a stream."""

    def _take(self, event: Mapping[str, Any]) -> None:
        # The SDK's events carry the chunk as their data.
        super()._take(_payload_of(event))


def _payload_of(event: Mapping[str, Any]) -> Mapping[str, Any]:
    data = event.get("data")
    return data if isinstance(data, Mapping) else event
