"""Recorded answers: which dialect they are of, and their text as payloads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from pegboard.dialects import _payload
from pegboard.errors import UsageError

_BEDROCK = frozenset(
    "messageStart contentBlockStart contentBlockDelta contentBlockStop "
    "messageStop".split()
)
_ANTHROPIC = frozenset(
    "message_start content_block_start content_block_delta content_block_stop "
    "message_delta message_stop".split()
)
#: Mistral's ids are plain; OpenAI's and those of the compatible ones have a prefix.
_MISTRAL_ID = re.compile(r"[0-9a-f]{32}")


def read(text: str | bytes) -> Any:
    """Return what a recorded answer holds.

    Args:
        text: One JSON value, JSON Lines, or server-sent events as they came.

    Returns:
        The value, or the list of all chunks of a stream.

    Raises:
        UsageError: it is none of these.
    """
    given = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        chunks = [
            event for event in _payload.events(given) if event is not _payload.DONE
        ]
    if not chunks:
        raise UsageError(
            f"this text is neither JSON nor a recorded stream: {given.strip()[:80]!r}"
        )
    return chunks


def detect(payload: Any) -> str | None:
    """Return the name of the dialect that an answer is of, None if none fits.

    Args:
        payload: A response as a dict or an SDK's object, or the chunks of a stream.
    """
    for event in _payload.entries(_payload.plain(payload))[:20]:
        for dialect, fits in _MARKS.items():
            if fits(event):
                return dialect
    return None


def _is_gemini(event: Mapping[str, Any]) -> bool:
    return "candidates" in event or "promptFeedback" in event


def _is_bedrock(event: Mapping[str, Any]) -> bool:
    kind = _payload.text(event.get("event_type"))
    names = {*event, kind if "payload" in event else ""}
    return bool(_BEDROCK & names) or "stopReason" in event


def _is_interaction(event: Mapping[str, Any]) -> bool:
    kind = _payload.text(event.get("event_type"))
    return kind.startswith(("interaction.", "step.")) or (
        event.get("object") == "interaction" or ("steps" in event and "status" in event)
    )


def _is_responses(event: Mapping[str, Any]) -> bool:
    kind = _payload.text(event.get("type"))
    return (
        kind.startswith("response.")
        or kind in ("function_call", "reasoning")
        or (event.get("object") == "response" and "output" in event)
    )


def _is_anthropic(event: Mapping[str, Any]) -> bool:
    kind = _payload.text(event.get("type"))
    whole = kind == "message" and "content" in event and "stop_reason" in event
    return whole or kind in _ANTHROPIC or kind == "tool_use"


def _is_mcp(event: Mapping[str, Any]) -> bool:
    return "jsonrpc" in event


def _is_ollama(event: Mapping[str, Any]) -> bool:
    return "message" in event and "done" in event


def _is_cohere(event: Mapping[str, Any]) -> bool:
    kind = _payload.text(event.get("type"))
    whole = "message" in event and "finish_reason" in event
    return whole or kind in ("message-start", "tool-call-start", "content-start")


def _is_langchain(event: Mapping[str, Any]) -> bool:
    return (
        _payload.text(event.get("type")) in ("ai", "AIMessageChunk")
        or "messages" in event
    )


def _is_mistral(event: Mapping[str, Any]) -> bool:
    id = _payload.text(event.get("id"))
    plain = _MISTRAL_ID.fullmatch(id) is not None
    return "choices" in event and plain and "system_fingerprint" not in event


def _is_openai_chat(event: Mapping[str, Any]) -> bool:
    return "choices" in event


_MARKS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "gemini": _is_gemini,
    "bedrock": _is_bedrock,
    "gemini_interactions": _is_interaction,
    "openai_responses": _is_responses,
    "anthropic": _is_anthropic,
    "mcp": _is_mcp,
    "ollama": _is_ollama,
    "cohere": _is_cohere,
    "langchain": _is_langchain,
    "mistral": _is_mistral,
    "openai_chat": _is_openai_chat,
}
