"""What the JSON Schema of a plugin's settings says of a table, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pegboard._settings.layers import Path, get

Schema = Mapping[str, Any]
UNIONS = ("anyOf", "oneOf", "allOf")


def unknown_keys(
    schema: Schema, value: Any, root: Schema, path: Path = ()
) -> Iterator[tuple[Path, list[str]]]:
    """Yield the path of each key that no arm knows, with the keys that they know."""
    if isinstance(value, list):
        inner = _elements(schema, root)
        for index, item in enumerate(value):
            yield from unknown_keys(inner, item, root, (*path, str(index)))
    if isinstance(value, dict):
        objects = _objects(schema, root)
        for key, item in value.items():
            if found := _children(schema, key, root):
                yield from unknown_keys({"anyOf": found}, item, root, (*path, key))
            elif objects:
                known = {name for arm in objects for name in arm.get("properties", ())}
                yield (*path, key), sorted(known)


def marked_paths(
    schema: Schema, value: Any, root: Schema, path: Path = ()
) -> Iterator[Path]:
    """Yield the path of each value that needs trust."""
    if _needs_trust(schema, root):
        yield path
    elif isinstance(value, list):
        inner = _elements(schema, root)
        for item in value:
            yield from marked_paths(inner, item, root, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            inner = {"anyOf": _children(schema, key, root)}
            yield from marked_paths(inner, item, root, (*path, key))


def _needs_trust(schema: Schema, root: Schema) -> bool:
    if schema.get("needs_trust"):
        return True
    if "$ref" in schema:
        return _needs_trust(_target(schema, root), root)
    arms = [arm for word in UNIONS for arm in schema.get(word, ())]
    return any(_needs_trust(arm, root) for arm in arms)


def _target(schema: Schema, root: Schema) -> Schema:
    found: Schema = get(root, schema["$ref"].removeprefix("#/").split("/")) or {}
    return found


def _arms(schema: Schema, root: Schema) -> Iterator[Schema]:
    """Yield the schema, or every one that it is a union of."""
    while "$ref" in schema:
        schema = _target(schema, root)
    arms = [arm for word in UNIONS for arm in schema.get(word, ())]
    if not arms:
        yield schema
    for arm in arms:
        yield from _arms(arm, root)


def _objects(schema: Schema, root: Schema) -> list[Schema]:
    """Return the arms that admit an object."""
    return [arm for arm in _arms(schema, root) if arm.get("type", "object") == "object"]


def _children(schema: Schema, key: str, root: Schema) -> list[Schema]:
    """Return what the arms say of one key, [] if none of them knows it."""
    found: list[Schema] = []
    for arm in _objects(schema, root):
        names = arm.get("properties")
        found += arm.get("patternProperties", {}).values()
        if names is not None and key in names:
            found.append(names[key])
        elif names is None or "additionalProperties" in arm:
            more = arm.get("additionalProperties", True)
            if more is not False:
                found.append(more if isinstance(more, dict) else {})
    return found


def _elements(schema: Schema, root: Schema) -> Schema:
    """Return what the arms say of an array's elements, all positions together."""
    found: list[Schema] = []
    for arm in _arms(schema, root):
        found += arm.get("prefixItems", ())
        if isinstance(arm.get("items"), dict):
            found.append(arm["items"])
    return {"anyOf": found}
