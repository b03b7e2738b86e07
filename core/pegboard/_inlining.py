"""Schemas as pydantic writes them -> schemas as models read them best.

No titles, `$ref` only for recursion, closed objects.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

#: Keywords whose value maps names to schemas.
_NAMED = ("properties", "patternProperties", "dependentSchemas", "$defs")
#: Keywords whose value is a list of schemas.
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
#: Keywords whose value is one schema.
_SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_DEFS = "#/$defs/"


def inline(schema: Schema, *, closed: bool = True) -> Schema:
    """Return the schema without titles and with `$ref` only where it recurses.

    Args:
        schema: A schema with `$defs` at its root only, as pydantic makes it.
        closed: Whether objects that say nothing of other properties refuse them.
    """
    definitions = schema.get("$defs", {})
    recursive = {name for name in definitions if name in _reached(name, definitions)}
    body = {key: item for key, item in schema.items() if key != "$defs"}
    made: Schema = _rewrite(body, definitions, recursive, closed)
    if "$ref" in made and len(made) == 1:
        # A root that is only a reference is no object for most providers.
        root = _rewrite(definitions[_target(made)], definitions, recursive, closed)
        made = root
    kept = _reached_from(made, definitions) & recursive
    if kept:
        made["$defs"] = {
            name: _rewrite(definitions[name], definitions, recursive, closed)
            for name in definitions
            if name in kept
        }
    return made


def _rewrite(
    schema: Any, definitions: Schema, recursive: set[str], closed: bool
) -> Any:
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema and (name := _target(schema)) not in recursive:
        beside = {key: item for key, item in schema.items() if key != "$ref"}
        schema = {**definitions[name], **beside}
        return _rewrite(schema, definitions, recursive, closed)
    made: Schema = {}
    for key, item in schema.items():
        if key in ("title", "discriminator"):
            continue
        if key in _NAMED:
            item = {
                name: _rewrite(part, definitions, recursive, closed)
                for name, part in item.items()
            }
        elif key in _LISTED:
            item = [_rewrite(part, definitions, recursive, closed) for part in item]
        elif key in _SINGLE:
            item = _rewrite(item, definitions, recursive, closed)
        made[key] = item
    if closed and "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


def _target(schema: Schema) -> str:
    reference: str = schema["$ref"]
    name = reference.removeprefix(_DEFS)
    return name.replace("~1", "/").replace("~0", "~")


def _parts(schema: Any) -> list[Any]:
    if not isinstance(schema, dict):
        return []
    parts: list[Any] = []
    for key, item in schema.items():
        if key in _NAMED and key != "$defs":
            parts += item.values()
        elif key in _LISTED:
            parts += item
        elif key in _SINGLE:
            parts.append(item)
    return parts


def _reached_from(schema: Any, definitions: Schema) -> set[str]:
    found: set[str] = set()
    todo = [schema]
    while todo:
        item = todo.pop()
        if isinstance(item, dict) and "$ref" in item:
            name = _target(item)
            if name not in found and name in definitions:
                found.add(name)
                todo.append(definitions[name])
        todo += _parts(item)
    return found


def _reached(name: str, definitions: Schema) -> set[str]:
    return _reached_from(definitions[name], definitions)


def find_blind_union(schema: Schema) -> str | None:
    """Return the definition that holds a recursive union which pydantic must guess at.

    Such a union has several object arms, no discriminator, and an arm that leads
    back to it: each level doubles the work.
    """
    definitions = schema.get("$defs", {})
    for name, definition in definitions.items():
        todo = [definition]
        while todo:
            item = todo.pop()
            todo += _parts(item)
            if not isinstance(item, dict) or "discriminator" in item:
                continue
            arms = [
                arm
                for key in ("anyOf", "oneOf")
                for arm in item.get(key, ())
                if _is_object(arm, definitions)
            ]
            if len(arms) > 1 and any(name in _leads(a, definitions) for a in arms):
                return repr(name)
    return None


def _is_object(schema: Any, definitions: Schema) -> bool:
    if "$ref" in schema:
        schema = definitions.get(_target(schema), {})
    return schema.get("type") == "object" or "properties" in schema


def _leads(arm: Schema, definitions: Schema) -> set[str]:
    return _reached_from(arm, definitions)
