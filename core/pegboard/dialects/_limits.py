"""Keywords of JSON Schema in words, for a model that gets no keyword."""

from __future__ import annotations

import json
from typing import Any

#: Longest piece of a schema quoted in a description, in characters.
MAX_QUOTE = 300

_COUNTED = {
    "minLength": "at least {} long",
    "maxLength": "at most {} long",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minContains": "at least {} of these",
    "maxContains": "at most {} of these",
    "pattern": "matches the pattern {}",
    "format": "format {}",
}
_QUOTED = {
    "default": "default {}",
    "const": "always {}",
    "not": "not {}",
    "contains": "contains {}",
    "propertyNames": "names of properties fit {}",
    "items": "each item fits {}",
    "unevaluatedItems": "further items fit {}",
}


def words(keyword: str, value: Any) -> str:
    """Return what a keyword demands, in a few words."""
    if keyword in _COUNTED:
        return _COUNTED[keyword].format(value)
    if keyword in _QUOTED:
        return _QUOTED[keyword].format(quote(value))
    if keyword in ("enum", "examples") and isinstance(value, list):
        begin = "one of" if keyword == "enum" else "for example"
        return cut(f"{begin} {', '.join(map(quote, value))}")
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        if isinstance(value, bool):
            return "further properties allowed" if value else "no other properties"
        return f"further properties fit {quote(value)}"
    if keyword == "prefixItems" and isinstance(value, list):
        return cut(f"in this order: {', '.join(map(quote, value))}")
    if keyword == "uniqueItems":
        return "no two items equal"
    if keyword == "required" and isinstance(value, list):
        return f"{', '.join(map(str, value))} required"
    if keyword in ("anyOf", "oneOf") and isinstance(value, list):
        count = "at least one" if keyword == "anyOf" else "exactly one"
        return cut(f"fits {count} of {'; '.join(map(alternative, value))}")
    return f"{keyword} {quote(value)}"


def alternative(arm: Any) -> str:
    """Return one arm of a union in words: its own, or its keywords quoted."""
    if isinstance(arm, dict):
        if set(arm) == {"required"} and isinstance(arm["required"], list):
            return " with ".join(map(str, arm["required"]))
        properties = arm.get("properties")
        if isinstance(properties, dict) and properties:
            fixed = [
                f"{name}={quote(item['const'])}" if _is_fixed(item) else name
                for name, item in properties.items()
            ]
            return "{" + ", ".join(fixed) + "}"
    return quote(arm)


def _is_fixed(schema: Any) -> bool:
    return isinstance(schema, dict) and "const" in schema


def quote(value: Any) -> str:
    """Return a JSON value as compact text of bounded length."""
    return cut(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cut(text: str) -> str:
    """Return a text of bounded length."""
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 3] + "..."
