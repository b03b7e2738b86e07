"""Anthropic's messages."""

import pytest

from pegboard import FileContent, ImageContent, TextContent, ToolDefinition
from pegboard.dialects import anthropic
from pegboard.dialects.anthropic import Collector


def use(id="t1", name="now", input=None, **more):
    return {"type": "tool_use", "id": id, "name": name, "input": input or {}, **more}


def message(*content, reason="tool_use"):
    return {
        "type": "message",
        "role": "assistant",
        "content": list(content),
        "stop_reason": reason,
    }


def start(index, block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def piece(index, text):
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def stop(reason="tool_use"):
    return {"type": "message_delta", "delta": {"stop_reason": reason}}


BEGIN = {"type": "message_start", "message": message(reason=None)}


def collected(*events):
    collector = Collector()
    for event in events:
        collector.feed(event)
    return collector.calls()


def test_tool_uses_are_found_and_server_tools_left_alone():
    """L1: thinking and text stay the host's; what ran at the provider is done."""
    answer = message(
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "text": "I call now()."},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "mcp_tool_use", "id": "m1", "name": "now", "input": {}},
        use("a", input={"zone": "x"}),
        use("b", "forecast", caller={"type": "code_execution_20250825"}),
    )

    calls = anthropic.calls(answer)

    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("a", "now", {"zone": "x"}),
        ("b", "forecast", {}),
    ]


def test_the_content_alone_is_an_answer_too():
    """L1: `message.content` may be given instead of the message."""
    [call] = anthropic.calls([{"type": "text", "text": "?"}, use("a")])

    assert (call.id, call.truncated) == ("a", False)


@pytest.mark.parametrize(
    ("reason", "truncated"),
    [
        ("tool_use", False),
        ("end_turn", False),
        ("pause_turn", False),
        ("max_tokens", True),
        ("model_context_window_exceeded", True),
        ("refusal", True),
    ],
)
def test_the_stop_reason_tells_whether_the_calls_are_whole(reason, truncated):
    """B14: at the output limit the last input may be half an object."""
    [whole] = anthropic.calls(message(use(), reason=reason))
    [streamed] = collected(BEGIN, start(0, use()), stop(reason))

    assert whole.truncated is truncated
    assert streamed.truncated is truncated


def test_pieces_of_input_become_the_whole_input():
    """L1: pieces replace the empty input of the block's start; pings say nothing."""
    calls = collected(
        BEGIN,
        {"type": "ping"},
        start(0, {"type": "thinking", "thinking": ""}),
        {"type": "content_block_delta", "index": 0, "delta": {"signature": "s"}},
        start(1, use("a")),
        piece(1, ""),
        piece(1, '{"zone":'),
        piece(1, '"x"}'),
        piece(7, "lost"),
        start(2, use("b")),
        piece(2, ""),
        start(3, use("c", input={"whole": 1})),
        stop(),
    )

    assert [(c.id, c.arguments) for c in calls] == [
        ("a", '{"zone":"x"}'),
        ("b", {}),
        ("c", {"whole": 1}),
    ]


def test_a_stream_without_a_good_end_marks_its_calls():
    """B14: a stream that breaks off, or ends in an error, runs nothing."""
    [broken] = collected(BEGIN, start(0, use()))
    [failed] = collected(BEGIN, start(0, use()), {"type": "error"}, stop())

    assert broken.truncated
    assert failed.truncated


def test_a_second_message_replaces_one_that_broke_off():
    """L1: half an answer spliced before a whole one leaves no call behind."""
    events = [BEGIN, start(1, use("first")), piece(1, '{"value":"Sp')]
    again = [BEGIN, start(1, use("second")), piece(1, '{"value":"Sparkle"}'), stop()]

    [call] = collected(*events, *again)

    assert (call.id, call.arguments) == ("second", '{"value":"Sparkle"}')


def test_a_message_may_begin_with_its_calls():
    """L1: programmatic tool calling starts a message with a call in it, and its end."""
    whole = {"type": "message_start", "message": message(use("a"))}

    [call] = collected(whole, {"type": "message_stop"})

    assert (call.id, call.truncated) == ("a", False)


def test_results_stand_in_one_user_message(batch):
    """L4: a block a call, errors flagged, pictures and PDFs as such."""
    [made] = anthropic.results(
        batch(
            "noon",
            ("no clock", "tool_failed"),
            [TextContent("see"), ImageContent(b"1", "image/png")],
            FileContent(b"2", "application/pdf", "a.pdf"),
            ImageContent(b"3", "image/tiff"),
            ("may I?", "approval_required"),
        )
    )

    content = [block["content"] for block in made["content"]]
    assert made["role"] == "user"
    assert made["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "call_1",
        "content": "noon",
    }
    assert [block.get("is_error") for block in made["content"]] == [
        None,
        True,
        None,
        None,
        None,
        None,
    ]
    assert content[2][1]["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": "MQ==",
    }
    assert content[3][0]["type"] == "document"
    assert (
        content[4] == "[image: image/tiff, 1 bytes; not shown, only text is taken here]"
    )
    assert content[5] == "may I?"
    assert anthropic.results(batch()) == []


def test_the_listing_may_end_in_a_cache_breakpoint(definition):
    """V10: the last tool carries the breakpoint, so that the listing is kept."""
    tools = [definition({}), definition({})]

    made = anthropic.tools(tools, cache="1h")

    assert "cache_control" not in made[0]
    assert made[1]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert anthropic.tools([], cache="5m") == []


def test_strict_stays_within_what_a_request_may_hold():
    """L2: at most 20 strict tools, 24 optional properties, 16 unions a request."""

    def tool(number, **properties):
        schema = {"type": "object", "properties": properties}
        return ToolDefinition(f"t{number}", "", schema)

    text, either = {"type": "string"}, {"type": ["string", "integer"]}
    many = [tool(n) for n in range(25)]
    optional = [tool(n, **{f"p{m}": text for m in range(10)}) for n in range(4)]
    several = [tool(n, **{f"p{m}": either for m in range(6)}) for n in range(3)]

    def strict(tools):
        return ["strict" in made for made in anthropic.tools(tools, strict=True)]

    assert strict(many) == [True] * 20 + [False] * 5
    assert strict(optional) == [True, True, False, False]
    assert strict(several) == [True, True, False]
    assert {loss.message for loss in anthropic.losses(several, strict=True)} == {
        "strict: at most 16 places of several types in a request"
    }


def test_a_tool_without_description_sends_none():
    """L1: an empty description is no description."""
    [made] = anthropic.tools([ToolDefinition("now")])

    assert set(made) == {"name", "input_schema"}
