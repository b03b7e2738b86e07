"""A file of tool definitions in anybody's format -> tools without bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.cli.recordings import read_bytes
from pegboard.cli.terminal import say
from pegboard.cli.words import counted
from pegboard.errors import UsageError
from pegboard.tools import Tool

#: Where a definition stands inside what wraps it: OpenAI, Bedrock, Gemini.
WRAPPERS = (
    "function",
    "toolSpec",
    "tools",
    "functionDeclarations",
    "function_declarations",
    "toolConfig",
)
#: What the formats call the schema of the arguments.
SCHEMAS = (
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "parameters",
)
#: Gemini's older names of types.
TYPES = frozenset("STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL".split())


def read_tools(path: str) -> list[Tool[..., Any]]:
    """Return the tools that a file defines.

    What has no name is one of the provider's own tools, and left out.

    Args:
        path: JSON or JSON Lines in a provider's format, MCP's, or that of
            `pegboard list --json`; "-" for stdin.

    Raises:
        UsageError: it is no such file, or defines a name twice.
    """
    found: dict[str, Tool[..., Any]] = {}
    unnamed = 0
    for item in _items(_read(path)):
        name = item.get("name") if isinstance(item, Mapping) else None
        if not isinstance(name, str) or not name:
            unnamed += 1
        elif name in found:
            raise UsageError(f"{path} defines {name!r} twice")
        else:
            found[name] = _tool(path, item)
    if not found:
        raise UsageError(f"{path} defines no tools: none of what is in it has a name")
    if unnamed:
        say(f"{path}: {counted(unnamed, 'definition')} without a name left out")
    return list(found.values())


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


def _tool(path: str, item: Mapping[str, Any]) -> Tool[..., Any]:
    schema: Any = next((item[key] for key in SCHEMAS if item.get(key) is not None), {})
    if isinstance(schema, Mapping) and isinstance(schema.get("json"), Mapping):
        schema = schema["json"]
    if not isinstance(schema, Mapping):
        raise UsageError(f"{path}: the schema of {item['name']!r} is no object")
    if schema.get("type") == "OBJECT":
        schema = _plain(schema)
    description = str(item.get("description") or "")
    return Tool.from_schema(item["name"], description, schema, None)


def _plain(schema: Any) -> Any:
    """Return a schema of Gemini's older format as JSON Schema."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: _plain(item) for key, item in schema.items()}
    kind = plain.get("type")
    if isinstance(kind, str) and kind in TYPES:
        nullable = plain.pop("nullable", False)
        plain["type"] = [kind.lower(), "null"] if nullable else kind.lower()
    return plain
