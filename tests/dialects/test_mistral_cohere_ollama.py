"""Mistral's, Cohere's and Ollama's own APIs."""

import pytest

from pegboard import ToolCall, ToolDefinition, ToolResult
from pegboard.calls import MADE_ID
from pegboard.dialects import cohere, mistral, ollama

FUNCTION = {"name": "now", "arguments": '{"zone":"x"}'}
CALL = {"id": "a", "type": "function", "function": FUNCTION}


def collected(dialect, *chunks):
    collector = dialect.Collector()
    for chunk in chunks:
        collector.feed(chunk)
    return collector.calls()


def read(calls):
    return [(call.id, call.name, call.arguments, call.truncated) for call in calls]


def test_mistral_is_read_through_its_sdk_and_without():
    """L1: a chunk, or the SDK's event that carries it."""
    chunk = {
        "choices": [{"delta": {"tool_calls": [CALL]}, "finish_reason": "tool_calls"}]
    }
    message = {
        "choices": [{"message": {"tool_calls": [CALL]}, "finish_reason": "stop"}]
    }
    expected = [("a", "now", '{"zone":"x"}', False)]

    assert read(mistral.calls(message)) == expected
    assert read(collected(mistral, chunk)) == expected
    assert read(collected(mistral, {"data": chunk})) == expected


def test_mistral_results_name_their_tool(batch):
    """L4: Mistral's tool messages carry the name."""
    assert mistral.results(batch("noon")) == [
        {"role": "tool", "tool_call_id": "call_1", "name": "now", "content": "noon"}
    ]


def test_only_openai_cuts_long_descriptions():
    """L2: OpenAI refuses more than 1,024 characters, so the cut is made and listed."""
    from pegboard.dialects import openai_chat

    long = ToolDefinition("now", "x" * 2_000)
    [cut] = openai_chat.tools([long])
    [whole] = openai_chat.tools([long], max_description=None)

    assert len(cut["function"]["description"]) == 1_024
    assert whole["function"]["description"] == long.description
    assert mistral.tools([long]) == [whole]
    [loss] = openai_chat.losses([long])
    assert (loss.kind, loss.message) == (
        "narrowed",
        "description cut from 2000 to 1024 characters",
    )
    assert mistral.losses([long]) == []


def test_a_cut_description_keeps_its_notes():
    """L2: what the schema can no longer say is never cut away."""
    from pegboard.dialects import openai_chat

    schema = {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    [made] = openai_chat.tools([ToolDefinition("now", "x" * 2_000, schema)])

    text = made["function"]["description"]
    assert len(text) == 1_024
    assert text.endswith("xxx...\n[arguments: fits at least one of a; b]")


def test_cohere_is_read_whole_and_in_pieces():
    """L1: "null" for no arguments is passed on, since it means none (A1)."""
    start = {"type": "tool-call-start", "index": 0}
    delta = {"type": "tool-call-delta", "index": 0}
    streamed = collected(
        cohere,
        {"type": "message-start", "delta": {"message": {"tool_calls": []}}},
        start
        | {"delta": {"message": {"tool_calls": CALL | {"function": {"name": "now"}}}}},
        delta
        | {"delta": {"message": {"tool_calls": {"function": {"arguments": '{"zone'}}}}},
        delta
        | {"delta": {"message": {"tool_calls": {"function": {"arguments": '":"x"}'}}}}},
        delta | {"index": 4, "delta": {"message": {"tool_calls": {"function": {}}}}},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    )
    none = {"id": "b", "function": {"name": "now", "arguments": "null"}}
    whole = {"message": {"tool_calls": [CALL, none]}, "finish_reason": "TOOL_CALL"}

    assert read(streamed) == [("a", "now", '{"zone":"x"}', False)]
    assert cohere.calls({"message": {"tool_calls": [CALL]}})[0].truncated is False
    assert read(cohere.calls(whole)) == [
        ("a", "now", '{"zone":"x"}', False),
        ("b", "now", "null", False),
    ]


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "ERROR", "TIMEOUT"])
def test_cohere_marks_the_calls_of_a_cut_off_answer(reason):
    """B14: any other end than a whole one."""
    answer = {"message": {"tool_calls": [CALL]}, "finish_reason": reason}

    assert cohere.calls(answer)[0].truncated


def test_cohere_writes_tools_and_results(batch, definition):
    """L1: strictness is the request's, so no tool says it; L4: a message a call."""
    zoned = definition({"zone": {"type": "string", "minLength": 2}}, "zone")

    [strict] = cohere.tools([zoned], strict=True)

    assert set(strict["function"]) == {"name", "description", "parameters"}
    assert "minLength" not in strict["function"]["parameters"]["properties"]["zone"]
    assert [loss.keyword for loss in cohere.losses([zoned], strict=True)] == [
        "minLength"
    ]
    assert cohere.results(batch("noon")) == [
        {"role": "tool", "tool_call_id": "call_1", "content": "noon"}
    ]


def test_cohere_refuses_what_a_strict_request_may_not_hold():
    """L2: each tool needs a required property, all together at most 200 properties."""

    def tool(count, *required):
        properties = {f"p{n}": {"type": "string"} for n in range(count)}
        schema = {"type": "object", "properties": properties, "required": [*required]}
        return ToolDefinition("now", "", schema)

    optional, most, one = tool(1), tool(200, "p0"), tool(1, "p0")

    assert [
        loss.message for loss in cohere.losses([optional, most, one], strict=True)
    ] == [
        "Cohere's strict mode does not take it: no property is required",
        "strict: at most 200 properties in a request",
    ]


def test_ollama_is_read_whole_and_in_pieces():
    """L1: arguments are objects; ids may be absent."""
    function = {"name": "now", "arguments": {"zone": "x"}}
    message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": function}],
    }
    whole = {"message": message, "done": True, "done_reason": "stop"}
    chunks = [
        {"message": message, "done": False},
        {"message": {"tool_calls": [{"id": "b", "function": function}]}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
    ]

    assert read(ollama.calls(whole)) == [("", "now", {"zone": "x"}, False)]
    assert read(collected(ollama, *chunks)) == [
        ("", "now", {"zone": "x"}, False),
        ("b", "now", {"zone": "x"}, False),
    ]
    assert ollama.calls(whole | {"done_reason": "length"})[0].truncated
    assert collected(ollama, *chunks[:1])[0].truncated
    assert collected(ollama, *chunks, {"error": "?"})[0].truncated


def test_ollama_results_go_by_name_and_by_id_where_there_was_one():
    """B14: an id that was made up is not sent."""
    given = ToolResult("noon", call=ToolCall("now", id="b"))
    made_up = ToolResult("noon", call=ToolCall("now", id=f"{MADE_ID}1"))

    assert ollama.results([given, made_up]) == [
        {"role": "tool", "tool_name": "now", "tool_call_id": "b", "content": "noon"},
        {"role": "tool", "tool_name": "now", "content": "noon"},
    ]


def test_ollama_reads_limits_as_words(definition):
    """L2: the server drops other keywords, so the description says them."""
    days = {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9}
    [made] = ollama.tools([definition({"days": days})])

    assert made["function"]["parameters"]["properties"]["days"] == {
        "type": "integer",
        "description": "How many. [at least 1; at most 9]",
    }
    assert [loss.keyword for loss in ollama.losses([definition({"days": days})])] == [
        "minimum",
        "maximum",
    ]
