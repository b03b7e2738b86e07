"""Slips that models make: each says the same thing in another type or form."""

import json
import random
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def slips(
    schema: dict[str, Any], value: dict[str, Any], source: random.Random
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield copies of arguments with one slip each, and the name of the slip."""
    for path, node in nodes(value):
        if path:
            for name, changed in slips_of(node, source):
                yield name, put(value, path, changed)
    required = schema.get("required") or ()
    for name in schema.get("properties") or ():
        if name not in required and name not in value:
            yield "null for optional", {**value, name: None}


def slips_of(node: Any, source: random.Random) -> Iterator[tuple[str, Any]]:
    """Yield what a value may have been sent as."""
    if node is None:
        yield "null as text", "null"
    elif isinstance(node, bool):
        yield "boolean as text", source.choice([json.dumps(node), repr(node)])
        yield "boolean as number", int(node)
    elif isinstance(node, (int, float)):
        yield "number as text", json.dumps(node)
        yield "number as text", f" {json.dumps(node)} "
    elif isinstance(node, str):
        yield "case of text", node.swapcase()
        yield "blanks around text", f" {node} "
        if node.isascii() and node.isdigit() and node == str(int(node)):
            yield "text as number", int(node)
    else:
        yield "container as text", json.dumps(node)
        yield "container as text", repr(node)
        if isinstance(node, list) and len(node) == 1 and node[0] != "":
            yield "lone element", node[0]


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every value in a value, with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from nodes(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from nodes(item, (*path, index))


def put(value: Any, path: Path, item: Any) -> Any:
    """Return a copy of a value with another item at a path."""
    if not path:
        return item
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], item)
    return copy


def damage(text: str, source: random.Random) -> str:
    """Return a text with a few characters put in, taken out or changed."""
    for _ in range(source.randrange(1, 4)):
        at = source.randrange(len(text) + 1)
        put_in = source.choice(
            [
                "",
                '"',
                "'",
                "\\",
                "{",
                "}",
                "[",
                "]",
                ",",
                ":",
                "/*",
                "\n",
                "\ud800",
                "e9",
            ]
        )
        text = text[:at] + put_in + text[at + source.randrange(4) :]
    return text


def mangle(schema: Any, source: random.Random) -> Any:
    """Return a schema with one thing in it taken out, doubled, or put elsewhere."""
    places = [path for path, _ in nodes(schema) if path]
    if not places:
        return {}
    path = source.choice(places)
    here, other = get(schema, path), get(schema, source.choice(places))
    instead = source.choice(
        [
            None,
            True,
            False,
            {},
            [],
            3,
            "string",
            other,
            [here],
            {"type": [here]},
            {"$ref": "#"},
            {"anyOf": [here, other]},
            {"allOf": [here], "not": {"const": 1}},
        ]
    )
    return put(schema, path, instead)


def get(value: Any, path: Path) -> Any:
    """Return what stands at a path."""
    for step in path:
        value = value[step]
    return value


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: 3 and 3.0 are, 1 and True not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(item, other[key]) for key, item in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    return type(one) is type(other) and bool(one == other)
