"""Our decision beside that of jsonschema, the reference implementation."""

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pegboard._arguments import ArgumentSchema, SchemaError, read_arguments
from pegboard.errors import InvalidArguments

TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
NAMES = ["a", "b", "ab", "A"]
scalars = st.sampled_from(
    [None, True, False, 0, 1, 2, -1, 1.0, 2.5, 10**20, "", "a", "A", "ab", "1", " 2 ",
     "2.0", "true", "null", "[1]", '{"a": 1}', "{'a': '1',}"]
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)
coercible = st.sampled_from(
    ["1", " 2 ", "2.0", "true", "null", "[1]", '{"a": "1"}', 1, 0, None, "A", "AB", "",
     ["1"], {"a": "2"}]
)  # fmt: skip
objects = st.dictionaries(st.sampled_from(NAMES), coercible | values, max_size=3)


small = st.integers(0, 3)
assertions: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(TYPES)
    | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
    "enum": st.lists(scalars, min_size=1, max_size=3),
    "const": scalars,
    "minimum": small,
    "exclusiveMaximum": small,
    "multipleOf": st.sampled_from([1, 2, 0.5]),
    "minLength": small,
    "maxLength": small,
    "pattern": st.sampled_from(["^a", "b", "^[0-9]+$"]),
    "minItems": small,
    "maxItems": small,
    "uniqueItems": st.booleans(),
    "minProperties": small,
    "maxProperties": small,
    "minContains": small,
    "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    "dependentRequired": st.just({"a": ["b"]}),
    "$ref": st.sampled_from(["#", "#/$defs/d"]),
}


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of every keyword that has one meaning in both libraries."""
    few = st.lists(inner, min_size=1, max_size=3)
    by_name = st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    every = {
        **assertions,
        **dict.fromkeys(["allOf", "anyOf", "oneOf", "prefixItems"], few),
        **dict.fromkeys(["properties", "dependentSchemas"], by_name),
        **dict.fromkeys(
            ["additionalProperties", "items", "unevaluatedItems"],
            inner | st.booleans(),
        ),
        **dict.fromkeys(
            ["contains", "else", "if", "not", "propertyNames", "then"], inner
        ),
        "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
        "unevaluatedProperties": inner | st.booleans(),
    }
    one = st.sampled_from(sorted(every)).flatmap(
        lambda name: every[name].map(lambda value: (name, value))
    )
    return st.lists(one, max_size=4).map(dict)


leaves = st.sampled_from(
    [{}, {"enum": ["a", "b"]}, {"const": "ab"}, {"items": {"type": "integer"}},
     *({"type": name} for name in TYPES),
     {"type": "array", "items": {"type": "string"}},
     {"type": "object", "additionalProperties": {"type": "number"}}]
)  # fmt: skip
schemas = st.recursive(leaves, lambda inner: inner | keywords(inner), max_leaves=6)
roots = st.builds(
    lambda more, properties, part: {
        **more,
        "properties": properties,
        "$defs": {"d": part},
    },
    st.just({}) | keywords(schemas),
    st.dictionaries(st.sampled_from(NAMES), leaves | schemas, min_size=2, max_size=4),
    schemas,
)


def compile_or_skip(schema: dict[str, Any]) -> ArgumentSchema:
    try:
        return ArgumentSchema(schema)
    except SchemaError:
        assume(False)
        raise


def attempt(compiled: ArgumentSchema, value: dict[str, Any]) -> Any:
    """Return the fitted value, the repairs and no refusal, or nothing and that."""
    try:
        return (*compiled.fit(value), None)
    except InvalidArguments as refusal:
        return None, None, refusal


def decide(schema: dict[str, Any], value: Any) -> bool:
    """Return the decision of the reference."""
    return bool(Draft202012Validator({"type": "object", **schema}).is_valid(value))


@given(roots, st.lists(objects, min_size=1, max_size=4))
def test_we_decide_as_the_reference_does(
    schema: dict[str, Any], sent: list[dict[str, Any]]
) -> None:
    """A7: on keywords of one meaning no decision differs."""
    compiled = compile_or_skip(schema)

    for value in sent:
        assert compiled.is_valid(value) == decide(schema, value), (schema, value)


@given(roots, st.lists(objects, min_size=1, max_size=4))
def test_what_comes_out_fits_or_is_explained(
    schema: dict[str, Any], sent: list[dict[str, Any]]
) -> None:
    """A5, A6: the reference admits what was coerced; the rest has its sentences."""
    compiled = compile_or_skip(schema)

    for value in sent:
        if compiled.is_valid(value):
            continue
        before = copy.deepcopy(value)
        fitted, repairs, refusal = attempt(compiled, value)
        if refusal is None:
            assert repairs
            assert decide(schema, fitted), (schema, value, fitted)
            json.dumps([each.to_dict() for each in repairs])
        else:
            assert 1 <= len(refusal.problems) <= 8
            assert len(str(refusal)) <= 2_000
        with pytest.raises(InvalidArguments):
            compiled.fit(value, strict=True)
        assert repr(value) == repr(before)


@given(roots, objects)
def test_coercion_is_a_function_of_schema_and_value(
    schema: dict[str, Any], value: dict[str, Any]
) -> None:
    """A5: the same call has the same outcome, and coercing twice changes nothing."""
    compiled = compile_or_skip(schema)
    assume(not compiled.is_valid(value))

    outcomes = {
        repr(attempt(each, value))
        for each in (compiled, compiled, ArgumentSchema(schema))
    }

    assert len(outcomes) == 1


@pytest.mark.parametrize(
    ("schema", "value", "ours"),
    [
        # Digits and words of a pattern are ASCII, as JSON Schema demands.
        ({"pattern": "^\\d+$"}, "٣", False),
        ({"pattern": "^\\w+$"}, "é", False),
        # `$` is the end of the text, not a place before its last line break.
        ({"pattern": "^a$"}, "a\n", False),
        # A decimal divisor divides decimally.
        ({"multipleOf": 0.01}, 19.99, True),
        ({"multipleOf": 0.01}, 0.07, True),
    ],
)
def test_known_disagreements(schema: Any, value: Any, ours: bool) -> None:
    """A7: where the reference differs, it is the one that leaves the specification."""
    compiled = ArgumentSchema({"properties": {"x": schema}})

    assert compiled.is_valid({"x": value}) is ours
    assert Draft202012Validator(schema).is_valid(value) is not ours


def test_a_property_of_characters_is_a_pattern_for_us_alone() -> None:
    """A7: the reference breaks on a pattern of ECMA-262 that Python does not know."""
    compiled = ArgumentSchema({"properties": {"x": {"pattern": "^\\p{L}+$"}}})

    assert compiled.is_valid({"x": "é"})
    assert not compiled.is_valid({"x": "3"})
    with pytest.raises(Exception, match="bad escape"):
        Draft202012Validator({"pattern": "^\\p{L}+$"}).is_valid("é")


def test_what_is_no_json_never_reaches_the_decision() -> None:
    """A9: NaN passes where no type is asked, so it is refused before."""
    compiled = ArgumentSchema({})

    assert compiled.is_valid({"x": float("nan")})
    with pytest.raises(InvalidArguments, match="NaN"):
        read_arguments('{"x": NaN}')
