"""The SDKs of Mistral, Cohere and Ollama take what their dialects write."""

import json
from typing import Any

import pytest

from pegboard import dialects
from pegboard.dialects import cohere, mistral, ollama

ASKED = [{"role": "user", "content": "What is the weather?"}]
CALL = {
    "id": "abcdefghi",
    "type": "function",
    "function": {"name": "now", "arguments": '{"zone":"z"}'},
}


def answering(httpx: Any, seen: list[Any], answer: dict[str, Any]) -> Any:
    def respond(request: Any) -> Any:
        seen.append(json.loads(request.content))
        return httpx.Response(200, json=answer)

    return httpx.MockTransport(respond)


@pytest.mark.parametrize("strict", [False, True])
def test_mistral_takes_and_is_read(definitions, batch, strict):
    """L1: Mistral's models take our request; through its client the answer reads."""
    models = pytest.importorskip("mistralai.client.models")
    httpx2 = pytest.importorskip("httpx2")
    from mistralai.client import Mistral

    request = {
        "model": "mistral",
        "messages": [*ASKED, *mistral.results(batch)],
        "tools": mistral.tools(definitions, strict=strict),
    }
    models.ChatCompletionRequest.model_validate(request)
    choice = {
        "index": 0,
        "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": "", "tool_calls": [CALL]},
    }
    answer = {
        "id": "1",
        "object": "chat.completion",
        "model": "mistral",
        "created": 1,
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        "choices": [choice],
    }
    seen: list[Any] = []
    transport = answering(httpx2, seen, answer)
    client = Mistral(api_key="x", client=httpx2.Client(transport=transport))
    sent = {**request, "tools": request["tools"][:100]}
    [call] = mistral.calls(client.chat.complete(**sent))

    names = [tool["function"]["name"] for tool in seen[0]["tools"]]
    assert names == [tool["function"]["name"] for tool in sent["tools"]]
    assert seen[0]["messages"][1:] == sent["messages"][1:]
    assert (call.id, call.name, call.arguments) == ("abcdefghi", "now", '{"zone":"z"}')


def test_cohere_takes_and_is_read(definitions, batch):
    """L1: through Cohere's client our request arrives as written, its answer reads."""
    sdk = pytest.importorskip("cohere")
    httpx = pytest.importorskip("httpx")
    answer = {
        "id": "1",
        "finish_reason": "TOOL_CALL",
        "message": {"role": "assistant", "tool_calls": [CALL]},
    }
    seen: list[Any] = []
    transport = answering(httpx, seen, answer)
    client = sdk.ClientV2(
        api_key="x",
        base_url="http://localhost",
        httpx_client=httpx.Client(transport=transport),
    )
    tools = cohere.tools(definitions[:100])
    messages = [*ASKED, *cohere.results(batch)]
    [call] = cohere.calls(client.chat(model="command", messages=messages, tools=tools))

    assert (seen[0]["messages"], seen[0]["tools"]) == (messages, tools)
    assert (call.id, call.name, call.arguments) == ("abcdefghi", "now", '{"zone":"z"}')


def test_ollama_takes_and_is_read(definitions, batch):
    """L1: Ollama's models take our tools; through its client the answer reads.

    The client drops what it does not know of a schema; the dialect writes only what
    the server reads, so that nothing is dropped unseen.
    """
    sdk = pytest.importorskip("ollama")
    httpx = pytest.importorskip("httpx")
    function = {"name": "now", "arguments": {"zone": "z"}}
    answer = {
        "model": "llama",
        "done": True,
        "done_reason": "stop",
        "message": {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": function}],
        },
    }
    seen: list[Any] = []
    transport = answering(httpx, seen, answer)
    client = sdk.Client(host="http://localhost", transport=transport)
    tools = ollama.tools(definitions)
    messages = [*ASKED, *ollama.results(batch)]
    for tool in tools:
        sdk.Tool.model_validate(tool)
    reply = client.chat("llama", messages=messages, tools=tools[:100])
    [call] = ollama.calls(reply)

    sent = [tool["function"]["name"] for tool in seen[0]["tools"]]
    assert sent == [tool["function"]["name"] for tool in tools[:100]]
    assert [m["content"] for m in seen[0]["messages"]] == [
        message["content"] for message in messages
    ]
    assert (call.id, call.name, dict(call.arguments)) == ("", "now", {"zone": "z"})


