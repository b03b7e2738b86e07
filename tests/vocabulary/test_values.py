"""Calls, results, batches, content: frozen values that go through JSON."""

import copy
import json
import pickle
from datetime import UTC, datetime

import pytest

from pegboard import (
    CODES,
    AudioContent,
    BatchResult,
    FileContent,
    ImageContent,
    InvalidArguments,
    PegboardError,
    PendingCall,
    PluginError,
    Repair,
    ResourceLink,
    SettingsError,
    TextContent,
    ToolCall,
    ToolDefinition,
    ToolError,
    ToolResult,
    UnknownTool,
    UsageError,
)
from pegboard._frozen import freeze
from pegboard.calls import prepare_call
from pegboard.results import make_result

BLOCKS = (
    TextContent("grüß"),
    ImageContent(b"\x89PNG", "image/png"),
    AudioContent(b"RIFF", "audio/wav"),
    FileContent(b"%PDF", "application/pdf", "a.pdf"),
    ResourceLink("file:///a", "a", "text/plain", "A file."),
)
RESULT = ToolResult(
    BLOCKS,
    details={"seen": 1},
    data=[1, "a", None],
    terminate=True,
    code="timeout",
    call=ToolCall("slow", {"a": [1]}, id="call_1"),
    by="limits",
    repairs=[Repair(("a", 0), "text_to_integer", "1", 1)],
    started=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    duration=1.5,
)
BATCH = BatchResult(
    [RESULT, ToolResult("waits", code="approval_required", call=ToolCall("wipe"))],
    pending=[
        PendingCall(1, ToolCall("wipe"), "disk:wipe", freeze({"x": {}}), "Sure?", "ask")
    ],
    id="b1",
)


@pytest.mark.parametrize("value", [RESULT, RESULT.call, *RESULT.repairs])
def test_values_go_through_json_unchanged(value):
    """V6: what to_dict writes is ASCII-safe JSON, and from_dict reads it back."""
    text = json.dumps(value.to_dict())

    assert type(value).from_dict(json.loads(text)) == value


def test_a_batch_goes_through_json_unchanged():
    """B13, V6: results, what is pending, and the batch's id survive."""
    again = BatchResult.from_json(BATCH.to_json())

    assert again.results == BATCH.results
    assert again.pending == BATCH.pending
    assert (again.id, len(again), again[1:]) == ("b1", 2, BATCH.results[1:])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"pegboard_batch": 2}', '{"pegboard_batch":1,"results":[3]}'],
)
def test_what_is_no_batch_is_refused(text):
    """B13: a text that is no saved batch gets one clear error."""
    with pytest.raises(UsageError, match="no saved batch"):
        BatchResult.from_json(text)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (RESULT, "status"),
        (RESULT.call, "arguments"),
        (BLOCKS[0], "text"),
        (BLOCKS[1], "data"),
        (RESULT.repairs[0], "rule"),
    ],
)
def test_values_are_frozen(value, name):
    """V6: no field can be set or removed, and no other can be added."""
    with pytest.raises(AttributeError):
        setattr(value, name, None)
    with pytest.raises(AttributeError):
        delattr(value, name)
    with pytest.raises((AttributeError, TypeError)):
        value.extra = 1


def test_values_copy_and_pickle():
    """V6: copies are equal, and so is what another process gets."""
    assert copy.deepcopy(RESULT) == RESULT
    assert pickle.loads(pickle.dumps(RESULT)) == RESULT


def test_a_result_of_one_text_has_one_block():
    """V6: blocks are made when they are asked for, once."""
    made = make_result(ToolCall("t"), "hello", "hello", 0.0, 0.1)
    asked = make_result(made.call, "hello", "hello", 0.0, 0.1)

    assert made.text == "hello"
    assert asked.content == (TextContent("hello"),)
    assert asked.content is asked.content
    assert made == asked
    assert made.replace(code="tool_failed").content == asked.content


def test_what_is_read_only_is_its_own_copy():
    """A8: a value that nobody can change is shared, at every depth."""
    value = freeze({"a": [{"b": 1}]})

    assert freeze(value) is value
    assert freeze({"x": value})["x"] is value
    assert ToolDefinition("t", input_schema=value).input_schema is value


def test_replace_changes_a_copy():
    """V6: replace gives another result; a new code brings its own status along."""
    changed = RESULT.replace(content="short", code="blocked", by="me")

    assert (changed.text, changed.status, changed.executed) == (
        "short",
        "blocked",
        "no",
    )
    assert (RESULT.status, RESULT.executed) == ("timeout", "unknown")
    assert changed.started == RESULT.started


@pytest.mark.parametrize("code", CODES)
def test_every_code_brings_its_status(code):
    """V7: a result made with a code alone has the table's status and executed."""
    made = ToolResult("x", code=code)

    assert (made.status, made.executed) == CODES[code]
    assert made.is_error is (made.status not in ("success", "deferred"))


def test_text_joins_the_text_blocks():
    """V6: `text` is what a plain-text provider gets."""
    assert ToolResult([TextContent("a"), BLOCKS[1], TextContent("b")]).text == "a\nb"
    assert ToolResult().text == ""


def test_content_must_be_blocks():
    """V6: something that is no block is refused by name."""
    with pytest.raises(UsageError, match="'int'"):
        ToolResult([1])


def test_arguments_of_a_prepared_call_are_read_only_at_every_depth():
    """A8: whoever sees a call can read its arguments and change nothing."""
    call = prepare_call(
        ToolCall("t"), 0, None, '{"a": [{"b": 1}], "c": 2}', metadata={}
    )

    with pytest.raises(TypeError, match="read-only"):
        call.arguments["a"][0]["b"] = 2
    with pytest.raises(TypeError, match="read-only"):
        call.arguments["a"].append(1)
    with pytest.raises(TypeError, match="read-only"):
        call.arguments.pop("c")
    with pytest.raises(AttributeError, match="read-only"):
        call.index = 3
    assert json.loads(json.dumps(call.arguments)) == {"a": [{"b": 1}], "c": 2}
    assert type(copy.deepcopy(call.arguments)["a"]) is list


def test_errors_say_who_must_act():
    """V9: one root, three families, data in attributes."""
    unknown = UnknownTool("no such tool", name="x", nearest=["xy"])
    invalid = InvalidArguments("bad", code="malformed_arguments", problems=["p"])

    assert issubclass(SettingsError, UsageError)
    assert all(
        issubclass(kind, PegboardError) for kind in (UsageError, PluginError, ToolError)
    )
    assert isinstance(unknown, ToolError)
    assert (unknown.code, unknown.name, unknown.nearest) == (
        "unknown_tool",
        "x",
        ("xy",),
    )
    assert (invalid.code, invalid.problems) == ("malformed_arguments", ("p",))
    assert PluginError("x", plugin="p").plugin == "p"
    assert (SettingsError("x", file="f", key="k").file) == "f"
