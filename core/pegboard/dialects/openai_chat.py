"""OpenAI's chat completions, and the many providers that speak the same.

Azure, Groq, DeepSeek, OpenRouter, xAI, Cerebras, Hugging Face, Moonshot, Alibaba, vLLM,
llama.cpp and others.

Source: the types of the openai package 3.57; recorded traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.calls import ToolCall
from pegboard.dialects import _payload
from pegboard.dialects._answers import pairs, text_of
from pegboard.dialects._export import Export, exports, losses_of, shorten
from pegboard.dialects._stream import Draft, Stream
from pegboard.dialects._subset import OPENAI_STRICT, PORTABLE
from pegboard.dialects.losses import Loss
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

name = "openai_chat"

#: Finish reasons of answers that are not whole, over all compatible providers.
CUT = frozenset(
    "length content_filter max_tokens model_length insufficient_system_resource "
    "error".split()
)


def tools(
    definitions: Iterable[ToolDefinition],
    *,
    strict: bool = False,
    max_description: int | None = 1_024,
) -> list[dict[str, Any]]:
    """Return the `tools` of a request.

    Args:
        definitions: The tools to offer, in this order.
        strict: Whether the provider shall hold the model to the schemas; a tool whose
            schema strict mode does not take is offered without (see `losses`).
        max_description: Longest description of a tool, in characters; OpenAI refuses
            longer ones, some compatible providers do not (None: no limit).
    """
    made = _exports(definitions, strict, max_description)
    return [one.as_function() for one in made]


def losses(
    definitions: Iterable[ToolDefinition],
    *,
    strict: bool = False,
    max_description: int | None = 1_024,
) -> list[Loss]:
    """Return what `tools` with the same arguments says otherwise than the tools do."""
    return losses_of(_exports(definitions, strict, max_description))


def _exports(
    definitions: Iterable[ToolDefinition], strict: bool, max_description: int | None
) -> Iterator[Export]:
    subset = OPENAI_STRICT if strict else None
    for made in exports(definitions, PORTABLE, subset):
        yield shorten(made, max_description)


def calls(response: Any) -> list[ToolCall]:
    """Return the calls of an answer.

    Of several choices, those of the first that has any. Calls of custom tools are not
    ours, so they are left alone.

    Args:
        response: The response as a dict or an SDK's object, or all chunks of a stream.
    """
    return Collector().read(response)


def results(batch: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """Return one `tool` message a call; only text is taken here."""
    return [
        {"role": "tool", "tool_call_id": call.id, "content": text_of(result)}
        for call, result in pairs(batch)
    ]


class Collector(Stream):
    """Calls out of the chunks of a stream."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[Any, Draft] = {}

    def _take(self, event: Mapping[str, Any]) -> None:
        self._cut |= bool(event.get("error"))
        for choice in _payload.entries(event.get("choices")):
            number = _payload.place(choice.get("index"))
            # Writer sends each piece twice, once as a message.
            if "delta" not in choice:
                for call in _functions(choice.get("message")):
                    self._add(self._begin(number), call)
            for piece in _functions(choice.get("delta")):
                self._add(self._find(number, piece), piece)
            reason = choice.get("finish_reason")
            self._ended |= reason is not None
            self._cut |= _payload.text(reason).lower() in CUT

    def _add(self, draft: Draft, piece: Mapping[str, Any]) -> None:
        function = _payload.member(piece, "function")
        name = _payload.text(function.get("name"))
        draft.id = draft.id or _payload.text(piece.get("id"))
        # Some repeat the name in each piece, some send it in pieces.
        draft.name += "" if name == draft.name else name
        draft.add(function.get("arguments"))

    def _find(self, choice: Any, piece: Mapping[str, Any]) -> Draft:
        """Return the draft that a piece belongs to.

        Most providers number the calls. Some give no number, or 0 to each; then a name
        with another id, or without a number, begins a call.
        """
        number, id = _payload.place(piece.get("index")), piece.get("id")
        draft = self._open.get((choice, number))
        named = _payload.member(piece, "function").get("name")
        if draft and not (
            named and draft.name and (id != draft.id if id else number is None)
        ):
            return draft
        draft = self._open[choice, number] = self._begin(choice)
        return draft

    def _begin(self, choice: Any) -> Draft:
        draft = self._drafts[choice, len(self._drafts)] = Draft()
        return draft

    def _chosen(self) -> list[Draft]:
        # Choices are alternatives: only one of them becomes part of the conversation.
        first = next((choice for choice, _ in self._drafts), None)
        return [draft for (choice, _), draft in self._drafts.items() if choice == first]


def _functions(message: Any) -> list[Mapping[str, Any]]:
    return [
        piece
        for piece in _payload.entries(_payload.member(message).get("tool_calls"))
        if piece.get("type") != "custom"
        and ("function" in piece or "custom" not in piece)
    ]
