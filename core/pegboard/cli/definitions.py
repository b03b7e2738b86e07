"""A file of tool definitions in anybody's format -> tools without bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.cli.recordings import read_bytes
from pegboard.errors import UsageError
from pegboard.tools import Tool

#: Where a definition stands inside what wraps it: OpenAI, Bedrock, Gemini.
WRAPPERS = ("function", "toolSpec", "tools", "functionDeclarations", "toolConfig")
#: What the formats call the schema of the arguments.
SCHEMAS = (
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "parameters",
)


def read_tools(path: str) -> list[Tool[..., Any]]:
    """Return the tools that a file defines.

    Args:
        path: JSON or JSON Lines in a provider's format, MCP's, or that of
            `pegboard list --json`; "-" for stdin.

    Raises:
        UsageError: it is no such file, or a definition has no name.
    """
    found = [_tool(path, item) for item in _items(_read(path))]
    if not found:
        raise UsageError(f"{path} defines no tools")
    return found


def _read(path: str) -> Any:
    text = read_bytes(path).decode("utf-8-sig", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        whole = error
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON: {whole}") from None


def _items(value: Any) -> Iterator[Any]:
    """Yield each definition, whatever it is wrapped in."""
    if isinstance(value, list):
        for item in value:
            yield from _items(item)
        return
    if isinstance(value, Mapping):
        for key in WRAPPERS:
            if isinstance(value.get(key), (list, Mapping)):
                yield from _items(value[key])
                return
    yield value


def _tool(path: str, item: Any) -> Tool[..., Any]:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
        raise UsageError(
            f"{path} holds a definition without a name: {str(item)[:60]!r}"
        )
    schema: Any = next((item[key] for key in SCHEMAS if item.get(key) is not None), {})
    if isinstance(schema, Mapping) and isinstance(schema.get("json"), Mapping):
        schema = schema["json"]
    if not isinstance(schema, Mapping):
        raise UsageError(f"{path}: the schema of {item['name']!r} is no object")
    description = str(item.get("description") or "")
    return Tool.from_schema(item["name"], description, schema, None)
