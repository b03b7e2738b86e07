"""A compiled schema, place by place: each subschema can be asked by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jsonschema_rs

from pegboard._arguments.keywords import IN_PLACE, look_up, pointer, subschemas
from pegboard._arguments.references import References
from pegboard._arguments.wording import kind

Kinds = frozenset[str]
Options = dict[str, Any]

ALL_KINDS: Kinds = frozenset(
    ("array", "boolean", "integer", "null", "number", "object", "string")
)
_UNKNOWN = object()


class Place:
    """One subschema: where it stands, what it says, and what fits it.

    Attributes:
        pointer: Its JSON pointer, as a fragment.
        schema: The subschema; before draft 2019-09 a reference stands alone.
        kinds: The JSON types it may admit; "number" includes "integer".
        wish: What it wants in a few words, None until somebody wrote it.
    """

    __slots__ = (
        "_checks",
        "_is_valid",
        "_kinds",
        "_places",
        "_target",
        "pointer",
        "schema",
        "wish",
    )

    def __init__(self, places: Places, where: str, schema: Any) -> None:
        if places.draft <= 7 and isinstance(schema, dict) and "$ref" in schema:
            schema = {"$ref": schema["$ref"]}
        self.pointer = where
        self.schema = schema
        self._places = places
        self._is_valid = places.validator(where)
        self._checks: dict[str, Callable[[Any], bool]] = {}
        self._kinds: Kinds | None = None
        self._target: Place | object | None = _UNKNOWN
        self.wish: str | None = None

    def admits(self, value: Any) -> bool:
        """Return whether a value fits here; True where nobody can tell."""
        return self._is_valid is None or self._is_valid(value)

    def satisfies(self, keyword: str, value: Any) -> bool:
        """Return whether a value passes one assertion of this subschema."""
        check = self._checks.get(keyword)
        if check is None:
            check = self._checks[keyword] = self._places.check(keyword, self.schema)
        return check(value)

    def child(self, *keys: str | int) -> Place:
        """Return the place that the keys lead to from here."""
        return self._places.at(pointer(self.pointer, *keys))

    def target(self) -> Place | None:
        """Return the place that this one refers to, None if it refers to none."""
        if self._target is _UNKNOWN:
            where = self._places.references.target(self.pointer, self.schema)
            self._target = None if where is None else self._places.at(where)
        return self._target  # type: ignore[return-value]  # no longer unknown

    def members(self, name: str) -> list[Place]:
        """Return the places that a property of that name has to fit."""
        found = self.named(name)
        if not found and "additionalProperties" in self.schema:
            found.append(self.child("additionalProperties"))
        return found

    def named(self, name: str) -> list[Place]:
        """Return the places that speak of a property by its name."""
        found = []
        if name in (self.schema.get("properties") or ()):
            found.append(self.child("properties", name))
        for pattern in self.schema.get("patternProperties") or ():
            if self._places.matches(pattern, name):
                found.append(self.child("patternProperties", pattern))
        return found

    def below(self, step: str | int) -> list[Place]:
        """Return the places that what stands at a step below has to fit."""
        if isinstance(step, str):
            return self.members(step)
        first, rest = self.elements()
        if step < len(first):
            return [first[step]]
        return [] if rest is None else [rest]

    def elements(self) -> tuple[list[Place], Place | None]:
        """Return the places of the first elements, and that of the rest if any."""
        for first, rest in (("prefixItems", "items"), ("items", "additionalItems")):
            if isinstance(self.schema.get(first), list):
                further = self.child(rest) if rest in self.schema else None
                return self.listed(first), further
        return [], self.child("items") if "items" in self.schema else None

    @property
    def kinds(self) -> Kinds:
        """The JSON types of the values that this place may admit."""
        if self._kinds is None:
            self._kinds = self._find_kinds()
        return self._kinds

    def _find_kinds(self) -> Kinds:
        schema = self.schema
        if not isinstance(schema, dict):
            return ALL_KINDS if schema else frozenset()
        kinds = ALL_KINDS
        if "type" in schema:
            kinds = types(schema)
        elif isinstance(schema.get("enum"), list):
            kinds = frozenset(map(kind, schema["enum"]))
        elif "const" in schema:
            kinds = frozenset((kind(schema["const"]),))
        if target := self.target():
            kinds &= target.kinds
        for keyword in ("anyOf", "oneOf"):
            if arms := self.listed(keyword):
                kinds &= frozenset().union(*(arm.kinds for arm in arms))
        for part in self.listed("allOf"):
            kinds &= part.kinds
        return kinds

    def parts(self) -> list[Place]:
        """Return this place and all that speak of the same value, whole unions too.

        Those that only say yes or no are left out.
        """
        found: dict[str, Place] = {}
        todo = [self]
        while todo:
            place = todo.pop()
            if place.pointer in found or not isinstance(place.schema, dict):
                continue
            found[place.pointer] = place
            if target := place.target():
                todo.append(target)
            for keys, _ in subschemas(place.schema):
                if keys[0] in IN_PLACE and keys[0] != "not":
                    todo.append(place.child(*keys))
        return list(found.values())

    def listed(self, keyword: str) -> list[Place]:
        """Return the places of a keyword that lists schemas."""
        count = len(self.schema.get(keyword) or ())
        return [self.child(keyword, index) for index in range(count)]


class Places:
    """All places of one schema.

    Attributes:
        draft: 4, 6, 7, 2019 or 2020.
        references: Where references lead.
    """

    def __init__(self, schema: dict[str, Any], draft: int, options: Options) -> None:
        self.draft = draft
        self.references = References(schema, draft)
        self._schema = schema
        self._options = options
        self._map = jsonschema_rs.validator_map_for(schema, **options)
        self._places: dict[str, Place] = {}
        self._patterns: dict[str, Callable[[Any], bool]] = {}

    def at(self, where: str) -> Place:
        """Return the place at a pointer."""
        place = self._places.get(where)
        if place is None:
            place = Place(self, where, look_up(self._schema, where))
            self._places[where] = place
        return place

    def validator(self, where: str) -> Callable[[Any], bool] | None:
        """Return what decides at a pointer, None if it cannot be asked alone."""
        validator = self._map.get(where)
        return None if validator is None else validator.is_valid

    def check(self, keyword: str, schema: dict[str, Any]) -> Callable[[Any], bool]:
        """Return what decides one assertion of a subschema."""
        alone = {keyword: schema[keyword]}
        if keyword.startswith("exclusive") and isinstance(schema[keyword], bool):
            limit = "minimum" if keyword == "exclusiveMinimum" else "maximum"
            alone[limit] = schema.get(limit)
        if "$schema" in self._schema:
            alone["$schema"] = self._schema["$schema"]
        return jsonschema_rs.validator_for(alone, **self._options).is_valid

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a text has a match of a pattern."""
        check = self._patterns.get(pattern)
        if check is None:
            check = self._patterns[pattern] = self.check(
                "pattern", {"pattern": pattern}
            )
        return check(text)


def types(schema: dict[str, Any]) -> Kinds:
    """Return what the `type` of a schema names."""
    named = schema["type"]
    kinds = frozenset((named,) if isinstance(named, str) else named)
    return kinds | {"integer"} if "number" in kinds else kinds


def parts_below(parts: Iterable[Place], step: str | int) -> list[Place]:
    """Return all places that speak of what stands at a step below a value.

    Args:
        parts: Those that speak of the value.
        step: The name of a property, or the index of an element.
    """
    found = {
        part.pointer: part
        for place in parts
        for below in place.below(step)
        for part in below.parts()
    }
    return list(found.values())
