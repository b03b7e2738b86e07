"""OpenAI's own types and client take what the dialects write, and agree on streams."""

import json
from typing import Any

import pytest

from pegboard import dialects
from pegboard.dialects import openai_chat, openai_responses

openai = pytest.importorskip("openai")
httpx2 = pytest.importorskip("httpx2")

ASKED = [{"role": "user", "content": "What is the weather?"}]
ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {
                            "name": "forecast",
                            "arguments": '{"city":"Oslo"}',
                        },
                    }
                ],
            },
        }
    ],
}


def client(seen: list[Any], answer: dict[str, Any]) -> Any:
    def respond(request: Any) -> Any:
        seen.append(json.loads(request.content))
        return httpx2.Response(200, json=answer)

    transport = httpx2.MockTransport(respond)
    return openai.OpenAI(
        api_key="x",
        base_url="http://localhost/v1",
        max_retries=0,
        _strict_response_validation=True,
        http_client=httpx2.Client(transport=transport),
    )


@pytest.mark.parametrize("strict", [False, True])
def test_chat_requests_are_of_openais_types(definitions, batch, accepts, strict):
    """L1: a chat request with our tools and results is what OpenAI's types say."""
    from openai.types.chat.completion_create_params import (
        CompletionCreateParamsNonStreaming,
    )

    request = {
        "model": "gpt",
        "messages": [*ASKED, *openai_chat.results(batch)],
        "tools": openai_chat.tools(definitions, strict=strict),
    }

    accepts(CompletionCreateParamsNonStreaming, request)


@pytest.mark.parametrize("strict", [False, True])
def test_responses_requests_are_of_openais_types(definitions, batch, accepts, strict):
    """L1: the same of a request to the responses API."""
    from openai.types.responses.response_create_params import (
        ResponseCreateParamsNonStreaming,
    )

    request = {
        "model": "gpt",
        "input": [*ASKED, *openai_responses.results(batch)],
        "tools": openai_responses.tools(definitions, strict=strict),
    }

    accepts(ResponseCreateParamsNonStreaming, request)


def test_the_client_sends_and_reads_what_the_dialect_means(definitions, batch):
    """L1: through the real client our bytes arrive as written, and its answer reads."""
    seen: list[Any] = []
    tools = openai_chat.tools(definitions[:100])
    messages = [*ASKED, *openai_chat.results(batch)]

    answer = client(seen, ANSWER).chat.completions.create(
        model="gpt", messages=messages, tools=tools
    )
    [call] = openai_chat.calls(answer)

    assert seen == [{"model": "gpt", "messages": messages, "tools": tools}]
    assert (call.id, call.name, call.arguments) == (
        "call_1",
        "forecast",
        '{"city":"Oslo"}',
    )


def test_chat_streams_are_read_as_openais_accumulator_reads_them(recorded):
    """L1: of each recorded stream, our calls are those of OpenAI's own state."""
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    compared = 0
    for name, response in recorded("openai-chat", "groq", "openrouter", "deepseek"):
        chunks = dialects.read(response.get("sse_raw", "[]"))
        if not isinstance(chunks, list) or not chunks or "choices" not in chunks[-1]:
            continue
        state = ChatCompletionStreamState()
        collector = openai_chat.Collector()
        for chunk in chunks:
            for choice in chunk["choices"]:
                choice["delta"].pop("annotations", None)  # OpenRouter's, unnumbered
            model = ChatCompletionChunk.model_validate(chunk)
            state.handle_chunk(model)
            collector.feed(model)
        try:
            message = state.get_final_completion().choices[0].message
        except openai.LengthFinishReasonError:
            continue
        theirs = [
            (call.id, call.function.name, call.function.arguments)
            for call in message.tool_calls or []
        ]
        compared += len(theirs)

        ours = [(c.id, c.name, c.arguments or "") for c in collector.calls()]
        assert ours == theirs, name

    assert compared > 10


def test_responses_streams_end_as_openai_says(recorded):
    """L1: of each recorded stream, our calls are those of the final response in it."""
    from openai.types.responses import Response, ResponseStreamEvent
    from pydantic import TypeAdapter

    adapter = TypeAdapter(ResponseStreamEvent)
    compared = 0
    for name, response in recorded("openai-responses", "azure", "bedrock-mantle"):
        chunks = dialects.read(response.get("sse_raw", "[]"))
        finals = [c["response"] for c in chunks if c["type"] == "response.completed"]
        if len(finals) != 1:
            continue
        collector = openai_responses.Collector()
        for chunk in chunks:
            collector.feed(_typed(adapter, chunk))
        final = Response.construct(**finals[0])
        ours = collector.calls()

        assert ours == openai_responses.calls(final), name
        compared += len(ours)

    assert compared > 5


def _typed(adapter: Any, chunk: dict[str, Any]) -> Any:
    try:
        return adapter.validate_python(chunk)
    except ValueError:  # recordings hold fields that were cut, and newer kinds
        return chunk
