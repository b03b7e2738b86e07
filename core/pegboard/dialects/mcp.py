"""The Model Context Protocol: what peers say of tools, calls and results.

Schemas go as they are, since the protocol carries JSON Schema; only the root is made an
object. A result is the `result` of a response: its JSON-RPC frame, with the id as the
peer wrote it, is the transport's.

Source: the protocol's schemas, revisions 2024-11-05 to 2026-07-28.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from pegboard._frozen import thaw
from pegboard.calls import ToolCall
from pegboard.content import (
    AudioContent,
    Content,
    FileContent,
    ImageContent,
    TextContent,
    encode,
)
from pegboard.dialects import _payload
from pegboard.dialects._answers import pairs, shown, text_for
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "mcp"

_HINTS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


def tools(definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """Return the `tools` of a `tools/list` result, in the order of the definitions."""
    return [_tool(definition) for definition in definitions]


def losses(definitions: Iterable[ToolDefinition]) -> list[Loss]:
    """Return what `tools` says otherwise than the tools do: nothing."""
    return []


def _tool(definition: ToolDefinition) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": definition.name}
    if definition.label:
        tool["title"] = definition.label
    tool["description"] = definition.description
    tool["inputSchema"] = {**thaw(definition.input_schema), "type": "object"}
    if definition.output_schema is not None:
        tool["outputSchema"] = _wrapped(thaw(definition.output_schema))
    hints = definition.annotations.to_dict()
    if hints:
        tool["annotations"] = {_HINTS[key]: value for key, value in hints.items()}
    return tool


def _wrapped(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an output schema whose root is an object, as older peers demand."""
    if schema.get("type") == "object":
        return schema
    definitions = {key: schema.pop(key) for key in ("$defs",) if key in schema}
    return {
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
        **definitions,
    }


def calls(response: Any) -> list[ToolCall]:
    """Return the calls that a peer makes.

    Args:
        response: A `tools/call` request or a list of messages, as dicts or an SDK's
            objects; or the parameters of a request alone.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one `CallToolResult` a call, in call order."""
    return [_answer(result) for _, result in pairs(batch)]


def _answer(result: ToolResult) -> dict[str, Any]:
    content = [_block(block) for block in shown(result)]
    # Revision 2026-07-28 demands the type, older ones pass over it.
    answer: dict[str, Any] = {"resultType": "complete", "content": content}
    if result.data is not None and not result.is_error:
        data = thaw(result.data)
        answer["structuredContent"] = (
            data if isinstance(data, dict) else {"result": data}
        )
    answer["isError"] = result.is_error
    return answer


def _block(block: Content) -> dict[str, Any]:
    match block:
        case TextContent():
            return {"type": "text", "text": text_for(block)}
        case ImageContent() | AudioContent():
            return {
                "type": block.type,
                "data": encode(block.data),
                "mimeType": block.mime_type,
            }
        case FileContent():
            resource = {
                "uri": f"file:///{quote(block.name or 'file')}",
                "mimeType": block.mime_type,
                "blob": encode(block.data),
            }
            return {"type": "resource", "resource": resource}
        case _:
            link = {"mimeType": block.mime_type, "description": block.description}
            return {
                "type": "resource_link",
                "uri": block.uri,
                "name": block.name or block.uri,
                **{key: value for key, value in link.items() if value},
            }


class Collector(Stream):
    """Calls out of a peer's messages; requests of other methods are left alone."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = True  # each message is whole

    def _take(self, event: Mapping[str, Any]) -> None:
        if event.get("method", "tools/call") != "tools/call" or "result" in event:
            return
        given = _payload.member(event, "params") or event
        if "name" in given:
            id = event.get("id")
            self._drafts[len(self._drafts)] = Draft(
                id if isinstance(id, str) else "" if id is None else json.dumps(id),
                _payload.text(given.get("name")),
                given.get("arguments"),
            )
