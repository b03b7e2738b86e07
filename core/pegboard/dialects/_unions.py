"""Alternatives of one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard.dialects._place import (
    ANNOTATIONS,
    Json,
    Layer,
    Pen,
    Place,
    constraints,
)
from pegboard.dialects._values import allowed_values, joined_types
from pegboard.dialects.losses import Path

UNIONS = ("anyOf", "oneOf")


def write(pen: Pen, place: Place) -> None:
    """Write the alternatives of a place as they are."""
    for keyword in (*UNIONS, "allOf"):
        if not pen.subset.takes(keyword):
            continue  # taken apart already
        for value, path in place.values(keyword):
            before = pen.narrowed
            arms = [(arm, (*path, keyword, i)) for i, arm in enumerate(value)]
            place.made[keyword] = [pen.write([arm], place) for arm in arms]
            narrowed = keyword == "oneOf" and pen.narrowed > before
            if narrowed and not _are_disjoint(pen, place, arms):
                # A value that fitted two arms may now fit one.
                pen.lose(place, keyword, value, path)


def distribute(pen: Pen, place: Place) -> bool:
    """Write the alternatives of a place such that nothing stands beside them.

    What the place says beside them moves into each; exactly one (`oneOf`) becomes at
    least one, without loss where no value fits two.

    Returns:
        Whether there were any.
    """
    found = _find(place.layers)
    if found is None:
        return False
    keyword, arms, path, rest = found
    if not any(constraints(schema) for schema, _ in rest):
        rest = []
    parts = [(arm, (*path, keyword, i)) for i, arm in enumerate(arms)]
    made = [pen.try_write([*rest, part], place) for part in parts]
    written = [node for node in made if node is not None]
    if not written:
        place.impossible = True
        return True
    if keyword == "oneOf" and not _are_disjoint(pen, place, parts):
        pen.lose(place, keyword, arms, path)
    place.made.update(_either(written))
    return True


def _find(
    layers: list[Layer],
) -> tuple[str, list[Any], Path, list[Layer]] | None:
    """Return the first union, and all that holds beside it."""
    for number, (schema, path) in enumerate(layers):
        for keyword in UNIONS:
            if keyword in schema:
                rest = [
                    (_bare(other, keyword if i == number else ""), at)
                    for i, (other, at) in enumerate(layers)
                ]
                return keyword, schema[keyword], path, rest
    return None


def _bare(schema: Mapping[str, Any], keyword: str) -> Mapping[str, Any]:
    dropped = {*ANNOTATIONS, "$ref", "allOf", keyword}
    return {key: item for key, item in schema.items() if key not in dropped}


def _either(written: list[Json]) -> Json:
    arms = [arm for i, arm in enumerate(written) if arm not in written[:i]]
    return dict(arms[0]) if len(arms) == 1 else {"anyOf": arms}


def joined(written: list[Json]) -> Json:
    """Return one node that fits whatever any of the written nodes fits."""
    values: list[Any] = []
    types: list[Any] = []
    for node in written:
        if not {"const", "enum"} & set(node) or set(node) - {"type", "const", "enum"}:
            return _either(written)
        values += [node["const"]] if "const" in node else node["enum"]
        types += [node.get("type")]
    if any(name != types[0] or not isinstance(name, str) for name in types):
        return _either(written)
    return {"type": types[0], "enum": list(dict.fromkeys(values))}


def flatten(pen: Pen, place: Place) -> tuple[Json, list[str]]:
    """Return what the root's alternatives add: properties, and names required by all.

    The alternatives themselves are only described, since no provider takes them here.
    """
    choices: dict[str, list[Json]] = {}
    needed: list[str] = []
    for schema, path in place.layers:
        for keyword in UNIONS:
            if keyword not in schema:
                continue
            pen.lose(place, keyword, schema[keyword], path)
            arms = _objects(pen, place, schema[keyword], (*path, keyword))
            needed += [
                name
                for name in (_required(arms[0]) if arms else ())
                if all(name in _required(arm) for arm in arms)
            ]
            for arm in _with_inner(pen, arms):
                for name, item, at in _properties(arm):
                    beside = _further(place, name)
                    written = pen.try_write([(item, at), *beside], arm)
                    if written is not None:
                        choices.setdefault(name, []).append(written)
    return {name: joined(written) for name, written in choices.items()}, needed


def _further(place: Place, name: str) -> list[tuple[Any, Path]]:
    """Return what the root says of a property that it does not describe."""
    return [
        (schema["additionalProperties"], (*path, "additionalProperties"))
        for schema, path in place.layers
        if "additionalProperties" in schema and name not in schema.get("properties", {})
    ]


def _objects(pen: Pen, place: Place, arms: list[Any], path: Path) -> list[Place]:
    places = [
        pen.gather([(arm, (*path, i))], place.open, 0) for i, arm in enumerate(arms)
    ]
    return [arm for arm in places if _may_be_object(arm)]


def _may_be_object(arm: Place) -> bool:
    types = [value for value, _ in arm.values("type")]
    return not arm.impossible and all("object" in value for value in types)


def _with_inner(pen: Pen, arms: list[Place]) -> list[Place]:
    found: list[Place] = []
    todo = list(arms)
    while todo and len(found) < 100:
        arm = todo.pop(0)
        found.append(arm)
        for schema, path in arm.layers:
            for keyword in UNIONS:
                inner = schema.get(keyword, [])
                todo += _objects(pen, arm, inner, (*path, keyword))
    return found


def _required(arm: Place) -> list[str]:
    return [name for value, _ in arm.values("required") for name in value]


def _properties(arm: Place) -> list[tuple[str, Any, Path]]:
    return [
        (name, item, (*path, "properties", name))
        for value, path in arm.values("properties")
        for name, item in value.items()
    ]


def _are_disjoint(pen: Pen, place: Place, parts: list[tuple[Any, Path]]) -> bool:
    """Tell whether surely no value fits two of the alternatives of a place."""
    arms = [pen.gather([part], place.open, 0) for part in parts]
    return all(
        _differ(pen, one, other)
        for i, one in enumerate(arms)
        for other in arms[i + 1 :]
    )


def _differ(pen: Pen, one: Place, other: Place, depth: int = 0) -> bool:
    """Tell whether surely no value fits both places.

    Only what is said counts: a type that was read from other keywords does not.
    """
    if one.impossible or other.impossible:
        return True
    types = joined_types(one), joined_types(other)
    if types[0] and types[1] and not _kinds(types[0]) & _kinds(types[1]):
        return True
    values = allowed_values(one, types[0]), allowed_values(other, types[1])
    if values[0] is not None and values[1] is not None:
        return not any(value in values[1] for value in values[0])
    if depth > 3 or types != (["object"], ["object"]):
        return False
    shared = set(_required(one)) & set(_required(other))
    return any(
        _differ(pen, _property(pen, one, name), _property(pen, other, name), depth + 1)
        for name in shared
    )


def _property(pen: Pen, arm: Place, name: str) -> Place:
    found = [(item, path) for given, item, path in _properties(arm) if given == name]
    return pen.gather(found, arm.open, 0)


def _kinds(types: list[str]) -> set[str]:
    return {*types, "number"} if "integer" in types else set(types)
