"""Properties of one place."""

from __future__ import annotations

from typing import Any

from pegboard.dialects import _unions
from pegboard.dialects._limits import words
from pegboard.dialects._place import Json, Pen, Place, Refused, speaks_of
from pegboard.dialects._reshaping import nullable
from pegboard.dialects._values import LIMITS, write_limit
from pegboard.dialects.losses import Path

Members = dict[str, list[tuple[Any, Path]]]


def write_root(pen: Pen, place: Place) -> None:
    """Write the arguments as a whole: one object, no alternatives beside it."""
    place.made["type"] = "object"
    for keyword in ("enum", "const", "not"):
        for value, path in place.values(keyword):
            pen.lose(place, keyword, value, path)
    for keyword in LIMITS:
        write_limit(pen, place, keyword)
    properties = place.made["properties"] = _write_members(pen, place, _members(place))
    choices, needed = _unions.flatten(pen, place)
    for name, choice in choices.items():
        properties.setdefault(name, choice)
    _write_rest(pen, place, needed)


def write(pen: Pen, place: Place) -> None:
    """Write the properties of a place that may be an object."""
    if not speaks_of(place, "object", pen.subset):
        return
    members = _members(place)
    if members:
        place.made["properties"] = _write_members(pen, place, members)
    _write_rest(pen, place, [])


def _members(place: Place) -> Members:
    """Return all schemas that hold for each property."""
    members: Members = {}
    for schema, path in place.layers:
        for name, item in schema.get("properties", {}).items():
            found = (item, (*path, "properties", name))
            members.setdefault(name, []).append(found)
    for schema, path in place.layers:
        further = schema.get("additionalProperties")
        if further is None or further is True or len(place.layers) == 1:
            continue
        for name, schemas in members.items():
            if name not in schema.get("properties", {}):
                schemas.append((further, (*path, "additionalProperties")))
    return members


def _write_members(pen: Pen, place: Place, members: Members) -> Json:
    made: Json = {}
    for name, schemas in members.items():
        written = pen.try_write(schemas, place)
        if written is not None:
            made[name] = written
        elif pen.subset.takes("not"):
            made[name] = {"not": {}}
        else:
            for _, path in schemas:
                pen.lose(place, "", False, path, message=f"no {name}")
    return made


def _write_rest(pen: Pen, place: Place, needed: list[str]) -> None:
    """Write which properties are required and which others may be."""
    required = list(dict.fromkeys([*_required(place), *needed]))
    if pen.subset.keywords is not None:
        required = _complete(pen, place, required)
    if required:
        place.made["required"] = required
    if pen.subset.closed:
        _close(pen, place)
    else:
        _write_further(pen, place)


def _complete(pen: Pen, place: Place, required: list[str]) -> list[str]:
    """Describe what is only required, and require what only the subset does."""
    properties = place.made.setdefault("properties", {})
    missing = [name for name in required if name not in properties]
    further = _further(place)
    none_fits = any(name in _members(place) for name in missing)
    if none_fits or (missing and any(value is False for value, _ in further)):
        place.impossible = True  # it is required and must not be
        for value, path in place.values("required"):
            pen.lose(place, "required", value, path)
        required = [name for name in required if name in properties]
    else:
        for name in missing:
            schemas = further or [(True, (*place.path, "required"))]
            properties[name] = pen.write(schemas, place)
    if pen.subset.complete:
        for name, item in properties.items():
            properties[name] = item if name in required else nullable(item)
        required = list(properties)
    if not properties and place.depth:
        del place.made["properties"]
    return required


def _further(place: Place) -> list[tuple[Any, Path]]:
    return [
        (value, (*path, "additionalProperties"))
        for value, path in place.values("additionalProperties")
    ]


def _required(place: Place) -> list[str]:
    return [
        name
        for value, _ in place.values("required")
        for name in value
        if isinstance(name, str)
    ]


def _close(pen: Pen, place: Place) -> None:
    given = list(place.values("additionalProperties"))
    named = place.made.get("properties")
    shut = any(value is False for value, _ in given)
    if not named and not shut and (place.depth or given):
        raise Refused("an object with names of the model's choice", place.path)
    place.made["additionalProperties"] = False
    for keyword in ("additionalProperties", "patternProperties"):
        for value, path in place.values(keyword):
            if value is not False and not shut:
                message = words(keyword, value)
                pen.lose(place, keyword, value, path, kind="narrowed", message=message)


def _write_further(pen: Pen, place: Place) -> None:
    patterns: Members = {}
    for value, path in place.values("patternProperties"):
        if not pen.subset.takes("patternProperties"):
            pen.lose(place, "patternProperties", value, path)
            continue
        for pattern, item in value.items():
            found = (item, (*path, "patternProperties", pattern))
            patterns.setdefault(pattern, []).append(found)
    if patterns:
        place.made["patternProperties"] = {
            pattern: pen.write(schemas, place) for pattern, schemas in patterns.items()
        }
    given = _further(place)
    if not pen.subset.takes("additionalProperties"):
        for value, path in given:
            if value is not True:
                pen.lose(place, "additionalProperties", value, path[:-1])
    elif any(value is False for value, _ in given):
        place.made["additionalProperties"] = False
    elif schemas := [item for item in given if item[0] is not True]:
        place.made["additionalProperties"] = pen.write(schemas, place)
    elif given:
        place.made["additionalProperties"] = True