def test_langchain_reads_our_messages_and_we_read_its(batch):
    """L1: LangChain makes tool messages of our results, and we calls of its message."""
    messages = pytest.importorskip("langchain_core.messages")
    from pegboard.dialects import langchain

    made = messages.convert_to_messages(langchain.results(batch))
    reply = messages.AIMessage(
        "",
        tool_calls=[{"name": "now", "args": {"zone": "z"}, "id": "1"}],
        invalid_tool_calls=[{"name": "now", "args": "{zone:", "id": "2", "error": "?"}],
        response_metadata={"finish_reason": "tool_calls"},
    )
    good, bad = langchain.calls({"messages": [messages.HumanMessage("?"), reply]})

    assert [message.type for message in made] == ["tool"] * len(batch)
    assert {message.status for message in made} == {"success", "error"}
    assert (good.id, dict(good.arguments), good.truncated) == (
        "1",
        {"zone": "z"},
        False,
    )
    assert (bad.id, bad.arguments) == ("2", "{zone:")


def test_langchains_own_sum_of_chunks_agrees_with_the_collector():
    """L1: chunks collected by us are the calls of the message LangChain adds up."""
    messages = pytest.importorskip("langchain_core.messages")
    from pegboard.dialects import langchain

    pieces = [
        {"name": "now", "args": "", "id": "1", "index": 0},
        {"name": None, "args": '{"zone":', "id": None, "index": 0},
        {"name": "stop", "args": "{}", "id": "2", "index": 1},
        {"name": None, "args": '"z"}', "id": None, "index": 0},
    ]
    chunks = [messages.AIMessageChunk("", tool_call_chunks=[piece]) for piece in pieces]
    chunks.append(messages.AIMessageChunk("", chunk_position="last"))
    collector = langchain.Collector()
    for chunk in chunks:
        collector.feed(chunk)
    total = sum(chunks[1:], chunks[0])

    theirs = [(call["id"], call["name"], call["args"]) for call in total.tool_calls]
    ours = [(c.id, c.name, json.loads(c.arguments)) for c in collector.calls()]
    assert ours == theirs
    assert not any(call.truncated for call in collector.calls())


@pytest.mark.parametrize(
    ("name", "providers", "module", "model"),
    [
        (
            "gemini",
            ["gemini", "google"],
            "google.genai.types",
            "GenerateContentResponse",
        ),
        ("mistral", ["mistral"], "mistralai.client.models", "CompletionChunk"),
        ("anthropic", ["anthropic"], "anthropic.types", "RawMessageStreamEvent"),
    ],
)
def test_an_sdks_own_events_read_like_the_wire(
    recorded, name, providers, module, model
):
    """L1: a recorded stream fed as the SDK's objects gives the calls of its dicts."""
    sdk = pytest.importorskip(module)
    pydantic = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(getattr(sdk, model))
    dialect = dialects.load(name)
    compared = 0
    for title, response in recorded(*providers):
        chunks = dialects.read(response.get("sse_raw", "[]"))
        collector = dialect.Collector()
        try:
            for chunk in chunks if isinstance(chunks, list) else []:
                if chunk.get("type") != "ping":
                    collector.feed(adapter.validate_python(chunk))
        except pydantic.ValidationError:
            continue  # fields that were cut, and kinds that this SDK does not know
        ours = [(c.id, c.name, c.arguments) for c in collector.calls()]
        theirs = [(c.id, c.name, c.arguments) for c in dialect.calls(chunks)]
        compared += len(ours)

        assert ours == theirs, title

    assert compared >= 2
