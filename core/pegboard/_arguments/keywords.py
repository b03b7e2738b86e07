"""What the keywords of JSON Schema, drafts 4 to 2020-12, say of their subschemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Keys = tuple[str | int, ...]

# Keywords whose value is a schema, a list of schemas, or schemas by name.
_ONE = (
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LISTED = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_NAMED = (
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
)
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
    for keyword in _ONE:
        if isinstance(schema.get(keyword), (dict, bool)):
            yield (keyword,), schema[keyword]
    for keyword in _LISTED:
        if isinstance(schema.get(keyword), list):
            for index, item in enumerate(schema[keyword]):
                yield (keyword, index), item
    for keyword in _NAMED:
        if isinstance(schema.get(keyword), dict):
            for name, item in schema[keyword].items():
                if isinstance(item, (dict, bool)):
                    yield (keyword, name), item


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
