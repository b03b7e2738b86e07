"""One sentence for each thing that does not fit, written when it is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple

from pegboard._arguments.patterns import LONGEST_TEXT
from pegboard._arguments.places import ALL_KINDS, Place
from pegboard._arguments.wording import (
    Path,
    cut,
    got,
    kind,
    literal,
    one_of,
    quote,
    quoted,
    where,
)

_LONGEST_NAME = 100  # characters of a name for which a nearest one is sought
_LONGEST_WISH = 300  # characters
_ARMS = 12  # arms of a union that are told
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "that is a multiple of {}",
    "minLength": "of at least {} characters",
    "maxLength": "of at most {} characters",
    "pattern": "that matches {}",
    "boundedPattern": f"of at most {LONGEST_TEXT:,} characters that matches {{}}",
    "minItems": "of at least {} elements",
    "maxItems": "of at most {} elements",
    "uniqueItems": "without equal elements",
    "minProperties": "of at least {} properties",
    "maxProperties": "of at most {} properties",
}
_NUMERIC = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
)
_OF_KIND = {
    "integer": _NUMERIC,
    "number": _NUMERIC,
    "string": ("minLength", "maxLength", "pattern", "boundedPattern"),
    "array": ("minItems", "maxItems", "uniqueItems"),
    "object": ("minProperties", "maxProperties"),
}


class Problem(NamedTuple):
    """One thing that does not fit.

    Attributes:
        path: Where the value stands.
        keyword: The keyword that it does not meet; "unknown" for a property too many,
            "false" where nothing may be, "other" if nobody knows.
        place: What does not admit it.
        value: The value.
        name: The property that it is about, "" for the value itself.
        hint: What else is known: why a text is no JSON, what needs the property.
    """

    path: Path
    keyword: str
    place: Place
    value: Any
    name: str = ""
    hint: str = ""

    def explain(self, *, secret: bool) -> str:
        """Return the sentence for the model.

        Args:
            secret: Whether the value must not be shown.
        """
        if self.keyword in ("required", "unknown"):
            path, fact = (*self.path, self.name), self._about_property()
        else:
            path, fact = self.path, self._about_value(secret)
        return f"{where(path)}: {fact}"

    def _about_property(self) -> str:
        if self.keyword == "unknown":
            return "no such property" + _alternatives(self)
        if self.hint:
            return f"required where {quote(self.hint)} is given, but missing"
        declared = self.place.schema.get("properties") or {}
        wish = ""
        if self.name in declared:
            wish = f"; expected {expected(self.place.child('properties', self.name))}"
        if self.place.schema.get("additionalProperties") is not False:
            undeclared = [name for name in self.value if name not in declared]
            if near := _nearest(self.name, undeclared):
                wish += f"; is it what {quote(near)} was meant to be?"
        return f"required, but missing{wish}"

    def _about_value(self, secret: bool) -> str:
        place, keyword = self.place, self.keyword
        came = got(self.value, secret=secret)
        if keyword == "false":
            return f"nothing may be given here, got {came}"
        if keyword == "not":
            return f"{came} is excluded by the schema"
        if keyword == "oneOf":
            return f"{came} fits more than one of the forms, of which one is wanted"
        if keyword == "propertyNames":
            wish = expected(place.child("propertyNames"))
            return f"{quote(self.name)} is no name of a property; expected {wish}"
        if keyword in _LIMITS:
            wish = f"{kind(self.value)} {_limit(place.schema, keyword)}"
        elif keyword == "other":
            return f"{came} does not fit the schema"
        elif keyword == "contains":
            wish = f"array that holds {expected(place.child(keyword))}"
            wish += _times(place.schema)
        else:
            wish = expected(place)
        if self.hint and not secret:
            came = f"a text that is no JSON: {self.hint}"
        return f"expected {wish}, got {came}"


def expected(place: Place) -> str:
    """Return what a place wants, in a few words."""
    if place.wish is None:
        place.wish = cut(_expected(place), _LONGEST_WISH)
    return place.wish


def _expected(place: Place) -> str:
    schema = place.schema
    if not isinstance(schema, dict):
        return "any value" if schema else "nothing"
    if isinstance(schema.get("enum"), list):
        return one_of(schema["enum"])
    if "const" in schema:
        return literal(schema["const"])
    if target := place.target():
        return expected(target)
    for keyword in ("anyOf", "oneOf"):
        if arms := place.listed(keyword):
            return _joined(expected(arm) for arm in arms[:_ARMS])
    names = _names(place)
    if place.kinds == ALL_KINDS:  # then only what is limited is worth a word
        names = [n for n in names if not schema.keys().isdisjoint(_OF_KIND.get(n, ()))]
    wishes = (
        _described(name, schema, _of_elements(place) if name == "array" else "")
        for name in names
    )
    return _joined(wishes) or "another value"


def _names(place: Place) -> list[str]:
    """Return the types that a place admits, sorted; a number may be an integer."""
    kinds = place.kinds
    return sorted(kinds - {"integer"} if "number" in kinds else kinds)


def _described(name: str, schema: dict[str, Any], elements: str = "") -> str:
    """Return a type with what the schema demands of it."""
    wish = name + elements
    if name == "object" and (required := schema.get("required")):
        wish += f" with {quoted(required)}"
    limits = [
        _limit(schema, keyword)
        for keyword in _OF_KIND.get(name, ())
        if schema.get(keyword) not in (None, False)
    ]
    return f"{wish} {' and '.join(limits)}" if limits else wish


def _of_elements(place: Place) -> str:
    """Return what the elements of an array are, where all are of one type."""
    first, element = place.elements()
    if first or element is None or len(names := _names(element)) != 1:
        return ""
    while target := element.target():
        element = target
    wish = _described(names[0], element.schema)
    return f" of {names[0]}s{wish.removeprefix(names[0])}"


def _limit(schema: dict[str, Any], keyword: str) -> str:
    bound = schema[keyword]
    if keyword.startswith("exclusive") and bound is True:  # draft 4
        bound = schema.get(keyword.replace("exclusiveM", "m"))
    wish = _LIMITS[keyword].format(literal(bound))
    counts = keyword.endswith(("Length", "Items")) and bound is not True
    return wish.removesuffix("s") if counts and bound == 1 else wish


def _times(schema: dict[str, Any]) -> str:
    """Return how often `contains` has to hold, "" for once at least."""
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if most is not None:
        return f" {least} to {most} times"
    return f" at least {least} times" if least != 1 else ""


def _joined(wishes: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(wishes))


def _alternatives(problem: Problem) -> str:
    """Return the property that was meant, or those that there are."""
    parts = problem.place.parts()
    known = [
        name
        for part in parts
        for name, schema in (part.schema.get("properties") or {}).items()
        if schema is not False
    ]
    if near := _nearest(problem.name, [n for n in known if n not in problem.value]):
        return f"; did you mean {quote(near)}?"
    hints = [f"the properties are {quoted(dict.fromkeys(known))}"] if known else []
    patterns = [
        name for part in parts for name in part.schema.get("patternProperties", ())
    ]
    if patterns:
        hints.append(f"names may match {quoted(patterns)}")
    return f"; {', '.join(hints) or 'there are none here'}"


def _nearest(name: str, names: Collection[str]) -> str | None:
    if len(name) > _LONGEST_NAME:
        return None
    near = get_close_matches(
        name, [each for each in names if len(each) <= _LONGEST_NAME], 1
    )
    return near[0] if near else None
