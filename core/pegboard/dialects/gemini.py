"""Google's Gemini API, on AI Studio and Vertex.

Source: the types of google-genai 3.6; recorded traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.content import ResourceLink, encode
from pegboard.dialects import _payload
from pegboard.dialects._answers import given_id, pairs, shown, text_for
from pegboard.dialects._export import Export, exports, losses_of
from pegboard.dialects._partial import Partial
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects._subset import GEMINI, GEMINI_OPENAPI
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "gemini"

#: What may stand beside a result's text.
MEDIA = frozenset(("image/png", "image/jpeg", "image/webp", "application/pdf"))
#: Finish reasons of whole answers; any other one cut the answer off.
WHOLE = frozenset(("STOP", "FINISH_REASON_UNSPECIFIED"))


def tools(
    definitions: Iterable[ToolDefinition], *, openapi: bool = False
) -> list[dict[str, Any]]:
    """Return the `tools` of a request: one entry with all declarations, [] for none.

    Args:
        definitions: The tools to offer, in this order.
        openapi: Whether to write the older `parameters`, which servers before
            `parametersJsonSchema` need; it says less (see `losses`).
    """
    declarations = [_declare(made, openapi) for made in _exports(definitions, openapi)]
    return [{"functionDeclarations": declarations}] if declarations else []


def losses(
    definitions: Iterable[ToolDefinition], *, openapi: bool = False
) -> list[Loss]:
    """Return what `tools` with the same arguments says otherwise than the tools do."""
    return losses_of(_exports(definitions, openapi))


def _exports(definitions: Iterable[ToolDefinition], openapi: bool) -> Iterator[Export]:
    return exports(definitions, GEMINI_OPENAPI if openapi else GEMINI)


def _declare(made: Export, openapi: bool) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": made.name, "description": made.description}
    if not openapi:
        declaration["parametersJsonSchema"] = made.schema
    elif made.schema.get("properties"):
        # An object without properties is refused here; no schema means no arguments.
        declaration["parameters"] = made.schema
    return declaration


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an answer.

    Of several candidates, those of the first. The provider may give no ids.

    Args:
        response: The response as a dict or an SDK's object, or all chunks of a stream.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one user content with one `functionResponse` a call, [] for no call.

    The result is always a text, so that nothing in it is read as protocol; images
    and PDF files stand beside it (which only newer models read).
    """
    parts = [_answer(call, result) for call, result in pairs(batch)]
    return [{"role": "user", "parts": parts}] if parts else []


def _answer(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    blocks = shown(result)
    media = [block for block in blocks if _is_media(block)]
    text = "\n".join(text_for(block) for block in blocks if not _is_media(block))
    answer: dict[str, Any] = {
        **given_id("id", call),
        "name": call.name,
        "response": {"error" if result.is_error else "output": text},
    }
    if media:
        answer["parts"] = [{"inlineData": _blob(block)} for block in media]
    return {"functionResponse": answer}


def _is_media(block: Any) -> bool:
    return getattr(block, "mime_type", "") in MEDIA and not isinstance(
        block, ResourceLink
    )


def _blob(block: Any) -> dict[str, str]:
    return {"mimeType": block.mime_type, "data": encode(block.data)}


class Collector(Stream):
    """Calls out of the chunks of a stream, their arguments in pieces or whole."""

    def __init__(self) -> None:
        super().__init__()
        self._partial: Partial | None = None

    def _take(self, event: Mapping[str, Any]) -> None:
        self._cut |= bool(event.get("error"))
        for candidate in _payload.entries(event.get("candidates"))[:1]:
            for part in _payload.entries(
                _payload.member(candidate, "content").get("parts")
            ):
                call = part.get("functionCall", part.get("function_call"))
                if isinstance(call, Mapping):
                    self._take_call(call)
            self._stop(candidate.get("finishReason") or candidate.get("finish_reason"))

    def _take_call(self, call: Mapping[str, Any]) -> None:
        pieces = _payload.entries(call.get("partialArgs") or call.get("partial_args"))
        more = bool(call.get("willContinue", call.get("will_continue")))
        if call.get("name") or (self._partial is None and call):
            id, title = _payload.text(call.get("id")), _payload.text(call.get("name"))
            draft = self._drafts[len(self._drafts)] = Draft(id, title, call.get("args"))
            self._partial = Partial() if more or pieces else None
            if self._partial:
                draft.whole = self._partial.value
        if self._partial:
            for piece in pieces:
                self._partial.add(piece)
            self._cut |= self._partial.broken
            if not more:
                self._partial = None

    def _stop(self, reason: Any) -> None:
        if reason is not None:
            self._ended = True
            self._cut |= str(getattr(reason, "value", reason)) not in WHOLE
