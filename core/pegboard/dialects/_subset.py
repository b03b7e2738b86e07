"""What each provider takes of JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

_VALUES = frozenset("type enum description properties required items".split())
_RANGES = frozenset("minimum maximum minItems maxItems".split())
_BOUNDS = frozenset("exclusiveMinimum exclusiveMaximum multipleOf".split())
_FORMATS = frozenset(
    "date-time time date duration email hostname ipv4 ipv6 uuid".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """The part of JSON Schema that a provider takes.

    Attributes:
        title: What to call it in a message.
        keywords: What a node may say; None means everything.
        formats: The formats that may be named; None means all.
        refs: Whether `$ref` stays, stays only where it recurses, or never stays.
        lone_refs: Whether nothing may stand beside `$ref`.
        recursion: Whether a schema may lead back to itself.
        closed: Whether every object names all its properties.
        complete: Whether every property is required, an optional one nullable.
        openapi: Whether a node has one type and `nullable`, and only texts have `enum`.
        one_type: Whether a node has one type; several are alternatives.
        most_min_items: The largest `minItems` that may be said; None means any.
        any_value: Whether a place can be left open to every type.
        enums: The types of value that `enum` may hold; None means all.
        lookaround: Whether patterns may look ahead or behind.
        needs_required: Whether a tool must have a required property.
        max_depth: Most levels of nesting.
        max_properties: Most properties, over all objects of a tool.
        most: What all tools of a request may use up together -> its most.
    """

    title: str
    keywords: frozenset[str] | None = None
    formats: frozenset[str] | None = None
    refs: Literal["keep", "recursive", "never"] = "keep"
    lone_refs: bool = False
    recursion: bool = True
    closed: bool = False
    complete: bool = False
    openapi: bool = False
    one_type: bool = False
    most_min_items: int | None = None
    any_value: bool = True
    enums: tuple[type, ...] | None = None
    lookaround: bool = True
    needs_required: bool = False
    max_depth: int = 1_000
    max_properties: int = 100_000
    most: Mapping[str, int] = field(default_factory=dict)

    def takes(self, keyword: str) -> bool:
        """Tell whether a node may say this keyword."""
        return self.keywords is None or keyword in self.keywords


#: All of JSON Schema, made such that no provider stumbles over it: an object at the
#: root without alternatives beside it, a type at every place, items of every array.
PORTABLE = Subset(title="JSON Schema")

#: Source: the structured-output guide as the profiles of pydantic-ai 2.68 cite it, and
#: `openai.lib._pydantic`.
OPENAI_STRICT = Subset(
    title="OpenAI's strict mode",
    keywords=_VALUES
    | _RANGES
    | _BOUNDS
    | {"additionalProperties", "anyOf", "const", "pattern", "format", "$ref"},
    formats=_FORMATS,
    lone_refs=True,
    closed=True,
    complete=True,
    any_value=False,
    lookaround=False,
    max_depth=10,
    max_properties=5_000,
)

#: Source: `anthropic.transform_schema` of anthropic 2.14, and the limits that
#: pydantic-ai 2.68 verified.
ANTHROPIC_STRICT = Subset(
    title="Anthropic's strict mode",
    keywords=_VALUES
    | {"additionalProperties", "anyOf", "const", "format", "minItems", "$ref"},
    formats=_FORMATS | {"uri"},
    lone_refs=True,
    recursion=False,
    closed=True,
    one_type=True,
    most_min_items=1,
    any_value=False,
    enums=(str, int, float, bool, type(None)),
    most={"tools": 20, "optional properties": 24, "places of several types": 16},
)

#: Bedrock documents the same subset and no limits of a request.
BEDROCK_STRICT = replace(ANTHROPIC_STRICT, title="Bedrock's strict mode", most={})

#: Source: `GenerateContentConfig.response_json_schema` of google-genai 3.6. Other
#: keywords are ignored by the server, so they go into the description.
GEMINI = Subset(
    title="Gemini's JSON Schema",
    keywords=_VALUES
    | _RANGES
    | {"additionalProperties", "prefixItems", "anyOf", "format", "title", "$ref"},
    refs="recursive",
    lone_refs=True,
    enums=(str, int, float),
)

#: Source: `types.Schema` of google-genai 3.6, which refuses any other key.
GEMINI_OPENAPI = Subset(
    title="Gemini's OpenAPI schema",
    keywords=_VALUES
    | _RANGES
    | frozenset("anyOf format title minLength maxLength pattern".split())
    | {"minProperties", "maxProperties"},
    formats=frozenset(("date-time", "float", "double", "int32", "int64")),
    refs="never",
    openapi=True,
    enums=(str,),
)

#: Source: the structured-output guide of Cohere's API v2.
COHERE_STRICT = Subset(
    title="Cohere's strict mode",
    keywords=_VALUES | {"anyOf", "const", "pattern", "format", "$ref"},
    formats=frozenset(("date-time", "date", "time", "uuid")),
    lone_refs=True,
    any_value=False,
    lookaround=False,
    needs_required=True,
    most={"properties": 200},
)

#: Source: `api.ToolProperty` of the Ollama server, which drops any other key.
OLLAMA = Subset(title="Ollama's schema", keywords=_VALUES | {"anyOf"}, refs="never")
