"""Schemas written anew such that a provider takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard._frozen import thaw
from pegboard.dialects import _lists, _objects, _unions, _values
from pegboard.dialects._layers import Gatherer
from pegboard.dialects._place import (
    ANNOTATIONS,
    CONSTRAINTS,
    LIMITS_OF,
    Json,
    Layer,
    Place,
    Schemas,
    constraints,
    types_of,
)
from pegboard.dialects._reshaping import to_one_type, to_openapi
from pegboard.dialects._subset import Subset
from pegboard.dialects._unions import distribute
from pegboard.dialects._values import LIMITS
from pegboard.dialects.losses import Path

#: Most places written of one schema; beyond, references are not followed.
MAX_PLACES = 5_000
#: Most places between the root and any other.
MAX_DEPTH = 64
#: Keywords that have been written, or are said by what was written.
_WRITTEN = frozenset(
    (
        *("type", "enum", "const", "properties", "required", "additionalProperties"),
        *("patternProperties", "items", "prefixItems", "additionalItems", "$ref"),
        *("anyOf", "oneOf", "allOf", *LIMITS, *ANNOTATIONS, "$defs", "definitions"),
        *("$schema", "$id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary"),
    )
)
#: Keywords that say nothing without another.
_CONDITIONAL = frozenset(("then", "else", "minContains", "maxContains"))


class Writer(Gatherer):
    """Writes one tool's schema for one subset."""

    def __init__(self, tool: str, schema: Mapping[str, Any], subset: Subset) -> None:
        super().__init__(tool, schema, subset)
        self._schema = schema
        self._places = 0

    def write_root(self) -> tuple[Json, list[str]]:
        """Return the whole schema, and what its root can no longer say, in words.

        Raises:
            Refused: the subset cannot say it.
        """
        place = self.gather([(self._schema, ())], frozenset(), 0)
        _objects.write_root(self, place)
        self._keep_others(place)
        self._annotate(place)
        notes, place.notes = place.notes, []
        made = place.finish()
        if self.definitions:
            made["$defs"] = self.definitions
        return made, notes

    def write(self, schemas: Schemas, parent: Place) -> Json:
        """Return one node that fits all the schemas at once.

        Raises:
            Refused: the subset cannot say it.
        """
        found = list(schemas)
        made = self.try_write(found, parent)
        if made is not None:
            return made
        if self.subset.takes("not"):
            return {"not": {}}
        for _, path in found:
            self.lose(parent, "", False, path, message="no value fits in it")
        return {"type": "null"}

    def try_write(self, schemas: Schemas, parent: Place) -> Json | None:
        """Return one node that fits all the schemas at once, None if nothing fits.

        Raises:
            Refused: the subset cannot say it.
        """
        self._places += 1
        place = self.gather(schemas, parent.open, parent.depth + 1)
        if place.depth > MAX_DEPTH or self._places > MAX_PLACES:
            self._leave_out(place)
        elif not place.impossible:
            self._write_body(place)
        if place.impossible:
            return None
        self._annotate(place)
        if self.subset.openapi:
            place.made = to_openapi(place.made)
        elif self.subset.one_type:
            place.made = to_one_type(place.made)
        return place.finish()

    def _write_body(self, place: Place) -> None:
        if place.reference is not None:
            place.made["$ref"] = f"#/$defs/{place.reference}"
            if self.subset.lone_refs or not _constraints(place):
                self._write_lone_reference(place)
                return
        if not self.subset.takes("oneOf") and distribute(self, place):
            return
        _values.write(self, place)
        if not place.impossible:
            _objects.write(self, place)
            _lists.write(self, place)
            _unions.write(self, place)
            self._keep_others(place)

    def _leave_out(self, place: Place) -> None:
        types = [name for s, _ in place.layers for name in types_of(s) or ()]
        place.made["type"] = types[0] if types else "object"
        if "array" in types[:1]:
            place.made["items"] = {"type": "string"}
        message = "shape left out: too deep"
        self.lose(place, "", None, place.path, message=message)

    def _write_lone_reference(self, place: Place) -> None:
        for keyword, (schema, path) in _constraints(place):
            self.lose(place, keyword, schema[keyword], path)
        if self.subset.lone_refs and (place.notes or place.says("description")):
            place.made = {"anyOf": [place.made]}

    def _keep_others(self, place: Place) -> None:
        """Keep the keywords that are not rewritten, or put them into words."""
        keeps = self.subset.keywords is None
        for number, (schema, path) in enumerate(place.layers):
            for keyword, value in schema.items():
                if keyword in _WRITTEN or (keyword == "not" and not place.depth):
                    continue
                if keeps and not (number and keyword in CONSTRAINTS):
                    copied = self._copy(value, (*path, keyword))
                    place.made.setdefault(keyword, copied)
                elif keyword in CONSTRAINTS and keyword not in _CONDITIONAL:
                    self._lose_other(place, keyword, (schema, path))

    def _lose_other(self, place: Place, keyword: str, layer: Layer) -> None:
        schema, path = layer
        value = schema[keyword]
        limited = LIMITS_OF.get(keyword)
        if limited and place.types and limited not in place.types:
            return
        if keyword == "unevaluatedProperties" and self.subset.closed:
            return
        if keyword == "if":
            value = {k: schema[k] for k in ("if", "then", "else") if k in schema}
        self.lose(place, keyword, value, path)

    def _copy(self, value: Any, path: Path) -> Any:
        """Return a copy whose references lead to the definitions written here."""
        if isinstance(value, Mapping):
            made = {key: self._copy(item, (*path, key)) for key, item in value.items()}
            found = self.references.find(value.get("$ref"))
            if found:
                made["$ref"] = f"#/$defs/{self.define(*found)}"
            return made
        if isinstance(value, list):
            return [self._copy(item, (*path, i)) for i, item in enumerate(value)]
        return value

    def _annotate(self, place: Place) -> None:
        for keyword in ANNOTATIONS:
            value = place.first(keyword)
            if value is None or keyword in place.made:
                continue
            if self.subset.takes(keyword):
                place.made[keyword] = thaw(value)
            elif keyword in ("default", "examples") and value not in ("", [], {}):
                place.note(keyword, value)


def _constraints(place: Place) -> list[tuple[str, Layer]]:
    return [(key, layer) for layer in place.layers for key in constraints(layer[0])]
