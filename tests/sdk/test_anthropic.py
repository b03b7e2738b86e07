"""Anthropic's own types, client and accumulator take and agree with the dialect."""

import json
from typing import Any

import pytest

from pegboard import dialects
from pegboard.dialects import anthropic as dialect

anthropic = pytest.importorskip("anthropic")
httpx2 = pytest.importorskip("httpx2")

ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [
        {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {"zone": "z"}}
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
ASKED = [{"role": "user", "content": "What is the weather?"}]


@pytest.mark.parametrize("strict", [False, True])
def test_requests_are_of_anthropics_types(definitions, batch, accepts, strict):
    """L1: a whole request with our tools and results is what Anthropic's types say."""
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    request = {
        "model": "claude",
        "max_tokens": 100,
        "messages": [*ASKED, *dialect.results(batch)],
        "tools": dialect.tools(definitions, strict=strict, cache="5m"),
    }

    accepts(MessageCreateParamsNonStreaming, request)


def test_strict_schemas_are_what_anthropics_own_rewriting_leaves(definitions):
    """L2: Anthropic's own transformation finds nothing to change in a strict schema."""
    changed, strict = [], 0
    for definition in definitions:
        [tool] = dialect.tools([definition], strict=True)
        if "strict" in tool:
            strict += 1
            ours = _without_types(tool["input_schema"])
            if _without_types(anthropic.transform_schema(tool["input_schema"])) != ours:
                changed.append(tool["name"])

    assert strict > len(definitions) / 2
    assert changed == []


def _without_types(schema: Any) -> Any:
    """Drop what may or may not be said: the type of listed values, no properties."""
    if isinstance(schema, list):
        return [_without_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    said = {"enum", "const"} & set(schema)
    return {
        key: _without_types(item)
        for key, item in schema.items()
        if not (key == "type" and said) and not (key == "properties" and not item)
    }


def test_the_client_sends_and_reads_what_the_dialect_means(definitions, batch):
    """L1: through the real client our bytes arrive as written, and its answer reads."""
    seen: list[Any] = []

    def respond(request: Any) -> Any:
        seen.append(json.loads(request.content))
        return httpx2.Response(200, json=ANSWER)

    client = anthropic.Anthropic(
        api_key="x",
        base_url="http://localhost",
        max_retries=0,
        _strict_response_validation=True,
        http_client=httpx2.Client(transport=httpx2.MockTransport(respond)),
    )
    tools = dialect.tools(definitions[:100])
    messages = [*ASKED, *dialect.results(batch)]
    [call] = dialect.calls(
        client.messages.create(
            model="claude", max_tokens=9, messages=messages, tools=tools
        )
    )

    assert (seen[0]["messages"], seen[0]["tools"]) == (messages, tools)
    assert (call.id, call.name, dict(call.arguments)) == (
        "toolu_1",
        "now",
        {"zone": "z"},
    )


def test_streams_are_read_as_anthropics_accumulator_reads_them(recorded):
    """L1: of each recorded stream, our calls are those of Anthropic's own state."""
    from anthropic.lib.streaming._messages import accumulate_event
    from anthropic.types import RawMessageStreamEvent
    from pydantic import TypeAdapter

    adapter = TypeAdapter(RawMessageStreamEvent)
    compared = 0
    for name, response in recorded("anthropic"):
        chunks = dialects.read(response.get("sse_raw", "[]"))
        if sum(chunk["type"] == "message_start" for chunk in chunks) != 1:
            continue
        message, texts = None, {}
        collector = dialect.Collector()
        for chunk in chunks:
            collector.feed(chunk)
            if chunk["type"] == "ping":
                continue
            try:
                event = adapter.validate_python(chunk)
            except ValueError:  # a kind of block that this SDK does not know
                message = None
                break
            message = accumulate_event(
                event=event, current_snapshot=message, json_bufs=texts
            )
        if message is None:
            continue
        theirs = [
            (block.id, block.name, block.input)
            for block in message.content
            if block.type == "tool_use"
        ]
        compared += len(theirs)

        ours = [(c.id, c.name, _read(c.arguments)) for c in collector.calls()]
        assert ours == theirs, name

    assert compared > 5


def _read(arguments: Any) -> Any:
    return json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
