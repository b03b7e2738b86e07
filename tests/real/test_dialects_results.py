"""Results as real programs sent them, and as the dialects write them."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pegboard import (
    BatchResult,
    FileContent,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResult,
    dialects,
)

#: File of recordings -> the dialect of its requests, where it is only one.
DIALECTS = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "bedrock-mantle": "openai_responses",
    "cohere": "cohere",
    "gemini": "gemini",
    "groq": "openai_chat",
    "mistral": "mistral",
    "ollama": "ollama",
    "openai-chat": "openai_chat",
    "openai-compatible": "openai_chat",
    "openai-responses": "openai_responses",
    "openrouter": "openai_chat",
}
#: What stands for the bytes of a recorded image or file, which were cut.
DATA = b"*"


@pytest.fixture(scope="module")
def conversations(shared: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    """Each recorded conversation with its dialect, request by request."""
    found: dict[str, list[dict[str, Any]]] = {}
    kinds: dict[str, str] = {}
    for file in sorted((shared / "data" / "provider-traffic").glob("*/*.jsonl")):
        if file.stem not in DIALECTS:
            continue
        for line in filter(None, file.read_text("utf-8").split("\n")):
            item = json.loads(line)
            if isinstance(item["request"]["body"], dict):
                found.setdefault(item["source"], []).append(item)
                kinds[item["source"]] = DIALECTS[file.stem]
    return [
        (kinds[source], sorted(items, key=lambda item: item.get("seq", 0)))
        for source, items in found.items()
    ]


def test_results_are_written_as_they_were_sent(conversations):
    """L4: our answer to a recorded call is what the next request of it held.

    Freedoms: a lone text may be a string or a block, success need not be said, made-up
    ids and Gemini's key for an output are the sender's choice.
    """
    wrong = []
    compared: Counter[str] = Counter()
    for dialect, items in conversations:
        calls = {}
        for item in items:
            for sent in _sent(dialect, item["request"]["body"]):
                id, name, blocks, is_error = sent
                call = calls.get(id) or calls.get(f"name {name}")
                if call is None or blocks is None:
                    continue
                compared[dialect] += 1
                call = ToolCall(call.name, call.arguments, id=id)
                code = "tool_failed" if is_error else None
                batch = BatchResult([ToolResult(blocks, call=call, code=code)])
                ours = json.loads(_dump(dialects.load(dialect).results(batch)))
                [written] = _sent(dialect, {_place(dialect): ours})
                if written != (id, name, blocks, is_error):
                    wrong.append((item["id"], sent, written))
            for call in _calls(dialect, item["response"]):
                calls[call.id or f"name {call.name}"] = call

    assert wrong == []
    assert compared["anthropic"] > 30
    assert compared["openai_responses"] > 30
    assert compared["gemini"] > 30
    assert set(compared) == set(DIALECTS.values()) - {"ollama"}


def _calls(dialect: str, response: dict[str, Any]) -> list[ToolCall]:
    payload = next(response[k] for k in response if k not in ("status", "content_type"))
    payload = dialects.read(payload) if isinstance(payload, str) else payload
    return dialects.load(dialect).calls(payload)


def _dump(messages: list[dict[str, Any]]) -> str:
    return json.dumps(messages, default=lambda data: "Kg==")


def _place(dialect: str) -> str:
    places = {"openai_responses": "input", "gemini": "contents"}
    return places.get(dialect, "messages")


Sent = tuple[str, str, list[Any] | None, bool]


def _sent(dialect: str, body: dict[str, Any]) -> Iterator[Sent]:
    """Yield (id, name, blocks, whether an error) of each result in a request.

    Blocks are None where the sender used what has no counterpart here.
    """
    messages = body.get(_place(dialect)) or []
    if isinstance(messages, str):
        return
    for message in messages:
        parts = message.get("content", message.get("parts"))
        parts = parts if isinstance(parts, list) else []
        if dialect == "openai_responses" and message.get("type", "") == (
            "function_call_output"
        ):
            yield message["call_id"], "", _blocks(message["output"]), False
        elif message.get("role") == "tool":
            name = message.get("name", "") if dialect == "mistral" else ""
            yield (
                message.get("tool_call_id", ""),
                "",
                _blocks(message["content"]),
                False,
            )
            assert not name or isinstance(name, str)
        for part in parts:
            yield from _part(part)


def _part(part: dict[str, Any]) -> Iterator[Sent]:
    if part.get("type") == "tool_result":
        error = bool(part.get("is_error"))
        yield part["tool_use_id"], "", _blocks(part["content"]), error
    use = part.get("toolResult")
    if use:
        error = use.get("status") == "error"
        yield use["toolUseId"], "", _blocks(use["content"]), error
    answer = part.get("functionResponse") or part.get("function_response")
    if answer:
        response = answer["response"]
        [(key, value)] = response.items() if len(response) == 1 else [("", response)]
        text = value if isinstance(value, str) else json.dumps(response)
        media = [_block(item) for item in answer.get("parts", [])]
        blocks = None if media else [TextContent(text)]
        yield answer.get("id", ""), answer["name"], blocks, key == "error"


def _blocks(content: str | list[Any]) -> list[Any] | None:
    if isinstance(content, str):
        return [TextContent(content)] if content.strip() else None
    blocks = [_block(item) for item in content]
    return None if None in blocks else blocks


def _block(item: dict[str, Any]) -> Any:
    if "text" in item:
        return TextContent(item["text"])
    source = item.get("source", {})
    if item.get("type") == "image" and source.get("type") == "base64":
        return ImageContent(DATA, source["media_type"])
    if item.get("type") == "document" and source.get("type") == "base64":
        return FileContent(DATA, source["media_type"])
    if item.get("type") == "input_image" and item.get("image_url", "").startswith(
        "data:"
    ):
        kind = item["image_url"].removeprefix("data:").partition(";")[0]
        return ImageContent(DATA, kind)
    if "image" in item:
        return ImageContent(DATA, f"image/{item['image']['format']}")
    return None
