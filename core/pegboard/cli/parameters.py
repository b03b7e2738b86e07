"""JSON Schema -> what a person reads: one row a parameter."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.cli.words import counted

Schema = Mapping[str, Any]

#: How deep objects within objects are taken apart.
DEPTH = 4
#: Keywords that bound a value, and how they are written.
BOUNDS = {
    "minimum": ">= {}",
    "exclusiveMinimum": "> {}",
    "maximum": "<= {}",
    "exclusiveMaximum": "< {}",
    "multipleOf": "a multiple of {}",
    "pattern": "like {}",
    "format": "{}",
}
#: Keywords that bound a size, and what they count.
SIZES = {
    "minLength": ("at least", "character"),
    "maxLength": ("at most", "character"),
    "minItems": ("at least", "item"),
    "maxItems": ("at most", "item"),
}


def rows(schema: Schema) -> list[tuple[str, str, str, str]]:
    """Return name, type, default and meaning of each parameter.

    Parameters of an object within stand below it, by their path.
    """
    return list(_rows(schema, schema, "", DEPTH))


def _rows(
    root: Schema, schema: Schema, path: str, depth: int
) -> Iterator[tuple[str, str, str, str]]:
    required = schema.get("required") or ()
    for name, item in (schema.get("properties") or {}).items():
        item = item if isinstance(item, Mapping) else {}
        full = f"{path}{name}"
        default = "required" if name in required else _default(item)
        yield full, type_of(item, root), default, str(item.get("description") or "")
        inner, suffix = _inner(root, item)
        if depth and inner.get("properties"):
            yield from _rows(root, inner, f"{full}{suffix}.", depth - 1)


def _default(schema: Schema) -> str:
    return _json(schema["default"]) if "default" in schema else ""


def _inner(root: Schema, schema: Schema) -> tuple[Schema, str]:
    """Return the object that a parameter holds, itself or as a list's element."""
    schema = _resolved(root, schema)
    suffix = ""
    for _ in range(DEPTH):
        if isinstance(schema.get("items"), Mapping):
            schema, suffix = _resolved(root, schema["items"]), f"{suffix}[]"
    objects = [arm for arm in _arms(root, schema) if arm.get("properties")]
    return (objects[0] if len(objects) == 1 else schema), suffix


def _arms(root: Schema, schema: Schema) -> list[Schema]:
    arms = schema.get("anyOf") or schema.get("oneOf") or ()
    return [_resolved(root, arm) for arm in arms if isinstance(arm, Mapping)]


def _resolved(root: Schema, schema: Schema) -> Schema:
    for _ in range(DEPTH):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        found: Any = root
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        if not isinstance(found, Mapping):
            break
        schema = found
    return schema


def type_of(schema: Schema, root: Schema, depth: int = DEPTH) -> str:
    """Return the type of a value in words, with its bounds."""
    if not depth:
        return "..."
    schema = _resolved(root, schema)
    if "const" in schema:
        return _json(schema["const"])
    if isinstance(schema.get("enum"), (list, tuple)):
        return " | ".join(_json(value) for value in schema["enum"])
    if arms := _arms(root, schema):
        names = [type_of(arm, root, depth - 1) for arm in arms]
        return " | ".join(dict.fromkeys(names))
    kind = schema.get("type", "any")
    kinds = list(kind) if isinstance(kind, (list, tuple)) else [kind]
    words = [_word(str(name), schema, root, depth) for name in kinds]
    text = " | ".join(words)
    for bound in _bounds(schema):
        text += f" {bound}" if bound[0] in "<>" else f", {bound}"
    return text


def _bounds(schema: Schema) -> Iterator[str]:
    for keyword, text in BOUNDS.items():
        if keyword in schema:
            yield text.format(schema[keyword])
    for keyword, (word, noun) in SIZES.items():
        if isinstance(size := schema.get(keyword), int):
            yield f"{word} {counted(size, noun)}"


def _word(kind: str, schema: Schema, root: Schema, depth: int) -> str:
    if kind == "array" and isinstance(schema.get("items"), Mapping):
        return f"array of {type_of(schema['items'], root, depth - 1)}"
    return kind


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
