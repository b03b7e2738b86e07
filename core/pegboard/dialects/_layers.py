"""All the schemas that hold at one place: references followed, `allOf` taken apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

from pegboard.dialects._limits import words
from pegboard.dialects._place import (
    ANNOTATIONS,
    Json,
    Place,
    Refused,
    Schemas,
    constraints,
    types_of,
)
from pegboard.dialects._references import References
from pegboard.dialects._subset import Subset
from pegboard.dialects.losses import Loss, Path

_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_MAPPINGS = ("properties", "patternProperties")
_LISTS = ("required", "enum", "anyOf", "oneOf", "allOf", "prefixItems")
_NUMBERS = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties"),
    *("maxProperties", "minimum", "maximum", "multipleOf", *_BOUNDS),
)


class Gatherer(ABC):
    """Finds what holds at a place.

    Attributes:
        subset: What the provider takes.
        losses: What could not be said, in the order found.
        definitions: The definitions that references of the new schema name.
        narrowed: How often a place came out narrower than it was: a type was read
            from other keywords, or a list of anything holds no lists.
    """

    def __init__(self, tool: str, schema: Mapping[str, Any], subset: Subset) -> None:
        self.subset = subset
        self.losses: list[Loss] = []
        self.definitions: dict[str, Json] = {}
        self.narrowed = 0
        self.references = References(schema)
        self._tool = tool
        self._names: dict[Path, str] = {}

    @abstractmethod
    def write(self, schemas: Schemas, parent: Place) -> Json:
        """Return one node that fits all the schemas at once."""

    def gather(self, schemas: Schemas, open: frozenset[Path], depth: int) -> Place:
        """Return the place where all the schemas hold at once."""
        place = Place(open, depth)
        kept: list[tuple[Any, Path]] = []
        todo = list(schemas)
        while todo or kept:
            if not todo:
                todo, kept = self._settle(place, kept), []
                continue
            schema, path = todo.pop(0)
            if schema is False:
                place.impossible = True
            if not isinstance(schema, Mapping):
                continue
            schema = modern(schema, alone=self.references.alone)
            place.layers.append((schema, path))
            if "$ref" in schema:
                todo[:0] = self._follow(place, schema, path, kept)
            if not depth or not self.subset.takes("allOf"):
                arms = enumerate(schema.get("allOf", ()))
                todo += [(arm, (*path, "allOf", i)) for i, arm in arms]
        return place

    def _follow(
        self,
        place: Place,
        schema: Mapping[str, Any],
        path: Path,
        kept: list[tuple[Any, Path]],
    ) -> list[tuple[Any, Path]]:
        """Return what a reference leads to, unless it stays one."""
        reference = schema["$ref"]
        found = self.references.find(reference)
        if found is None:
            message = f"leads nowhere: {reference}"
            self.lose(place, "$ref", reference, path, message=message)
            return []
        target, at = found
        if any(path == at for _, path in place.layers):
            return []  # it holds here already
        if place.depth and self._keeps(at):
            kept.append(found)
            return []
        if at not in place.open or not self.references.is_loop(at):
            place.open |= {at}
            return [found]
        message = f"shaped like {_name(at)} again"
        self.lose(place, "$ref", reference, path, message=message)
        types = types_of(target) if isinstance(target, Mapping) else None
        return [({"type": types}, at)] if types else []

    def _keeps(self, path: Path) -> bool:
        if not self.subset.recursion and self.references.is_loop(path):
            raise Refused("a schema that leads back to itself", path)
        return self.subset.refs == "keep" or (
            self.subset.refs == "recursive" and self.references.is_loop(path)
        )

    def _settle(
        self, place: Place, kept: list[tuple[Any, Path]]
    ) -> list[tuple[Any, Path]]:
        """Let one reference stand, and return those that must be followed after all."""
        beside = self.subset.lone_refs and any(
            constraints(schema) for schema, _ in place.layers
        )
        if len(kept) == 1 and place.reference is None and not beside:
            place.reference = self.define(*kept[0])
            return []
        followed = []
        for path, target in {path: target for target, path in kept}.items():
            if path not in place.open or not self.references.is_loop(path):
                place.open |= {path}
                followed.append((target, path))
            elif place.reference is None:
                place.reference = self.define(target, path)
            else:
                message = f"shaped like {_name(path)} as well"
                self.lose(place, "$ref", None, place.path, message=message)
        return followed

    def define(self, target: Any, path: Path) -> str:
        """Return the name of the definition that a schema is written under."""
        if path in self._names:
            return self._names[path]
        name = base = _name(path)
        count = 1
        while name in self.definitions:
            count += 1
            name = f"{base}_{count}"
        self._names[path] = name
        self.definitions[name] = {}  # so that a loop ends here
        self.definitions[name] = self.write([(target, path)], Place(frozenset(), 0))
        return name

    def lose(
        self,
        place: Place,
        keyword: str,
        value: Any,
        path: Path,
        *,
        kind: Literal["described", "narrowed"] = "described",
        message: str | None = None,
    ) -> None:
        """Record that a node cannot say a keyword; described ones go into words."""
        text = words(keyword, value) if message is None else message
        if kind == "described" and text not in place.notes:
            place.notes.append(text)
        loss = Loss(self._tool, kind, path, keyword, text)
        if loss not in self.losses:
            self.losses.append(loss)


def modern(schema: Mapping[str, Any], *, alone: bool) -> Mapping[str, Any]:
    """Return a node in the words of draft 2020-12, without what is malformed.

    Args:
        schema: A node.
        alone: Whether keywords beside `$ref` say nothing.
    """
    made = {key: item for key, item in schema.items() if _is_well_formed(key, item)}
    if alone and "$ref" in made:
        return {key: made[key] for key in ("$ref", *ANNOTATIONS) if key in made}
    for keyword, bound in _BOUNDS.items():
        if made.get(keyword) is True and bound in made:
            made[keyword] = made.pop(bound)
        elif isinstance(made.get(keyword), bool):
            del made[keyword]
    if made.get("additionalProperties") == {}:
        made["additionalProperties"] = True
    if isinstance(made.get("items"), list):
        made["prefixItems"] = made.pop("items")
        if "additionalItems" in made:
            made["items"] = made.pop("additionalItems")
    return made


def _is_well_formed(keyword: str, value: Any) -> bool:
    if keyword in _MAPPINGS:
        return isinstance(value, Mapping)
    if keyword in _LISTS:
        return isinstance(value, list) and (
            bool(value) or keyword in ("required", "enum")
        )
    if keyword in ("pattern", "format", "$ref", "description", "title"):
        return isinstance(value, str)
    if keyword in _NUMBERS:
        return isinstance(value, (int, float))
    return value is not None or keyword in ("const", "default")


def _name(path: Path) -> str:
    """Return a name for the definition at a path."""
    last = str(path[-1]) if path else "root"
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in last) or "part"
