"""Recorded answers, dialects by name, and what all results have in common."""

import json

import pytest

from pegboard import (
    FileContent,
    ResourceLink,
    ToolCall,
    ToolResult,
    UsageError,
    dialects,
)
from pegboard.dialects import openai_chat

CALL = {"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}
FUNCTION = {"type": "function_call", "call_id": "a", "name": "now", "arguments": "{}"}
USE = {"type": "tool_use", "id": "a", "name": "now", "input": {}}


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        ({"choices": [], "id": "chatcmpl-1"}, "openai_chat"),
        ({"choices": [], "id": "0" * 32}, "mistral"),
        ({"choices": [], "id": "0" * 32, "system_fingerprint": "x"}, "openai_chat"),
        ({"object": "response", "output": []}, "openai_responses"),
        ([{"type": "response.created"}], "openai_responses"),
        ([FUNCTION], "openai_responses"),
        ({"type": "message", "content": [], "stop_reason": None}, "anthropic"),
        ([{"type": "ping"}, {"type": "message_start"}], "anthropic"),
        ([USE], "anthropic"),
        ({"candidates": []}, "gemini"),
        ({"promptFeedback": {}}, "gemini"),
        ({"object": "interaction", "steps": []}, "gemini_interactions"),
        ([{"event_type": "interaction.created"}], "gemini_interactions"),
        ({"output": {}, "stopReason": "end_turn"}, "bedrock"),
        ([{"messageStart": {}}], "bedrock"),
        ([{"event_type": "messageStart", "payload": {}}], "bedrock"),
        ({"message": {}, "finish_reason": "COMPLETE"}, "cohere"),
        ([{"type": "message-start"}], "cohere"),
        ({"message": {}, "done": True}, "ollama"),
        ({"jsonrpc": "2.0", "method": "tools/call"}, "mcp"),
        ({"messages": []}, "langchain"),
        ({"type": "ai", "tool_calls": []}, "langchain"),
        ({"error": {"message": "?"}}, None),
        ({"total_tokens": 3}, None),
        ([], None),
    ],
)
def test_a_payload_names_its_dialect(payload, name):
    """L1: by what only this API says; an error and a stranger are of none."""
    assert dialects.detect(payload) == name


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ('{"a": 1}', {"a": 1}),
        (b'[{"a": 1}]', [{"a": 1}]),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        (
            'data: {"a": 1}\n\nevent: x\ndata: {"b": 2}\n\ndata: [DONE]\n\n',
            [{"a": 1}, {"b": 2}],
        ),
        ('data: {"a":\ndata: 1}\n\n', [{"a": 1}]),
    ],
)
def test_a_recording_is_read_in_every_form(text, payload):
    """L1: a JSON value, JSON Lines, or the events of a stream as they came."""
    assert dialects.read(text) == payload


@pytest.mark.parametrize("text", ["", "hello", "data: [DONE]", "{half"])
def test_what_is_no_recording_is_refused(text):
    """V9: the error quotes the beginning."""
    with pytest.raises(UsageError, match=r"no JSON|neither JSON nor a recorded stream"):
        dialects.read(text)


def test_dialects_are_found_by_name_and_by_address():
    """L1: Pegboard's own by name, a stranger's by module or module:attribute."""
    assert dialects.load("openai-chat") is openai_chat
    assert dialects.load("pegboard.dialects.openai_chat") is openai_chat
    assert dialects.load("pegboard.dialects:openai_chat") is openai_chat
    for name in dialects.NAMES:
        assert dialects.load(name).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("openai_chats", r"no dialect is called 'openai_chats'. Did you mean"),
        ("x", r"There are openai_chat, .* given as package.module or module:attribute"),
        ("no_such.module", "dialect 'no_such.module' cannot be loaded"),
        ("json:gone", "dialect 'json:gone' cannot be loaded"),
        ("json:", "dialect 'json:' lacks tools, calls, results, Collector"),
        ("json:dumps", "dialect 'json:dumps' lacks tools, calls"),
    ],
)
def test_what_is_no_dialect_is_refused_with_a_way_out(name, message):
    """V9: the error names what is missing, or the nearest name."""
    with pytest.raises(UsageError, match=message):
        dialects.load(name)


@pytest.mark.parametrize("name", dialects.NAMES)
def test_every_call_is_answered_once_and_details_never(name, batch):
    """L4: as many answers as calls, in their order; details and errors stay here."""
    texts = [f"text {number}" for number in range(4)]

    made = json.dumps(dialects.load(name).results(batch(*texts)))

    assert [made.index(text) for text in texts] == sorted(map(made.index, texts))
    assert "hidden" not in made


@pytest.mark.parametrize("name", dialects.NAMES)
def test_an_empty_result_and_a_waiting_call_are_texts(name, batch):
    """L4: every call needs an answer that says something."""
    made = json.dumps(dialects.load(name).results(batch("", ((), "approval_required"))))

    assert "(no output)" in made
    assert "This call has not run: it waits for approval." in made


@pytest.mark.parametrize("name", dialects.NAMES)
def test_equal_tools_are_equal_bytes(name, definition):
    """V10: whatever the order of keys in a schema, the listing is the same."""
    one = definition({"a": {"type": "string", "description": "A"}}, "a")
    other = definition({"a": {"description": "A", "type": "string"}}, "a")
    dialect = dialects.load(name)

    first = json.dumps(dialect.tools([one, one]))

    assert json.dumps(dialect.tools([one, one])) == first
    if name != "mcp":
        assert json.dumps(dialect.tools([other, other])) == first


def test_a_result_without_a_call_is_refused():
    """V9: there is nothing that it could answer."""
    with pytest.raises(
        UsageError, match=r"answers no call; give what run\(\) returned"
    ):
        openai_chat.results([ToolResult("x")])


def test_long_texts_keep_head_and_tail(batch):
    """L4: a result that no board bounded is bounded here."""
    text = "a" + "b" * 2_000_000 + "c"

    [made] = openai_chat.results(batch(text))

    assert len(made["content"]) < 1_100_000
    assert made["content"].startswith("ab")
    assert made["content"].endswith("bc")
    assert "2000002 characters in all" in made["content"]


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (FileContent(b"a,b", "text/csv"), "a,b"),
        (FileContent(b'{"a": 1}', "application/json", "a.json"), '{"a": 1}'),
        (FileContent(b"\xff", "text/plain", "a.txt"), "[a.txt: text/plain, 1 bytes;"),
        (FileContent(b"PK", "application/zip"), "[file: application/zip, 2 bytes;"),
        (
            ResourceLink("https://x.y", "a page", "text/html", "About."),
            "[link: a page, https://x.y, text/html, About.]",
        ),
    ],
)
def test_what_is_not_text_is_named_or_read(block, text, batch):
    """L4: files of text are read, others named with type and size."""
    [made] = openai_chat.results(batch(block))

    assert made["content"].startswith(text)


def test_an_sdks_object_is_read_by_its_fields():
    """L1: whatever has model_dump is an answer."""

    class Model:
        def model_dump(self, **options):
            return {"choices": [{"message": {"tool_calls": [CALL]}}]}

    assert [call.id for call in openai_chat.calls(Model())] == ["a"]


def test_results_may_be_any_sequence():
    """L4: not only a batch."""
    call = ToolCall("now", id="a")

    assert openai_chat.results(iter([ToolResult("x", call=call)]))[0]["content"] == "x"
