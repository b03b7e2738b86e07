"""What the real SDKs are given to judge; those that are not installed are skipped."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pegboard import (
    AudioContent,
    BatchResult,
    FileContent,
    ImageContent,
    ResourceLink,
    TextContent,
    ToolCall,
    ToolDefinition,
    ToolResult,
    schemas,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
PNG = b"\x89PNG\r\n\x1a\n"

NODE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["value"],
}
SAMPLES = [
    ToolDefinition("nothing", "Takes nothing.", {"type": "object", "properties": {}}),
    ToolDefinition("anything", "", {}),
    ToolDefinition(
        "forecast",
        "Say what the weather will be.",
        schemas.object(
            {
                "city": schemas.string("Name of the city."),
                "days": schemas.integer("How many days ahead."),
                "unit": {"enum": ["celsius", "fahrenheit"]},
            },
            required=["city"],
        ),
    ),
    ToolDefinition(
        "order",
        "Order things.",
        schemas.object(
            {
                "lines": schemas.array(
                    schemas.object(
                        {"sku": schemas.string(), "count": schemas.integer()},
                        required=["sku", "count"],
                    )
                ),
                "gift": schemas.boolean("Whether to wrap it."),
            },
            required=["lines"],
        ),
    ),
    ToolDefinition(
        "tree",
        "Takes a tree.",
        {
            "type": "object",
            "properties": {"root": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": NODE},
        },
    ),
    ToolDefinition(
        "limits",
        "Takes bounded values.",
        schemas.object(
            {
                "count": schemas.integer("How many.", exclusiveMinimum=0, maximum=9),
                "word": schemas.string(minLength=2, pattern="^a", default="ab"),
                "kind": {"oneOf": [{"const": "x"}, {"type": "null"}]},
                "map": schemas.object({}, additional={"type": "number"}),
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {}]},
                "level": {"enum": [1, 2, None]},
            },
            required=["count"],
        ),
    ),
    ToolDefinition(
        "either",
        "Takes a or b.",
        {
            "type": "object",
            "properties": {"a": {"type": ["string", "integer"]}, "b": {}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
    ),
]


@pytest.fixture(scope="session")
def definitions() -> list[ToolDefinition]:
    """Tools of every shape; where the recordings are, those of real servers too."""
    file = SHARED / "data" / "mcp-tools" / "tools.jsonl"
    if not file.is_file():
        return SAMPLES
    found = list(SAMPLES)
    for line in filter(None, file.read_text("utf-8").split("\n")):
        tool = json.loads(line)
        safe = re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", tool["name"])
        name = tool["name"] if safe else f"tool_{len(found)}"
        text = tool.get("description") or ""
        found.append(ToolDefinition(name, text, tool["inputSchema"]))
    return found


@pytest.fixture(scope="session")
def batch() -> BatchResult:
    """One result of every status and content."""
    contents: list[Any] = [
        "21 degrees",
        "",
        [TextContent("two"), TextContent("texts")],
        [TextContent("a picture"), ImageContent(PNG, "image/png")],
        ImageContent(b"<svg/>", "image/svg+xml"),
        FileContent(b"%PDF-1.7", "application/pdf", "a report.v2.pdf"),
        FileContent(b"a,b\n1,2\n", "text/csv", "table.csv"),
        AudioContent(b"RIFF", "audio/wav"),
        ResourceLink("https://example.com/a", "a page"),
    ]
    codes = (None, "tool_failed", "blocked", "approval_required", "truncated_arguments")
    return BatchResult(
        [
            ToolResult(
                content,
                code=code,
                details={"secret": "details are never sent"},
                call=ToolCall("forecast", "{}", id=f"call{number:05}"),
            )
            for number, (content, code) in enumerate(
                [
                    *((content, None) for content in contents),
                    *(("what happened", code) for code in codes),
                ]
            )
        ]
    )


@pytest.fixture(scope="session")
def accepts() -> Callable[[Any, Any], Any]:
    """Check a value against a type of an SDK, to the end, and nothing unknown in it."""
    pydantic = pytest.importorskip("pydantic")

    def check(type_: Any, value: Any) -> None:
        adapter = pydantic.TypeAdapter(type_)
        read = _drained(adapter.validate_python(value))
        assert read == value

    return check


def _drained(value: Any) -> Any:
    """Read what was validated to its end: the SDKs' iterables are checked lazily."""
    if isinstance(value, dict):
        return {key: _drained(item) for key, item in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    return [_drained(item) for item in value]


@pytest.fixture(scope="session")
def recorded() -> Callable[..., Iterator[tuple[str, Any]]]:
    """Find a provider's recorded answers; without the recordings the test skips."""
    folder = SHARED / "data" / "provider-traffic"
    if not folder.is_dir():
        pytest.skip(f"no recordings here: {folder} does not exist")

    def find(*names: str) -> Iterator[tuple[str, Any]]:
        for file in sorted(folder.glob("*/*.jsonl")):
            if file.stem not in names:
                continue
            for line in filter(None, file.read_text("utf-8").split("\n")):
                item = json.loads(line)
                if item["response"]["status"] < 400:
                    yield item["id"], item["response"]
        for name in names:
            for file in sorted(folder.glob(f"vercel-ai/{name}/*")):
                text = file.read_text("utf-8")
                whole = file.name.endswith(".json")
                yield (
                    str(file),
                    {"body": json.loads(text)} if whole else {"sse_raw": text},
                )

    return find
