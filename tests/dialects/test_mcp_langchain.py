"""The shapes of MCP peers and of LangChain's messages."""

import pytest

from pegboard import (
    AudioContent,
    FileContent,
    ImageContent,
    ResourceLink,
    TextContent,
    ToolAnnotations,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from pegboard.dialects import langchain, mcp


def request(id=1, method="tools/call", **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def test_requests_of_a_peer_are_calls():
    """L1: ids of JSON-RPC are numbers or texts; other methods are left alone."""
    calls = mcp.calls(
        [
            request(7, name="now", arguments={"zone": "x"}),
            request("x", name="forecast"),
            request(8, method="tools/list"),
            {"jsonrpc": "2.0", "id": 9, "result": {"name": "now"}},
            request(10),
        ]
    )

    assert [(c.id, c.name, c.arguments, c.truncated) for c in calls] == [
        ("7", "now", {"zone": "x"}, False),
        ("x", "forecast", None, False),
    ]
    assert mcp.calls({"name": "now", "arguments": {}})[0].id == ""


def test_tools_are_listed_as_they_are():
    """L2: the protocol carries JSON Schema, so nothing is rewritten but the roots."""
    schema = {"properties": {"any": {}}, "anyOf": [{"required": ["any"]}]}
    tool = ToolDefinition(
        "now",
        "Tells the time.",
        schema,
        {"$ref": "#/$defs/T", "$defs": {"T": {"type": "string"}}},
        ToolAnnotations(read_only=True, open_world=False),
        "Clock",
    )
    plain = ToolDefinition("bare", output_schema={"type": "object"})

    made = mcp.tools([tool, plain])

    assert made[0] == {
        "name": "now",
        "title": "Clock",
        "description": "Tells the time.",
        "inputSchema": {**schema, "type": "object"},
        "outputSchema": {
            "type": "object",
            "properties": {"result": {"$ref": "#/$defs/T"}},
            "required": ["result"],
            "$defs": {"T": {"type": "string"}},
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    assert made[1]["outputSchema"] == {"type": "object"}
    assert mcp.losses([tool]) == []


def test_results_carry_every_content():
    """L4: texts, pictures, sounds, files and links."""
    contents = [
        TextContent("noon"),
        ImageContent(b"1", "image/png"),
        AudioContent(b"2", "audio/wav"),
        FileContent(b"3", "application/pdf", "a b.pdf"),
        ResourceLink("https://example.com", mime_type="text/html"),
    ]

    [made] = mcp.results([ToolResult(contents, call=ToolCall("now", id="1"))])

    file = {
        "uri": "file:///a%20b.pdf",
        "mimeType": "application/pdf",
        "blob": "Mw==",
    }
    link = {
        "type": "resource_link",
        "uri": "https://example.com",
        "name": "https://example.com",
        "mimeType": "text/html",
    }
    assert made["content"] == [
        {"type": "text", "text": "noon"},
        {"type": "image", "data": "MQ==", "mimeType": "image/png"},
        {"type": "audio", "data": "Mg==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": file},
        link,
    ]


def test_results_carry_their_data_and_never_their_details():
    """L4: data that is no object is wrapped; an error has no data."""
    call = ToolCall("now", id="1")

    made = mcp.results(
        [
            ToolResult("noon", call=call, data={"time": "noon"}, details="hidden"),
            ToolResult("3", call=call, data=3),
            ToolResult("no clock", call=call, code="tool_failed", data=3),
        ]
    )

    assert made[0]["structuredContent"] == {"time": "noon"}
    assert made[1]["structuredContent"] == {"result": 3}
    assert made[2] == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "no clock"}],
        "isError": True,
    }
    assert "hidden" not in str(made)


GOOD = {"name": "now", "args": {"zone": "x"}, "id": "a", "type": "tool_call"}
BAD = {"name": "now", "args": "{zone:", "id": "b", "error": "no JSON"}


def message(**more):
    return {"type": "ai", "content": "", "tool_calls": [GOOD], **more}


def test_calls_of_a_message_are_found_also_those_that_langchain_could_not_parse():
    """L1: an invalid call is a call: it is repaired or answered."""
    calls = langchain.calls(message(invalid_tool_calls=[BAD]))

    assert [(c.id, c.name, c.arguments, c.truncated) for c in calls] == [
        ("a", "now", {"zone": "x"}, False),
        ("b", "now", "{zone:", False),
    ]


@pytest.mark.parametrize(
    "state",
    [
        {"messages": [{"type": "human", "content": "?"}, message()]},
        [{"type": "human", "content": "?"}, message()],
        {"lc": 1, "type": "constructor", "kwargs": message()},
    ],
)
def test_the_last_message_of_a_state_counts(state):
    """L1: a state, a list of messages, or a message as LangChain saves it."""
    assert [call.id for call in langchain.calls(state)] == ["a"]


def test_a_conversation_without_a_call_has_none():
    """L1: an empty state, or a last message of somebody else."""
    assert langchain.calls([]) == []
    assert langchain.calls({"messages": [message(), {"type": "human"}]}) == []


@pytest.mark.parametrize(
    "metadata",
    [
        {"finish_reason": "length"},
        {"stop_reason": "max_tokens"},
        {"done_reason": "length"},
        {"status": "incomplete"},
        {"finish_reason": "MAX_TOKENS"},
    ],
)
def test_the_calls_of_a_cut_off_message_are_marked(metadata):
    """B14: each provider's package tells in its own word why an answer ended."""
    assert langchain.calls(message(response_metadata=metadata))[0].truncated


def test_chunks_of_messages_become_whole_calls():
    """L1: pieces go by their number; those without one stand for themselves."""

    def chunk(*pieces, **more):
        return {"type": "AIMessageChunk", "tool_call_chunks": list(pieces), **more}

    first = {"name": "now", "args": "", "id": "a", "index": 0}
    alone = {"name": "forecast", "args": "{}", "id": "c", "index": None}
    chunks = [
        chunk(first | {"id": None, "name": None}),
        chunk(first, alone),
        chunk({"name": None, "args": '{"zone":"x"}', "id": None, "index": 0}),
    ]
    last = chunk(chunk_position="last")

    calls = langchain.calls([*chunks, last])

    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("a", "now", '{"zone":"x"}'),
        ("c", "forecast", "{}"),
    ]
    assert not any(call.truncated for call in calls)
    assert all(call.truncated for call in langchain.calls(chunks))


def test_results_are_tool_messages(batch, definition):
    """L4: text, or blocks where there is a picture; the status tells an error."""
    made = langchain.results(
        batch(
            "noon",
            ("no clock", "tool_failed"),
            [TextContent("see"), ImageContent(b"1", "image/png")],
        )
    )

    assert made[0] == {
        "role": "tool",
        "tool_call_id": "call_1",
        "name": "now",
        "content": "noon",
        "status": "success",
    }
    assert made[1]["status"] == "error"
    assert made[2]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image", "base64": "MQ==", "mime_type": "image/png"},
    ]
    assert langchain.tools([definition({})])[0]["type"] == "function"
    assert langchain.losses([definition({})], strict=True) == []
