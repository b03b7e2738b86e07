"""A closed schema refuses by itself what the scans of the text are for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard._arguments import ArgumentSchema, is_closed, parse_text

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def shape(**properties):
    return {"type": "object", "properties": properties, "additionalProperties": False}


def schemas():
    """Schemas of every kind, closed ones and others."""
    leaves = st.sampled_from(
        [TEXT, NUMBER, {"type": ["integer", "null"]}, {}, True, {"enum": [1]}, False]
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map(lambda item: {"type": "array", "items": item}),
            inner.map(lambda item: {"type": "object", "additionalProperties": item}),
            inner.map(lambda item: shape(a=item)),
            st.lists(inner, min_size=1, max_size=2).map(lambda arms: {"anyOf": arms}),
        ),
        max_leaves=6,
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (shape(a=TEXT, b={"type": "array", "items": NUMBER}), True),
        (shape(a={"anyOf": [TEXT, {"type": "null"}]}), True),
        (shape(a={"type": "object", "additionalProperties": TEXT}), True),
        (shape(a={}), False),
        (shape(a={"type": "array"}), False),
        (shape(a={"anyOf": [TEXT, {}]}), False),
        (shape(a={"$ref": "#"}), False),
        ({"type": "object", "properties": {"a": TEXT}}, False),
        ({"type": "object", "patternProperties": {"a": TEXT}}, False),
    ],
)
def test_only_schemas_with_a_type_everywhere_are_closed(schema, expected):
    """A9: an open place, or a reference, lets depth and infinities in."""
    assert is_closed(schema) is expected


@given(schemas(), st.sampled_from(["1e999", "-1E400", "9" * 400 + ".0", "[" * 150]))
def test_a_closed_schema_refuses_what_is_out_of_range_or_too_deep(schema, odd):
    """A9: whatever fits a closed schema is finite and not deep, without a scan."""
    closed = is_closed(schema)
    value = odd if odd[0] != "[" else f"{odd}1{']' * len(odd)}"
    for text in (
        f'{{"a": {value}}}',
        f'{{"a": [{value}]}}',
        f'{{"a": {{"a": {value}}}}}',
        f'{{"a": {{"b": {value}}}}}',
    ):
        try:
            parsed = parse_text(text, is_checked=True)
        except ValueError:
            continue

        fits = ArgumentSchema(shape(a=schema)).is_valid(parsed)
        assert not (closed and fits)
