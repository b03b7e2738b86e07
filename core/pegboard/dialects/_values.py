"""Types, enumerations and limits of one place."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

from pegboard._frozen import thaw
from pegboard.dialects._limits import words
from pegboard.dialects._place import (
    ALL_TYPES,
    LIMITS_OF,
    Json,
    Pen,
    Place,
    Refused,
    constraints,
    type_of,
    types_of,
)
from pegboard.dialects._reshaping import matters, to_openapi
from pegboard.dialects._subset import Subset

#: Keyword -> which of several values is the tightest.
_TIGHTER: dict[str, Callable[[Iterable[float]], float]] = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
}
_INCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
LIMITS = (*_TIGHTER, "multipleOf", "pattern", "format")
_UNIONS = ("anyOf", "oneOf", "allOf")
_LOOKAROUND = ("(?=", "(?!", "(?<=", "(?<!")


def write(pen: Pen, place: Place) -> None:
    """Write the type of a place, the values it enumerates and its limits."""
    for value, path in place.values("enum"):
        if value == []:
            pen.lose(place, "enum", value, path, message="no value is allowed")
    types = joined_types(place)
    values = allowed_values(place, types)
    if values is not None and types is None:
        types = _distinct(map(type_of, values))
    elif values is not None and types is not None and len(types) > 1:
        types = [name for name in types if any(_fits(v, [name]) for v in values)]
    if types is None:
        types = _implied(pen, place)
        pen.narrowed += types is not None
    if types == [] or values == []:
        place.impossible = True
        return
    if types is None and place.reference is None and not _is_union(pen, place):
        _write_any(pen, place)
    elif types is not None:
        place.made["type"] = types[0] if len(types) == 1 else types
    if values is not None:
        _write_values(pen, place, values)
    for keyword in LIMITS:
        write_limit(pen, place, keyword)


def joined_types(place: Place) -> list[str] | None:
    """Return the types that all layers allow, None if no layer says any."""
    joined: list[str] | None = None
    for schema, _ in place.layers:
        types = types_of(schema)
        if types is None:
            continue
        joined = _distinct(types) if joined is None else _both(joined, types)
    return joined


def _both(one: list[str], other: list[str]) -> list[str]:
    both = [name for name in one if name in other]
    if "integer" not in both and {"integer", "number"} <= {*one, *other}:
        whole = "integer" in one or "integer" in other
        both += ["integer"] if whole and "number" not in both else []
    return both


def _distinct(names: Iterable[str]) -> list[str]:
    found = dict.fromkeys(names)
    if "number" in found:
        found.pop("integer", None)
    return list(found)


def allowed_values(place: Place, types: list[str] | None) -> list[Any] | None:
    """Return the values that all layers enumerate, None if no layer does."""
    joined: list[Any] | None = None
    for schema, _ in place.layers:
        for given in ([schema["const"]] if "const" in schema else None, _enum(schema)):
            if given is not None:
                keys = set(map(_key, given))
                joined = given if joined is None else joined
                joined = [value for value in joined if _key(value) in keys]
    if joined is None or types is None:
        return joined
    return [value for value in joined if _fits(value, types)]


def _enum(schema: Any) -> list[Any] | None:
    given = schema.get("enum")
    return list(given) if isinstance(given, list) and given else None


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _fits(value: Any, types: list[str]) -> bool:
    name = type_of(value)
    whole = isinstance(value, float) and value.is_integer()
    return name in types or (
        "number" in types if name == "integer" else whole and "integer" in types
    )


def _is_union(pen: Pen, place: Place) -> bool:
    return pen.subset.keywords is None and place.says(*_UNIONS)


def _implied(pen: Pen, place: Place) -> list[str] | None:
    """Return the types that a place's keywords speak of."""
    arms = [
        arm
        for keyword in _UNIONS
        for value, _ in place.values(keyword)
        if pen.subset.keywords is None
        for arm in value
    ]
    if place.reference is not None or any(
        not isinstance(arm, dict) or {"type", "$ref", "enum", "const"} & set(arm)
        for arm in arms
    ):
        return None
    return (
        _distinct(
            LIMITS_OF[keyword]
            for schema, _ in place.layers
            for keyword in constraints(schema)
            if keyword in LIMITS_OF
        )
        or None
    )


def _write_any(pen: Pen, place: Place) -> None:
    if not pen.subset.any_value:
        raise Refused("a place that takes any value", place.path)
    pen.narrowed += 1
    place.made["type"] = list(ALL_TYPES)
    # A list of lists of anything would need a definition of its own.
    items: Json = {"type": [name for name in ALL_TYPES if name != "array"]}
    place.made["items"] = to_openapi(items) if pen.subset.openapi else items


def _write_values(pen: Pen, place: Place, values: list[Any]) -> None:
    enums, made, values = pen.subset.enums, place.made, thaw(values)
    keyword = "const" if len(values) == 1 and place.says("const") else "enum"
    if keyword == "const" and pen.subset.takes("const"):
        made["const"] = values[0]
        return
    if enums is None or all(type(value) in enums for value in values):
        made["enum"] = values
        return
    rest = [value for value in values if value is not None]
    if rest and all(type(value) in enums for value in rest):
        made["enum"] = rest
        if not pen.subset.openapi:
            arm = {"type": _without_null(place.types), "enum": rest}
            place.made = {"anyOf": [arm, {"type": "null"}]}
    elif values != [None]:
        note = words(keyword, values[0] if keyword == "const" else values)
        for each in ("const", "enum"):
            for _, path in place.values(each):
                pen.lose(place, each, values, path, message=note)


def _without_null(types: list[str]) -> str | list[str]:
    rest = [name for name in types if name != "null"]
    return rest[0] if len(rest) == 1 else rest


def write_limit(pen: Pen, place: Place, keyword: str) -> None:
    """Write one limit of a place: the tightest of all its layers."""
    found = list(place.values(keyword))
    types, subset = place.types, pen.subset
    if not found or (subset.keywords is not None and not matters(keyword, types)):
        return
    value = found[0][0]
    if keyword in _TIGHTER:
        value = _TIGHTER[keyword](given for given, _ in found)
    taken = _takes(subset, keyword, value)
    bound = _INCLUSIVE.get(keyword)
    if taken:
        place.made[keyword] = value
    elif bound and subset.takes(bound):
        taken = "number" not in types
        _write_inclusive(place, keyword, value)
    for other, path in found:
        if not taken or (keyword not in _TIGHTER and other != value):
            shown = other if keyword not in _TIGHTER else value
            note = words(keyword, shown)
            pen.lose(place, keyword, other, path, message=note)


def _takes(subset: Subset, keyword: str, value: Any) -> bool:
    if keyword == "format" and subset.formats is not None:
        return subset.takes(keyword) and value in subset.formats
    if keyword == "minItems" and subset.most_min_items is not None:
        return subset.takes(keyword) and bool(value <= subset.most_min_items)
    if keyword == "pattern" and not subset.lookaround:
        return subset.takes(keyword) and not any(mark in value for mark in _LOOKAROUND)
    return subset.takes(keyword)


def _write_inclusive(place: Place, keyword: str, value: float) -> None:
    """Say an exclusive bound as an inclusive one: exactly, of whole numbers."""
    bound = _INCLUSIVE[keyword]
    if "number" not in place.types:
        below = keyword == "exclusiveMinimum"
        value = math.floor(value) + 1 if below else math.ceil(value) - 1
    place.made[bound] = _TIGHTER[bound]((value, place.made.get(bound, value)))
