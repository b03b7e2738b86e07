"""The number 3.0 is an integer, and is handed on as 3."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard._arguments import ArgumentSchema, parse_text
from pegboard._arguments.settling import holds_whole, may_hold_whole

INTEGER = {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "sent", "settled"),
    [
        (INTEGER, "3.0", 3),
        (INTEGER, "1e3", 1000),
        (INTEGER, "1E+3", 1000),
        (INTEGER, "20e-1", 2),
        (INTEGER, "-0.0", 0),
        ({"type": ["integer", "null"]}, "3.0", 3),
        ({"anyOf": [INTEGER, {"type": "null"}]}, "3.0", 3),
        ({"$ref": "#/$defs/n"}, "3.0", 3),
        ({"allOf": [INTEGER, {"type": "number"}]}, "3.0", 3),
        ({"items": INTEGER}, "[1, 2.0]", [1, 2]),
        ({"prefixItems": [INTEGER], "items": {}}, "[1.0, 2.0]", [1, 2.0]),
        ({"additionalProperties": INTEGER}, '{"a": 1.0}', {"a": 1}),
        ({"patternProperties": {"^n": INTEGER}}, '{"n": 1.0}', {"n": 1}),
        (
            {
                "oneOf": [
                    {"properties": {"k": {"const": "i"}, "v": INTEGER}},
                    {"properties": {"k": {"const": "n"}, "v": {"maximum": 1.5}}},
                ]
            },
            '{"k": "n", "v": 1.0}',
            {"k": "n", "v": 1.0},
        ),
        ({"type": "number"}, "3.0", 3.0),
        ({"type": ["integer", "number"]}, "3.0", 3.0),
        ({}, "3.0", 3.0),
        (INTEGER, "3", 3),
    ],
)
def test_a_whole_number_settles_where_only_an_integer_fits(
    schema: Any, sent: str, settled: Any
) -> None:
    """A5: 3.0 becomes 3 for an integer, and stays 3.0 wherever a number may be."""
    compiled = ArgumentSchema({"properties": {"x": schema}, "$defs": {"n": INTEGER}})
    text = f'{{"x": {sent}}}'
    value = parse_text(text)

    assert compiled.is_valid(value)
    assert repr(compiled.settle(value, text)[0]["x"]) == repr(settled)
    assert repr(compiled.settle(value, None)[0]["x"]) == repr(settled)


def test_nothing_is_copied_where_nothing_is_whole() -> None:
    """A5: arguments without such a number are handed on as they are."""
    schema = ArgumentSchema({"properties": {"a": {"items": INTEGER}}})
    value = {"a": [1, 2], "b": 1.5, "c": "3.0"}
    text = '{"a": [1, 2], "b": 1.5, "c": "3.0"}'

    assert schema.settle(value, text) == (value, text)
    assert schema.settle(value, text)[0] is value


def test_settling_changes_a_copy() -> None:
    """A4: what was given keeps its numbers, and its text no longer speaks for it."""
    schema = ArgumentSchema({"properties": {"a": {"items": INTEGER}}})
    value = {"a": [1.0]}

    settled, text = schema.settle(value, '{"a": [1.0]}')

    assert repr((settled, text)) == "({'a': [1]}, None)"
    assert repr(value) == "{'a': [1.0]}"


def test_what_is_coerced_is_settled_too() -> None:
    """A5: arguments that had to be made to fit have no 3.0 for an integer either."""
    schema = ArgumentSchema({"properties": {"a": INTEGER, "b": INTEGER}})

    value, repairs = schema.fit({"a": "3", "b": 4.0})

    assert repr(value) == "{'a': 3, 'b': 4}"
    assert [each.path for each in repairs] == [("a",)]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_whole_number_is_overlooked(number: float) -> None:
    """A5: the quick look at the text misses no number that the full one would find."""
    text = f'{{"x": {number!r}}}'

    assert may_hold_whole(text) or not holds_whole({"x": number})
