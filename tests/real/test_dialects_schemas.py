"""The schemas of real servers, in every dialect."""

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from pegboard import InvalidArguments, ToolDefinition, dialects
from pegboard._arguments import ArgumentSchema, SchemaError

STRICT = (
    "openai_chat",
    "openai_responses",
    "anthropic",
    "bedrock",
    "mistral",
    "cohere",
)
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in dialects.NAMES),
    *((name, {"strict": True}) for name in STRICT),
    ("gemini", {"openapi": True}),
]
#: One variant for each way of writing a schema.
WAYS = [
    ("openai_responses", {}),
    ("openai_responses", {"strict": True}),
    ("anthropic", {"strict": True}),
    ("cohere", {"strict": True}),
    ("gemini", {}),
    ("gemini", {"openapi": True}),
    ("ollama", {}),
]


@pytest.fixture(scope="module")
def definitions(shared: Path) -> list[ToolDefinition]:
    text = (shared / "data" / "mcp-tools" / "tools.jsonl").read_text("utf-8")
    tools = [json.loads(line) for line in filter(None, text.split("\n"))]
    return [
        ToolDefinition(t["name"], t.get("description") or "", t["inputSchema"])
        for t in tools
    ]


def schema_of(tool: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one exported tool, wherever its dialect puts it."""
    for key in ("functionDeclarations", "toolSpec", "function", "inputSchema", "json"):
        inner = tool.get(key)
        tool = inner[0] if isinstance(inner, list) else inner or tool
    for key in ("parameters", "input_schema", "parametersJsonSchema"):
        if key in tool:
            return tool[key]
    return tool if "type" in tool else {"type": "object", "properties": {}}


def nodes(schema: Any, key: str = "root") -> Iterator[tuple[str, Any]]:
    """Yield every place of a schema that stands for a value."""
    if not isinstance(schema, dict):
        return
    yield key, schema
    for name in ("properties", "$defs", "patternProperties"):
        for inner, item in schema.get(name, {}).items():
            yield from nodes(item, inner)
    for name in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for item in schema.get(name, []):
            yield from nodes(item, name)
    for name in ("items", "additionalProperties"):
        yield from nodes(schema.get(name), name)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_every_tool_goes_through_every_dialect(definitions, name, options):
    """L2: what comes out is a valid schema of an object, typed at every place."""
    dialect = dialects.load(name)
    untyped = []
    for definition in definitions:
        [tool] = dialect.tools([definition], **options)
        schema = schema_of(tool)
        assert schema["type"] == "object"
        if name == "mcp":
            continue  # the protocol carries JSON Schema as it is
        jsonschema_rs.validator_for(_plain(schema), offline=True)
        assert not {"anyOf", "oneOf", "allOf", "not", "enum"} & set(schema)
        untyped += [
            (definition.name, place, node)
            for place, node in nodes(schema)
            if not _TYPED & set(node) and node != {"not": {}}
        ]

    assert untyped == []


_TYPED = {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_what_a_provider_is_told_to_send_fits_the_tool(definitions, name, options):
    """L2: what an exported schema admits, the tool's own admits after A5.

    But for the limits that `losses` lists as described: those are taken out of the
    tool's own schema before, so that a loss that is not listed fails here.
    """
    dialect = dialects.load(name)
    wrong: list[Any] = []
    counts: Counter[str] = Counter()
    for definition in definitions:
        [tool] = dialect.tools([definition], **options)
        exported = _plain(schema_of(tool))
        own = _without(definition.input_schema, dialect.losses([definition], **options))
        try:
            fits = ArgumentSchema(own)
        except SchemaError:
            counts["not offered"] += 1
            continue
        admits = jsonschema_rs.validator_for(exported, offline=True).is_valid
        make = Maker(definition.name, exported)
        for _ in range(2):
            value = make.value(exported, 0)
            if not admits(value):
                counts["not made"] += 1
            elif not fits.is_valid(value):
                try:
                    fits.fit(value)
                except InvalidArguments as error:
                    wrong.append((definition.name, value, str(error)))
            counts["made"] += 1

    assert wrong == []
    assert counts["made"] > 5_000
    assert counts["not made"] < counts["made"] / 50


def _without(schema: Any, losses: list[dialects.Loss]) -> Any:
    """Return a tool's own schema without the limits that are only described."""
    made = copy.deepcopy(schema)
    for loss in losses:
        if loss.kind != "described":
            continue
        holder, place = None, made
        for step in loss.path:
            holder, place = place, place[step]
        if loss.keyword and isinstance(place, dict):
            aliases = {"prefixItems": ("prefixItems", "items"), "if": ("if",)}
            for keyword in aliases.get(loss.keyword, (loss.keyword,)):
                place.pop(keyword, None)
        elif holder is not None:
            holder[loss.path[-1]] = True
    return made


def _plain(schema: Any) -> Any:
    """Return an OpenAPI schema as JSON Schema; any other as it is."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _plain(item) for key, item in schema.items() if key != "nullable"}
    if schema.get("nullable") is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made


class Maker:
    """Makes values that a schema admits, most of the time."""

    def __init__(self, seed: str, root: dict[str, Any]) -> None:
        self.random = random.Random(seed)
        self.root = root

    def value(self, schema: Any, depth: int) -> Any:
        if not isinstance(schema, dict) or schema == {}:
            return "any"
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            return self.value(self.root["$defs"][name], depth + 1)
        for key in ("anyOf", "oneOf", "allOf"):
            if key in schema:
                arms = schema[key]
                arm = arms[-1] if depth > 8 else self.random.choice(arms)
                rest = {k: v for k, v in schema.items() if k != key}
                return self.value({**rest, **arm}, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        types = schema.get("type", "object")
        types = types if isinstance(types, list) else [types]
        kind = "null" if depth > 8 and "null" in types else self.random.choice(types)
        return getattr(self, f"_{kind}")(schema, depth)

    def _null(self, schema: dict[str, Any], depth: int) -> None:
        return None

    def _boolean(self, schema: dict[str, Any], depth: int) -> bool:
        return self.random.random() < 0.5

    def _integer(self, schema: dict[str, Any], depth: int) -> int:
        least = schema.get("exclusiveMinimum", schema.get("minimum", -3) - 1) + 1
        most = schema.get("exclusiveMaximum", schema.get("maximum", least + 9) + 1) - 1
        if least < most - 9:
            most = least + 9
        return self.random.randint(int(min(least, most)), int(most))

    def _number(self, schema: dict[str, Any], depth: int) -> float:
        if "exclusiveMinimum" in schema or "exclusiveMaximum" in schema:
            least = schema.get("exclusiveMinimum", schema.get("minimum", 0))
            most = schema.get("exclusiveMaximum", schema.get("maximum", least + 1))
            return (least + most) / 2
        least = schema.get("minimum", schema.get("maximum", 0) - 1)
        return self.random.uniform(least, schema.get("maximum", least + 1))

    def _string(self, schema: dict[str, Any], depth: int) -> str:
        samples = [
            "a",
            "Oslo",
            "2024-01-31",
            "12345678",
            "",
            "x y",
            "a@b.c",
            "0x" + "a" * 40,
        ]
        pattern = schema.get("pattern")
        least, most = schema.get("minLength", 0), schema.get("maxLength", 100)
        fitting = [
            text
            for text in (sample.ljust(least, "a") for sample in samples)
            if least <= len(text) <= most and (not pattern or _matches(pattern, text))
        ]
        return self.random.choice(fitting or [""])

    def _array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        heads = [self.value(item, depth + 1) for item in schema.get("prefixItems", [])]
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", least + 2)
        size = least if depth > 6 else self.random.randint(least, min(most, least + 2))
        items = schema.get("items", {})
        if items is False:
            return heads
        rest = [self.value(items, depth + 1) for _ in range(size - len(heads))]
        return heads[: schema.get("maxItems", 99)] + rest

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", [])
        made = {
            name: self.value(item, depth + 1)
            for name, item in schema.get("properties", {}).items()
            if name in required or (depth < 6 and self.random.random() < 0.6)
        }
        further = schema.get("additionalProperties", False)
        if isinstance(further, dict) and self.random.random() < 0.5:
            made["further"] = self.value(further, depth + 1)
        for name in required:
            made.setdefault(name, "any")
        return made


def _matches(pattern: str, text: str) -> bool:
    schema = {"type": "string", "pattern": pattern}
    return jsonschema_rs.validator_for(schema).is_valid(text)


def test_the_page_shows_what_each_dialect_keeps(definitions):
    """The table of docs/dialects.md is what these tools' schemas become."""
    rows = [_row(definitions, *way) for way in [("openai_chat", {}), *WAYS]]
    page = Path(__file__).parents[2] / "docs" / "dialects.md"

    assert "\n".join(rows) in page.read_text("utf-8")


def _row(definitions: list[ToolDefinition], name: str, options: dict[str, Any]) -> str:
    """Return exact, lossy and refused tools, and what is lost or why, most first."""
    dialect = dialects.load(name)
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for definition in definitions:
        found = dialect.losses([definition], **options)
        refused = [loss for loss in found if loss.kind == "refused"]
        counts["refused" if refused else "lossy" if found else "exact"] += 1
        reasons.update(loss.message.partition(": ")[2] for loss in refused)
        if not refused:
            lost.update({f"`{loss.keyword}`" for loss in found})
    title = f"`{name}`, `{next(iter(options))}`" if options else f"`{name}`"
    numbers = [f"{counts[kind]:,}" for kind in ("exact", "lossy", "refused")]
    tops = [
        ", ".join(f"{what} {n:,}" for what, n in sorted(c.items(), key=_most)[:3])
        for c in (lost, reasons)
    ]
    return f"| {' | '.join([title, *numbers, *tops])} |"


def _most(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
