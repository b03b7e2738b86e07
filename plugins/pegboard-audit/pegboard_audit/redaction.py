"""JSON values without their secrets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from fnmatch import translate
from typing import Any
from urllib.parse import unquote
from uuid import UUID

Place = tuple[str | int, ...]

HIDDEN = "***"
DEEPEST = 100
LONGEST_TEXT = 4096
LARGEST_INTEGER = 2**14_000  # json writes integers of up to 4,300 digits

#: The schema of a place whose own one cannot be looked up: it may well be secret.
UNKNOWN = {"writeOnly": True}

REFERENCES = {"$ref", "$dynamicRef", "$recursiveRef"}
SAME_PLACE = ("allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas")
OTHER_MEMBERS = ("additionalProperties", "unevaluatedProperties")
ANY_ELEMENT = ("items", "prefixItems", "additionalItems", "unevaluatedItems")


class Redactor:
    """Copies JSON values without what is secret by its key or by its schema.

    Args:
        globs: Which keys are secret, at any depth, whatever their case.
    """

    def __init__(self, globs: Iterable[str]) -> None:
        patterns = [translate(glob.casefold()) for glob in globs]
        self._secret = re.compile("|".join(patterns) or r"(?!)")

    def redact(self, value: Any, schema: Any = None) -> Any:
        """Return a copy of a value that is JSON for certain and holds no secret.

        Args:
            value: Any value; what no JSON can hold becomes `<TypeName>`, a text of
                more than 4,096 characters is cut.
            schema: The JSON Schema of the value, if there is one.
        """
        return self._copy(value, [schema], schema, DEEPEST)

    def redact_at(self, path: Place, value: Any, schema: Any = None) -> Any:
        """Return what `redact` makes of a value at a place inside a larger one."""
        for step in reversed(path):
            value = {step: value} if isinstance(step, str) else [value]
        value = self.redact(value, schema)
        for step in path:
            if not isinstance(value, (dict, list)):
                break
            value = value[step] if isinstance(value, dict) else value[0]
        return value

    def _copy(self, value: Any, schemas: list[Any], root: Any, depth: int) -> Any:
        if not isinstance(value, (Mapping, list, tuple)):
            return _scalar(value)
        if depth == 0:
            return f"<{type(value).__name__}>"
        places = list(_expand(schemas, root))
        if not isinstance(value, Mapping):
            inner = _element_schemas(places)
            hidden = _is_secret(inner, root)
            return [
                HIDDEN if hidden else self._copy(item, inner, root, depth - 1)
                for item in value
            ]
        copy = {}
        for key, item in zip(map(str, value), value.values(), strict=True):
            inner = _member_schemas(places, key)
            hidden = bool(self._secret.match(key.casefold())) or _is_secret(inner, root)
            copy[key] = HIDDEN if hidden else self._copy(item, inner, root, depth - 1)
        return copy


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        cut = len(value) > LONGEST_TEXT
        return f"{value[:LONGEST_TEXT]}... ({len(value)} characters)" if cut else value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < LARGEST_INTEGER:
        return int(value)
    if isinstance(value, (UUID, date)):
        return str(value)
    return f"<{type(value).__name__}>"


def _is_secret(schemas: list[Any], root: Any) -> bool:
    return any(
        schema.get("writeOnly") is True or schema.get("format") == "password"
        for schema in _expand(schemas, root)
    )


def _expand(schemas: list[Any], root: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every schema that has a say about the place that `schemas` describe."""
    seen = set()
    waiting = list(schemas)
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema
        waiting += [_resolve(schema[name], root) for name in REFERENCES & schema.keys()]
        for keyword in SAME_PLACE:
            waiting += _schemas(keyword, schema)


def _resolve(reference: Any, root: Any) -> Any:
    target = root
    try:
        start, *steps = unquote(reference).split("/")
        if start != "#":
            raise KeyError(reference)
        for step in steps:
            name = step.replace("~1", "/").replace("~0", "~")
            target = target[int(name) if isinstance(target, list) else name]
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        return UNKNOWN
    return target


def _member_schemas(places: list[Mapping[str, Any]], key: str) -> list[Any]:
    found: list[Any] = []
    for schema in places:
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and key in properties:
            found.append(properties[key])
        else:
            found += [schema.get(keyword) for keyword in OTHER_MEMBERS]
        # Every pattern counts, whether or not it fits: rather one value too few.
        found += _schemas("patternProperties", schema)
    return found


def _element_schemas(places: list[Mapping[str, Any]]) -> list[Any]:
    return [
        inner
        for schema in places
        for keyword in ANY_ELEMENT
        for inner in _schemas(keyword, schema)
    ]


def _schemas(keyword: str, schema: Mapping[str, Any]) -> list[Any]:
    value = schema.get(keyword)
    if isinstance(value, list):
        return value
    if keyword in ("patternProperties", "dependentSchemas"):
        return list(value.values()) if isinstance(value, Mapping) else []
    return [value]
