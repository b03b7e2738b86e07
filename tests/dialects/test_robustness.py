"""Answers that are not as they should be: read as far as they go, never a crash."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard import ToolCall, dialects
from pegboard._names import safe_name
from pegboard.dialects.names import name_problem

FUNCTION = {"name": "now", "arguments": '{"a": 1}'}
CALL = {"index": 0, "id": "a", "type": "function", "function": FUNCTION}
MESSAGE = {"role": "assistant", "content": "", "tool_calls": [CALL]}
USE = {"toolUse": {"toolUseId": "a", "name": "now", "input": {"a": 1}}}
BLOCK = {"type": "tool_use", "id": "a", "name": "now", "input": {}}
ITEM = {"type": "function_call", "call_id": "a", "name": "now", "arguments": "{}"}
PART = {"functionCall": {"name": "now", "args": {"a": 1}}}
PIECE = {"jsonPath": "$.a[0].b", "stringValue": "x", "willContinue": True}
STEP = {"type": "function_call", "id": "a", "name": "now", "arguments": {}}
PAYLOADS: dict[str, list[Any]] = {
    "openai_chat": [
        {"choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}]},
        [{"choices": [{"index": 0, "delta": MESSAGE, "finish_reason": None}]}],
    ],
    "mistral": [[{"data": {"choices": [{"delta": MESSAGE}]}}]],
    "openai_responses": [
        {"object": "response", "status": "completed", "output": [ITEM]},
        [
            {"type": "response.output_item.added", "output_index": 0, "item": ITEM},
            {"type": "response.function_call_arguments.delta", "output_index": 0},
            {"type": "response.completed", "response": {"output": [ITEM]}},
        ],
    ],
    "anthropic": [
        {"type": "message", "content": [BLOCK], "stop_reason": "tool_use"},
        [
            {"type": "message_start", "message": {"content": []}},
            {"type": "content_block_start", "index": 0, "content_block": BLOCK},
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"partial_json": "{}"},
            },
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        ],
    ],
    "gemini": [
        {"candidates": [{"content": {"parts": [PART]}, "finishReason": "STOP"}]},
        [
            {"candidates": [{"content": {"parts": [PART]}}]},
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {"functionCall": {"name": "a", "willContinue": True}},
                                {"functionCall": {"partialArgs": [PIECE, PIECE]}},
                            ]
                        }
                    }
                ]
            },
        ],
    ],
    "gemini_interactions": [
        {"status": "completed", "steps": [STEP]},
        [
            {"event_type": "step.start", "index": 0, "step": STEP},
            {"event_type": "step.delta", "index": 0, "delta": {"arguments": "{}"}},
        ],
    ],
    "bedrock": [
        {"output": {"message": {"content": [USE]}}, "stopReason": "tool_use"},
        [
            {"contentBlockStart": {"contentBlockIndex": 0, "start": USE}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": USE}},
            {"messageStop": {"stopReason": "tool_use"}},
        ],
    ],
    "cohere": [
        {"message": MESSAGE, "finish_reason": "TOOL_CALL"},
        [
            {"type": "tool-call-start", "index": 0, "delta": {"message": MESSAGE}},
            {"type": "tool-call-delta", "index": 0, "delta": {"message": MESSAGE}},
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
        ],
    ],
    "ollama": [{"message": MESSAGE, "done": True, "done_reason": "stop"}],
    "mcp": [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "now"}}
    ],
    "langchain": [
        {
            "type": "ai",
            "tool_calls": [{"name": "now", "args": {}, "id": "a"}],
            "response_metadata": {"finish_reason": "stop"},
        },
        [{"type": "AIMessageChunk", "tool_call_chunks": [{"name": "a", "index": 0}]}],
    ],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["name", "arguments", "type", "id"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of everything inside a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in pairs:
        found.append((*path, key))
        if isinstance(item, (dict, list)):
            found += places(item, (*path, key))
    return found


def test_every_dialect_is_broken_here():
    """L1: a dialect without a payload below would not be tried."""
    assert set(PAYLOADS) == set(dialects.NAMES)


@pytest.mark.parametrize("name", dialects.NAMES)
@settings(max_examples=40)
@given(data=st.data())
def test_a_broken_answer_is_read_as_far_as_it_goes(name, data):
    """L1: whatever stands at any place of an answer, its calls are a list of calls."""
    payload = copy.deepcopy(data.draw(st.sampled_from(PAYLOADS[name])))
    for _ in range(data.draw(st.integers(1, 2))):
        *path, last = data.draw(st.sampled_from(places(payload)))
        holder = payload
        for key in path:
            holder = holder[key]
        holder[last] = data.draw(JSON)

    calls = dialects.load(name).calls(payload)

    assert all(isinstance(call, ToolCall) for call in calls)
    assert all(isinstance(call.name, str) for call in calls)
    dialects.detect(payload)


@given(st.text(max_size=200))
def test_every_offered_name_fits_every_provider(name):
    """L3: whatever a tool is called, no dialect needs to rename what is offered."""
    offered = safe_name(name)

    assert [name_problem(offered, dialect) for dialect in dialects.NAMES] == [
        None
    ] * len(dialects.NAMES)
