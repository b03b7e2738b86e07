"""One place of a schema while it is written anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, Protocol

from pegboard.dialects._limits import words
from pegboard.dialects._subset import Subset
from pegboard.dialects.losses import Path

Layer = tuple[Mapping[str, Any], Path]
Json = dict[str, Any]

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
#: Every type, an integer being a number.
ALL_TYPES = ("string", "number", "boolean", "object", "array", "null")
#: Keyword -> the type of value that it limits.
LIMITS_OF = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), "number"),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), "number"),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "items"), "array"),
    **dict.fromkeys(("prefixItems", "contains", "unevaluatedItems"), "array"),
    **dict.fromkeys(("minProperties", "maxProperties", "properties"), "object"),
    **dict.fromkeys(("required", "additionalProperties"), "object"),
    **dict.fromkeys(("patternProperties", "propertyNames"), "object"),
    **dict.fromkeys(("dependentRequired", "dependentSchemas"), "object"),
    "unevaluatedProperties": "object",
}
#: Keywords that refuse values; what is no keyword of JSON Schema refuses none.
CONSTRAINTS = frozenset(LIMITS_OF) | frozenset(
    "type enum const anyOf oneOf not if then else dependencies minContains "
    "maxContains additionalItems".split()
)
#: The order in which a node says what it says: equal schemas, equal bytes.
ORDER = (
    *("$ref", "type", "nullable", "title", "description", "enum", "const", "format"),
    *("pattern", "minLength", "maxLength", "minimum", "maximum"),
    *("exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("properties", "patternProperties", "required", "additionalProperties"),
    *("prefixItems", "items", "minItems", "maxItems", "uniqueItems"),
    *("anyOf", "oneOf", "allOf"),
)
_RANK = {keyword: rank for rank, keyword in enumerate(ORDER)}
#: Keywords that only describe.
ANNOTATIONS = ("title", "description", "default", "examples")

Schemas = Iterable[tuple[Any, Path]]


class Pen(Protocol):
    """The writer, as the modules see it that write one kind of keyword each."""

    subset: Subset
    #: How often a place came out narrower than it was, without a loss worth listing.
    narrowed: int

    def gather(self, schemas: Schemas, open: frozenset[Path], depth: int) -> Place:
        """Return the place where all the schemas hold at once."""

    def write(self, schemas: Schemas, parent: Place) -> Json:
        """Return one node that fits all the schemas at once."""

    def try_write(self, schemas: Schemas, parent: Place) -> Json | None:
        """Return one node that fits all the schemas at once, None if nothing fits."""

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


class Refused(Exception):  # a refusal is an answer, not an error
    """A schema cannot be said in a subset."""

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.path = path


class Place:
    """What a schema says of one place, and what is to be said of it now.

    Attributes:
        layers: The schemas that hold here, all at once, each with its path.
        reference: The name of the definition that stays a reference.
        open: Paths of the references that lead here.
        depth: Places between the root and here.
        made: The node being written.
        notes: What the node can no longer say, in words.
        impossible: Whether no value fits.
    """

    __slots__ = (
        "depth",
        "impossible",
        "layers",
        "made",
        "notes",
        "open",
        "reference",
    )

    def __init__(self, open: frozenset[Path], depth: int) -> None:
        self.layers: list[Layer] = []
        self.reference: str | None = None
        self.open = open
        self.depth = depth
        self.made: Json = {}
        self.notes: list[str] = []
        self.impossible = False

    def values(self, keyword: str) -> Iterator[tuple[Any, Path]]:
        """Yield what each layer says under a keyword."""
        for schema, path in self.layers:
            if schema.get(keyword) is not None:
                yield schema[keyword], path

    def first(self, keyword: str) -> Any:
        """Return what the first layer says that uses a keyword, None if none does."""
        return next((value for value, _ in self.values(keyword)), None)

    def says(self, *keywords: str) -> bool:
        """Tell whether any layer uses one of the keywords."""
        return any(k in schema for schema, _ in self.layers for k in keywords)

    @property
    def path(self) -> Path:
        """The path of the first layer."""
        return self.layers[0][1] if self.layers else ()

    @property
    def types(self) -> list[str]:
        """The types written so far."""
        given = self.made.get("type", [])
        return given if isinstance(given, list) else [given]

    def note(self, keyword: str, value: Any) -> None:
        """Put what a keyword says into words."""
        self.notes.append(words(keyword, value))

    def finish(self) -> Json:
        """Return the node in its order, with the notes in its description."""
        if self.notes:
            given = self.made.get("description")
            note = f"[{'; '.join(self.notes)}]"
            self.made["description"] = f"{given} {note}" if given else note
        return in_order(self.made)


def in_order(node: Json) -> Json:
    """Return a node with its keywords in the fixed order."""
    last = len(_RANK)
    return dict(sorted(node.items(), key=lambda item: _RANK.get(item[0], last)))


def speaks_of(place: Place, kind: str, subset: Subset) -> bool:
    """Return whether keywords for one type of value are to be written in a place."""
    if place.types or subset.keywords is not None:
        return kind in place.types
    # A union or a reference beside them says the types, so they stand by themselves.
    found = (key for schema, _ in place.layers for key in constraints(schema))
    return any(LIMITS_OF.get(key) == kind for key in found)


def constraints(schema: Mapping[str, Any]) -> list[str]:
    """Return the keywords of a schema that refuse values, `$ref` and `allOf` aside."""
    return [keyword for keyword in schema if keyword in CONSTRAINTS]


def types_of(schema: Mapping[str, Any]) -> list[str] | None:
    """Return the types that a schema names, None if it names none."""
    given = schema.get("type")
    names = given if isinstance(given, list) else [given]
    known = [name for name in names if name in TYPES]
    return known or None


def type_of(value: Any) -> str:
    """Return the JSON Schema type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
