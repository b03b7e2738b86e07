"""What the MCP dialect writes and reads, by the protocol's own schemas."""

import json
from pathlib import Path
from typing import Any

import jsonschema
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
from pegboard.dialects import mcp

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


def checker(shared: Path, revision: str, name: str) -> Any:
    """Return a validator for one type of a revision."""
    file = shared / "data" / "mcp-spec" / revision / "schema.json"
    schema = json.loads(file.read_text("utf-8"))
    place = "$defs" if "$defs" in schema else "definitions"
    whole = {**schema, "$ref": f"#/{place}/{name}"}
    return jsonschema.validators.validator_for(whole)(whole)


def problems(validator: Any, values: list[Any]) -> list[str]:
    return [e.message for value in values for e in validator.iter_errors(value)]


@pytest.mark.parametrize("revision", REVISIONS)
def test_tools_are_tools_of_every_revision(shared, revision):
    """L2: the tools of real servers, listed again."""
    file = shared / "data" / "mcp-tools" / "tools.jsonl"
    lines = filter(None, file.read_text("utf-8").split("\n"))
    listed = [json.loads(line) for line in lines][:300]
    annotations = ToolAnnotations(read_only=True, destructive=False)
    output = {"type": "array", "items": {"type": "string"}}
    definitions = [
        ToolDefinition(t["name"], "D", t["inputSchema"], output, annotations, "Title")
        for t in listed
    ]

    tools = mcp.tools(definitions)

    assert problems(checker(shared, revision, "Tool"), tools) == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_results_are_results_of_every_revision(shared, revision):
    """L4: each kind of content, by the revision that brought it and all later ones."""
    contents: list[Any] = [
        TextContent("noon"),
        ImageContent(b"1", "image/png"),
        FileContent(b"2", "application/pdf", "a.pdf"),
    ]
    if revision >= "2025-03-26":
        contents.append(AudioContent(b"3", "audio/wav"))
    if revision >= "2025-06-18":
        contents.append(ResourceLink("https://example.com/a", "A"))
    call = ToolCall("now", id="1")

    results = mcp.results(
        [
            ToolResult(contents, call=call, data={"time": "noon"}),
            ToolResult("no clock", call=call, code="tool_failed"),
            ToolResult((), call=call, code="approval_required"),
        ]
    )

    assert problems(checker(shared, revision, "CallToolResult"), results) == []


def test_recorded_requests_are_calls(shared):
    """L1: every `tools/call` of the recorded sessions is found, with its arguments."""
    found, expected = [], []
    for file in sorted((shared / "data" / "mcp-sessions").rglob("*.jsonl")):
        for line in filter(None, file.read_text("utf-8").split("\n")):
            message = json.loads(line)
            for value in _requests(message):
                params = value["params"]
                expected.append((params["name"], params.get("arguments")))
                found += [(c.name, c.arguments) for c in mcp.calls(value)]

    assert len(expected) > 10
    assert found == expected


def _requests(value: Any) -> list[Any]:
    if isinstance(value, dict) and value.get("method") == "tools/call":
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    nested = isinstance(value, (dict, list))
    return [found for item in inner for found in _requests(item)] if nested else []
