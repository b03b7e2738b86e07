"""One sentence for each thing that does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple

from pegboard._arguments.places import ALL_KINDS, Place
from pegboard._arguments.wording import Path, got, literal, one_of, quote, quoted, where

_LONGEST_NAME = 100  # characters of a name for which a nearest one is sought
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters long",
    "maxLength": "at most {} characters long",
    "pattern": "a text that matches {}",
    "minItems": "an array of at least {} elements",
    "maxItems": "an array of at most {} elements",
    "uniqueItems": "an array without equal elements",
    "minProperties": "an object of at least {} properties",
    "maxProperties": "an object of at most {} properties",
}
_SHOWN_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


class Problem(NamedTuple):
    """One thing that does not fit.

    Attributes:
        path: Where it is.
        keyword: The keyword of the schema that is not met.
        text: The sentence for the model.
    """

    path: Path
    keyword: str
    text: str


def expected(place: Place, depth: int = 4) -> str:
    """Return what a place wants, in a few words."""
    schema = place.schema
    if not isinstance(schema, dict) or depth == 0:
        return "another value"
    if isinstance(schema.get("enum"), list):
        return one_of(schema["enum"])
    if "const" in schema:
        return literal(schema["const"])
    if target := place.target():
        return expected(target, depth - 1)
    for keyword in ("anyOf", "oneOf"):
        if arms := place.listed(keyword):
            return _any_of(expected(arm, depth - 1) for arm in arms)
    if place.kinds == ALL_KINDS:
        return "another value"
    names = sorted(place.kinds - ({"integer"} if "number" in place.kinds else set()))
    return (
        " or ".join([*names[:-1], _limited(names[-1], schema)]) if names else "nothing"
    )


def mismatch(place: Place, value: Any, path: Path, *, secret: bool) -> Problem:
    """Return the problem of a value of the wrong type, or of none of the values."""
    keyword = next((k for k in ("enum", "const") if k in place.schema), "type")
    return Problem(
        path,
        keyword,
        f"{where(path)}: expected {expected(place)}, got {got(value, secret=secret)}",
    )


def limit(
    place: Place, keyword: str, value: Any, path: Path, *, secret: bool
) -> Problem:
    """Return the problem of a value that one assertion refuses."""
    if keyword in ("enum", "const"):
        return mismatch(place, value, path, secret=secret)
    bound = place.schema[keyword]
    if isinstance(bound, bool) and keyword != "uniqueItems":  # draft 4
        keyword = keyword.replace("exclusiveM", "m")
        wish = f"other than {literal(place.schema.get(keyword))}"
    else:
        wish = _LIMITS[keyword].format(literal(bound))
    length = f" of {len(value)} characters" if keyword.endswith("Length") else ""
    came = got(value, secret=secret) if not length else f"one{length}"
    return Problem(path, keyword, f"{where(path)}: expected {wish}, got {came}")


def missing(place: Place, name: str, path: Path, because: str | None = None) -> Problem:
    """Return the problem of a property that has to be there."""
    wanted = ""
    if because is not None:
        wanted = f"; {quote(because)} needs it"
    elif name in (place.schema.get("properties") or ()):
        wanted = f"; expected {expected(place.child('properties', name))}"
    path = (*path, name)
    return Problem(path, "required", f"{where(path)}: required, but missing{wanted}")


def unknown(place: Place, name: str, given: Iterable[str], path: Path) -> Problem:
    """Return the problem of a property that may not be there."""
    known = [each for each, schema in _declared(place) if schema is not False]
    taken = set(given)
    free = [each for each in known if each not in taken]
    near = get_close_matches(name, free, 1) if len(name) <= _LONGEST_NAME else []
    if near:
        hint = f"; did you mean {quote(near[0])}?"
    else:
        hint = f"; the properties are {quoted(known)}" if known else ""
    path = (*path, name)
    return Problem(
        path, "additionalProperties", f"{where(path)}: no such property{hint}"
    )


def misnamed(names: Place, name: str, path: Path) -> Problem:
    """Return the problem of a property whose name does not fit."""
    return Problem(
        (*path, name),
        "propertyNames",
        f"{where(path)}: {quote(name)} is no name for a property; "
        f"expected {expected(names)}",
    )


def unwanted(path: Path) -> Problem:
    """Return the problem of a value where none may be."""
    return Problem(path, "false", f"{where(path)}: no value is allowed here")


def forbidden(path: Path, value: Any) -> Problem:
    """Return the problem of a value that `not` excludes."""
    return Problem(
        path, "not", f"{where(path)}: {got(value)} is excluded by the schema"
    )


def ambiguous(path: Path, value: Any) -> Problem:
    """Return the problem of a value that fits more than one arm of `oneOf`."""
    fact = f"{got(value)} fits more than one of the shapes, of which one is wanted"
    return Problem(path, "oneOf", f"{where(path)}: {fact}")


def other(place: Place, value: Any, path: Path) -> Problem:
    """Return the problem of a value that no other sentence is about."""
    del place
    return Problem(path, "", f"{where(path)}: {got(value)} does not fit the schema")


def _declared(place: Place) -> Iterable[tuple[str, Any]]:
    return (place.schema.get("properties") or {}).items()


def _any_of(wishes: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(wishes))


def _limited(name: str, schema: dict[str, Any]) -> str:
    limits = [
        _LIMITS[keyword].format(literal(schema[keyword]))
        for keyword in _SHOWN_LIMITS
        if keyword in schema and not isinstance(schema[keyword], bool)
    ]
    return " ".join([name, " and ".join(limits)]) if limits else name
