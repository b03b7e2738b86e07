"""Invented schemas: whatever they say, what a provider may send fits the tool."""

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pegboard import InvalidArguments, ToolDefinition
from pegboard._arguments import ArgumentSchema, SchemaError
from pegboard.dialects import _subset
from pegboard.dialects._export import export
from pegboard.dialects._place import Refused, type_of

SUBSETS = [
    _subset.PORTABLE,
    _subset.OPENAI_STRICT,
    _subset.ANTHROPIC_STRICT,
    _subset.COHERE_STRICT,
    _subset.GEMINI,
    _subset.GEMINI_OPENAPI,
    _subset.OLLAMA,
]
WORDS = st.sampled_from(["a", "b", "ab", ""])
NUMBERS = st.integers(0, 4)
SCALARS = WORDS | NUMBERS | st.booleans() | st.none()
LEAVES = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"minLength": NUMBERS, "maxLength": NUMBERS, "pattern": st.just("^a")},
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={
            "minimum": NUMBERS,
            "maximum": NUMBERS,
            "exclusiveMinimum": NUMBERS,
            "exclusiveMaximum": NUMBERS,
            "multipleOf": st.integers(1, 2),
        },
    ),
    st.builds(dict, type=st.sampled_from([["string", "null"], ["integer", "string"]])),
    st.builds(dict, enum=st.lists(SCALARS, min_size=1, max_size=3)),
    st.builds(dict, const=SCALARS),
    st.sampled_from(
        [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"type": "boolean"}]
    ),
    st.sampled_from([{}, True, {"type": "null"}, {"not": {"type": "string"}}]),
)


def branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["p", "q", "r"])
    arms = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object")},
            optional={
                "properties": st.dictionaries(names, inner, max_size=3),
                "required": st.lists(names, unique=True, max_size=2),
                "additionalProperties": st.booleans() | inner,
                "minProperties": st.integers(0, 2),
            },
        ),
        st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={
                "items": inner,
                "prefixItems": arms,
                "minItems": st.integers(0, 2),
                "maxItems": st.integers(1, 3),
                "uniqueItems": st.booleans(),
            },
        ),
        st.builds(dict, anyOf=arms),
        st.builds(dict, oneOf=arms),
        st.builds(dict, allOf=arms),
        st.builds(dict, anyOf=arms, allOf=arms),
        st.builds(dict, properties=st.dictionaries(names, inner), anyOf=arms),
    )


SCHEMAS = st.recursive(LEAVES, branches, max_leaves=8)
ROOTS = st.builds(
    lambda x, y, a, b, beside: {
        "type": "object",
        "properties": {"x": x, "y": y},
        "required": ["x"],
        "$defs": {"A": a, "B": b},
        **beside,
    },
    SCHEMAS,
    SCHEMAS,
    # A definition holds its parts, so that no loop of references consumes nothing.
    st.builds(dict, type=st.just("object"), properties=st.builds(dict, p=SCHEMAS)),
    st.sampled_from(
        [
            {"type": "object", "properties": {"n": {"$ref": "#/$defs/B"}}},
            {"type": "array", "items": {"$ref": "#/$defs/A"}},
        ]
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "additionalProperties": st.booleans(),
            "anyOf": st.just([{"required": ["x"]}, {"required": ["y"]}]),
            "oneOf": st.lists(SCHEMAS, min_size=1, max_size=2),
        },
    ),
)


def values(schema: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return a strategy for values that the schema mostly admits."""
    if not isinstance(schema, dict) or depth > 6:
        return SCALARS
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return values(root["$defs"][name], root, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            rest = {k: v for k, v in schema.items() if k != key}
            arms = [a if isinstance(a, dict) else {} for a in schema[key]]
            return st.one_of(*(values({**rest, **a}, root, depth + 1) for a in arms))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    kinds = {
        "string": lambda: WORDS | st.just("aaaa"),
        "integer": lambda: st.integers(-1, 6),
        "number": lambda: st.integers(-1, 6) | st.just(1.5),
        "boolean": st.booleans,
        "null": st.none,
        "array": lambda: _lists(schema, root, depth),
        "object": lambda: _objects(schema, root, depth),
    }
    return st.one_of(*(kinds[name]() for name in types)) if types else SCALARS


def _lists(schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    items = values(schema.get("items", {}), root, depth + 1)
    heads = [values(item, root, depth + 1) for item in schema.get("prefixItems", [])]
    rest = st.lists(items, min_size=schema.get("minItems", 0), max_size=3)
    return st.tuples(*heads).map(list) if heads else rest


def _objects(schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    members = {
        name: values(item, root, depth + 1)
        for name, item in schema.get("properties", {}).items()
    }
    required = {name: members.pop(name, SCALARS) for name in schema.get("required", [])}
    further = schema.get("additionalProperties", False)
    if isinstance(further, dict):
        members["further"] = values(further, root, depth + 1)
    return st.fixed_dictionaries(required, optional=members)


def without(schema: Any, losses: Any) -> Any:
    """Return a schema without the limits that are only described."""
    # Not deepcopy: parts that are one object would stay one.
    made = json.loads(json.dumps(schema))
    for loss in losses:
        holder, place = None, made
        try:
            for step in loss.path:
                holder, place = place, place[step]
        except (KeyError, TypeError):
            continue  # inside what was taken out already
        if loss.kind == "described" and loss.keyword and isinstance(place, dict):
            gone = loss.keyword in place
            value = place.pop(loss.keyword, None)
            if gone and loss.keyword in ("enum", "const"):  # their type stays said
                listed = value if loss.keyword == "enum" else [value]
                kinds = {type_of(v).replace("integer", "number") for v in listed}
                place.setdefault("type", sorted(kinds))
        elif loss.kind == "described" and holder is not None:
            holder[loss.path[-1]] = True
    return loosened(made) if any(loss.kind == "described" for loss in losses) else made


def loosened(schema: Any) -> Any:
    """Return a schema in which exactly one is at least one.

    Where arms lost what told them apart, more values fit two of them, not fewer.
    """
    if isinstance(schema, list):
        return [loosened(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: loosened(item) for key, item in schema.items() if key != "oneOf"}
    if "oneOf" in schema:
        arms = {"anyOf": loosened(schema["oneOf"])}
        made["allOf"] = [*made.get("allOf", []), arms]
    return made


def plain(schema: Any) -> Any:
    """Return an OpenAPI schema as JSON Schema; any other as it is."""
    if isinstance(schema, list):
        return [plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: plain(item) for key, item in schema.items() if key != "nullable"}
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") else made


@pytest.mark.parametrize("subset", SUBSETS, ids=lambda subset: subset.title)
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
@given(schema=ROOTS, data=st.data())
def test_what_a_rewritten_schema_admits_the_tool_admits(subset, schema, data):
    """L2: but for the limits listed as described, after our argument pipeline."""
    definition = ToolDefinition("t", "T.", schema)
    try:
        made = export(definition, subset)
    except Refused:
        assume(False)
    try:
        own = ArgumentSchema(without(schema, made.losses))
    except SchemaError:
        assume(False)
    exported = plain(made.schema)
    value = data.draw(values(exported, exported))
    assume(jsonschema_rs.validator_for(exported).is_valid(value))

    if not own.is_valid(value):
        try:
            own.fit(value)
        except InvalidArguments as error:
            pytest.fail(f"{value!r} of {made.schema!r} does not fit: {error}")
