"""References inside one schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from pegboard.dialects.losses import Path

#: Keywords whose value maps names to schemas.
NAMED = (
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
)
#: Keywords whose value is a list of schemas.
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
#: Keywords whose value is one schema.
SINGLE = (
    "items",
    "additionalItems",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LEGACY = re.compile(r"draft-0[3-7]")


class References:
    """Finds what the references of one schema name, and nothing outside it."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._targets: dict[str, tuple[Any, Path] | None] = {}
        self._loops: dict[Path, bool] = {}
        #: Whether what stands beside a `$ref` says nothing (draft 7 and older).
        self.alone = bool(_LEGACY.search(str(root.get("$schema"))))

    def find(self, reference: Any) -> tuple[Any, Path] | None:
        """Return the schema that a reference names, with its path, None if none."""
        if not isinstance(reference, str):
            return None
        if reference not in self._targets:
            self._targets[reference] = self._find(reference)
        return self._targets[reference]

    def _find(self, reference: str) -> tuple[Any, Path] | None:
        base, _, fragment = reference.partition("#")
        if fragment.startswith("/") or not fragment:
            if base and base != self._root.get("$id"):
                return self._named("$id", base) if not fragment else None
            return self._follow(unquote(fragment))
        return self._named("$anchor", fragment) or self._named(
            "$dynamicAnchor", fragment
        )

    def _follow(self, pointer: str) -> tuple[Any, Path] | None:
        place: Any = self._root
        path: list[str | int] = []
        for token in pointer.split("/")[1:]:
            token = token.replace("~1", "/").replace("~0", "~")
            if (
                isinstance(place, list)
                and token.isdecimal()
                and int(token) < len(place)
            ):
                path.append(int(token))
                place = place[int(token)]
            elif isinstance(place, Mapping) and token in place:
                path.append(token)
                place = place[token]
            else:
                return None
        return (place, tuple(path)) if isinstance(place, (Mapping, bool)) else None

    def _named(self, keyword: str, name: str) -> tuple[Any, Path] | None:
        todo: list[tuple[Any, Path]] = [(self._root, ())]
        while todo:
            schema, path = todo.pop()
            if isinstance(schema, Mapping):
                if schema.get(keyword) == name:
                    return schema, path
                todo += parts(schema, path)
        return None

    def is_loop(self, path: Path) -> bool:
        """Tell whether the schema at a path leads back to itself."""
        if path not in self._loops:
            self._loops[path] = path in self._reached(path)
        return self._loops[path]

    def _reached(self, path: Path) -> set[Path]:
        """Return the paths of all that lies in or behind the schema at a path."""
        place: Any = self._root
        for key in path:
            place = place[key]
        found: set[Path] = set()
        todo = self._next(place, path)
        while todo:
            schema, at = todo.pop()
            if at not in found:
                found.add(at)
                todo += self._next(schema, at)
        return found

    def _next(self, schema: Any, path: Path) -> list[tuple[Any, Path]]:
        if not isinstance(schema, Mapping):
            return []
        target = self.find(schema.get("$ref"))
        return [*parts(schema, path), *([target] if target else [])]


def parts(schema: Mapping[str, Any], path: Path) -> Iterator[tuple[Any, Path]]:
    """Yield the schemas right inside a schema, with their paths; not `$defs`."""
    for key, value in schema.items():
        if key in NAMED and not key.startswith(("$defs", "definitions")):
            if isinstance(value, Mapping):
                yield from ((item, (*path, key, name)) for name, item in value.items())
        elif key in LISTED or (key == "items" and isinstance(value, list)):
            if isinstance(value, list):
                yield from ((item, (*path, key, i)) for i, item in enumerate(value))
        elif key in SINGLE:
            yield value, (*path, key)
