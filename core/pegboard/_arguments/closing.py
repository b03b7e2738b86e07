"""Schemas that let nothing odd through: a text that fits one needs no second look."""

from __future__ import annotations

from typing import Any

_LEAVES = frozenset(("string", "integer", "number", "boolean", "null"))


def is_closed(schema: Any) -> bool:
    """Whether all that fits a schema has a bounded depth and finite numbers only.

    A number out of range fits no type, so a schema that asks for one everywhere
    refuses it; and without references a schema is as deep as what fits it.
    """
    if schema is False:
        return True
    if not isinstance(schema, dict) or "$ref" in schema or "$dynamicRef" in schema:
        return False
    if "enum" in schema or "const" in schema:
        return True
    for union in ("anyOf", "oneOf"):
        if schema.get(union) and all(is_closed(arm) for arm in schema[union]):
            return True
    kinds = schema.get("type") or []
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return bool(kinds) and all(_is_closed_kind(schema, kind) for kind in kinds)


def _is_closed_kind(schema: dict[str, Any], kind: str) -> bool:
    if kind == "object":
        named = (schema.get("properties") or {}).values()
        more = schema.get("additionalProperties", True)
        if "patternProperties" in schema:
            return False
        return is_closed(more) and all(map(is_closed, named))
    if kind == "array":
        first = schema.get("prefixItems") or []
        return is_closed(schema.get("items", True)) and all(map(is_closed, first))
    return kind in _LEAVES
