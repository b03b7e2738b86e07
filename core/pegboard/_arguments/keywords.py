"""What the keywords of JSON Schema, drafts 4 to 2020-12, say of their subschemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Keys = tuple[str | int, ...]

_ONE, _LISTED, _NAMED = 1, 2, 4
# What the value of a keyword may be: a schema, a list of schemas, or schemas by name.
_FORMS = {
    "$defs": _NAMED,
    "additionalItems": _ONE,
    "additionalProperties": _ONE,
    "allOf": _LISTED,
    "anyOf": _LISTED,
    "contains": _ONE,
    "contentSchema": _ONE,
    "definitions": _NAMED,
    "dependencies": _NAMED,
    "dependentSchemas": _NAMED,
    "else": _ONE,
    "if": _ONE,
    "items": _ONE | _LISTED,
    "not": _ONE,
    "oneOf": _LISTED,
    "patternProperties": _NAMED,
    "prefixItems": _LISTED,
    "properties": _NAMED,
    "propertyNames": _ONE,
    "then": _ONE,
    "unevaluatedItems": _ONE,
    "unevaluatedProperties": _ONE,
}
REFERENCES = frozenset(("$dynamicRef", "$recursiveRef", "$ref"))
# Those that speak of the same value as the schema they stand in.
IN_PLACE = frozenset(
    {
        "allOf",
        "anyOf",
        "dependencies",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "then",
    }
)
# Those whose value neither names nor holds a schema: each can be asked by itself.
ASSERTIONS = (
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "boundedPattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
)


def subschemas(schema: Any) -> Iterator[tuple[Keys, Any]]:
    """Yield each schema that stands directly in a schema, with the keys to it."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        form = _FORMS.get(keyword, 0)
        if form & _NAMED:
            if isinstance(value, dict):
                for name, item in value.items():
                    if isinstance(item, (dict, bool)):
                        yield (keyword, name), item
        elif form & _ONE and isinstance(value, (dict, bool)):
            yield (keyword,), value
        elif form & _LISTED and isinstance(value, list):
            for index, item in enumerate(value):
                yield (keyword, index), item


def pointer(base: str, *keys: str | int) -> str:
    """Return the JSON pointer of what stands at the keys below a base."""
    steps = (str(key).replace("~", "~0").replace("/", "~1") for key in keys)
    return "/".join((base, *steps))


def look_up(schema: Any, place: str) -> Any:
    """Return what stands at a JSON pointer.

    Raises:
        LookupError: nothing stands there.
    """
    for step in place.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, list) and key.isdecimal():
            schema = schema[int(key)]
        elif isinstance(schema, dict):
            schema = schema[key]
        else:
            raise LookupError(place)
    return schema
