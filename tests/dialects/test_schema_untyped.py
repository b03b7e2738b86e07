"""Places that say no type, where JSON Schema as a whole is taken."""

import pytest

from pegboard.dialects import _subset

from .writing import written

TAKES_ALL = _subset.PORTABLE
OBJECT = {"type": "object", "minProperties": 1}
LIST = {"type": "array", "items": {"type": "string"}}
NULL = {"type": "null"}
DEFINED = {"$defs": {"T": OBJECT, "L": LIST}}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    "beside",
    [
        {"properties": {"p": {"type": "string"}}},
        {"required": ["p"]},
        {"additionalProperties": False},
        {"properties": {"p": {"type": "string"}}, "required": ["p"]},
    ],
    ids=lambda beside: "+".join(beside),
)
def test_what_stands_beside_alternatives_stays(beside, keyword):
    """L2: the alternatives say the type, so what is beside them needs none."""
    schema = {**beside, keyword: [OBJECT, NULL]}

    assert written(schema, TAKES_ALL) == (schema, [])


@pytest.mark.parametrize(
    "beside",
    [{"properties": {"p": {"type": "string"}}}, {"required": ["p"]}],
    ids=lambda beside: "+".join(beside),
)
def test_what_stands_beside_a_reference_stays(beside):
    """L2: the reference says the type."""
    schema = {"$ref": "#/$defs/T", **beside}

    assert written(schema, TAKES_ALL, **DEFINED) == (schema, [])


def test_what_a_list_holds_stays_beside_alternatives_and_references():
    """L2: the same of lists."""
    union = {"items": {"type": "string"}, "anyOf": [LIST, NULL]}
    places = {"prefixItems": [{"type": "string"}], "items": False, "anyOf": [LIST]}
    reference = {"$ref": "#/$defs/L", "items": {"type": "string", "minLength": 2}}
    limit = {"minItems": 2, "anyOf": [LIST, NULL]}

    assert written(union, TAKES_ALL) == (union, [])
    assert written(places, TAKES_ALL)[0]["prefixItems"] == [{"type": "string"}]
    assert written(places, TAKES_ALL)[0]["items"] is False
    assert written(reference, TAKES_ALL, **DEFINED) == (reference, [])
    assert written(limit, TAKES_ALL) == (limit, [])


def test_two_that_contradict_each_other_stay_two():
    """L2: no value of p fits both, so an object has none; that is not forgotten."""
    schema = {
        "properties": {"p": {"type": "string"}},
        "anyOf": [{"type": "object", "properties": {"p": {"type": "object"}}}],
    }

    assert written(schema, TAKES_ALL) == (schema, [])
