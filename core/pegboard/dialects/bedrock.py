"""Amazon Bedrock's Converse and ConverseStream.

Images and documents carry raw bytes, as boto3 takes them.

Source: the service model of botocore 1.44; recorded traffic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.content import FileContent, ImageContent
from pegboard.dialects import _payload
from pegboard.dialects._answers import pairs, shown, text_for
from pegboard.dialects._export import Export, exports, losses_of
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects._subset import BEDROCK_STRICT, PORTABLE
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "bedrock"

#: Stop reasons of answers that are not whole.
CUT = frozenset(
    "max_tokens malformed_tool_use malformed_model_output content_filtered "
    "model_context_window_exceeded guardrail_intervened".split()
)
IMAGES = {f"image/{kind}": kind for kind in ("png", "jpeg", "gif", "webp")}
DOCUMENTS = {
    "application/pdf": "pdf",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
#: What the name of a document may not hold.
_UNFIT = re.compile(r"[^a-zA-Z0-9\s()\[\]-]+|\s{2,}")


def tools(
    definitions: Iterable[ToolDefinition], *, strict: bool = False, cache: bool = False
) -> list[dict[str, Any]]:
    """Return the `toolConfig.tools` of a request.

    Args:
        definitions: The tools to offer, in this order.
        strict: Whether the provider shall hold the model to the schemas; a tool whose
            schema strict mode does not take is offered without (see `losses`).
        cache: Whether the provider shall keep the listing in its prompt cache.
    """
    made: list[dict[str, Any]] = [_tool(one) for one in _exports(definitions, strict)]
    return [*made, {"cachePoint": {"type": "default"}}] if made and cache else made


def losses(
    definitions: Iterable[ToolDefinition], *, strict: bool = False
) -> list[Loss]:
    """Return what `tools` with the same arguments says otherwise than the tools do."""
    return losses_of(_exports(definitions, strict))


def _exports(definitions: Iterable[ToolDefinition], strict: bool) -> Iterator[Export]:
    return exports(definitions, PORTABLE, BEDROCK_STRICT if strict else None)


def _tool(made: Export) -> dict[str, Any]:
    spec: dict[str, Any] = {"name": made.name}
    if made.description:
        spec["description"] = made.description
    spec["inputSchema"] = {"json": made.schema}
    if made.is_strict:
        spec["strict"] = True
    return {"toolSpec": spec}


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an answer.

    Args:
        response: What `converse` returned, or all events of `converse_stream`.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one user message with one `toolResult` a call, [] for no call."""
    content = [_answer(call, result) for call, result in pairs(batch)]
    return [{"role": "user", "content": content}] if content else []


def _answer(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "toolUseId": call.id,
        "content": [_block(block) for block in shown(result)],
    }
    if result.is_error:
        # Success is not written: some models take no status at all.
        answer["status"] = "error"
    return {"toolResult": answer}


def _block(block: Any) -> dict[str, Any]:
    match block:
        case ImageContent() if block.mime_type in IMAGES:
            kind = IMAGES[block.mime_type]
            return {"image": {"format": kind, "source": {"bytes": block.data}}}
        case FileContent() if block.mime_type in DOCUMENTS:
            title = _UNFIT.sub(" ", block.name).strip()[:200] or "document"
            kind = DOCUMENTS[block.mime_type]
            source = {"bytes": block.data}
            return {"document": {"format": kind, "name": title, "source": source}}
        case _:
            return {"text": text_for(block)}


class Collector(Stream):
    """Calls out of the events of a stream."""

    def _take(self, event: Mapping[str, Any]) -> None:
        if "event_type" in event:  # a frame whose name stands beside its payload
            event = {str(event["event_type"]): event.get("payload")}
        for kind, value in event.items():
            part = _payload.member(event, kind)
            place = _payload.place(part.get("contentBlockIndex"))
            match kind:
                case "contentBlockStart":
                    self._begin(place, _payload.member(part, "start", "toolUse"))
                case "contentBlockDelta":
                    self._add(place, _payload.member(part, "delta", "toolUse"))
                case "messageStop":
                    self._stop(part.get("stopReason"))
                case "output":
                    blocks = _payload.member(part, "message").get("content")
                    for at, block in enumerate(_payload.entries(blocks)):
                        self._begin(at, _payload.member(block, "toolUse"))
                case "stopReason":
                    self._stop(value)
                case _:
                    self._cut |= kind.endswith(("Exception", "exception"))

    def _begin(self, place: Any, use: Mapping[str, Any]) -> None:
        # A server tool ran at the provider already.
        if use and use.get("type", "tool_use") == "tool_use":
            id, title = use.get("toolUseId"), use.get("name")
            given = use.get("input", {})
            draft = Draft(_payload.text(id), _payload.text(title), given)
            self._drafts[place] = draft

    def _add(self, place: Any, use: Mapping[str, Any]) -> None:
        draft = self._drafts.get(place)
        if draft and use.get("input"):
            draft.whole = None
            draft.add(use["input"])

    def _stop(self, reason: Any) -> None:
        self._ended |= reason is not None
        self._cut |= _payload.text(reason) in CUT
