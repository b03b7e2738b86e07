"""How single keywords are written for providers that do not take them."""

import pytest

from pegboard.dialects import _subset
from pegboard.dialects._place import Refused

from .writing import root, written

TAKES_ALL = _subset.PORTABLE
OPENAI = _subset.OPENAI_STRICT


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({"type": "string", "minLength": 2}, "at least 2 long"),
        ({"type": "string", "maxLength": 2}, "at most 2 long"),
        ({"type": "string", "pattern": "^a"}, "matches the pattern ^a"),
        ({"type": "string", "format": "uri"}, "format uri"),
        ({"type": "number", "minimum": 1.5}, "at least 1.5"),
        ({"type": "number", "maximum": 2}, "at most 2"),
        ({"type": "number", "exclusiveMinimum": 0}, "more than 0"),
        ({"type": "number", "exclusiveMaximum": 9}, "less than 9"),
        ({"type": "integer", "multipleOf": 5}, "a multiple of 5"),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "at least 1 items",
        ),
        (
            {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            "at most 3 items",
        ),
        (
            {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "no two items equal",
        ),
        (
            {"type": "array", "items": {"type": "string"}, "contains": {"const": "a"}},
            'contains {"const":"a"}',
        ),
        (
            {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
            'in this order: {"type":"string"}',
        ),
        ({"type": "object", "minProperties": 1}, "at least 1 properties"),
        ({"type": "object", "additionalProperties": False}, "no other properties"),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            'further properties fit {"type":"string"}',
        ),
        (
            {"type": "object", "patternProperties": {"^a": {"type": "string"}}},
            'patternProperties {"^a":{"type":"string"}}',
        ),
        (
            {"type": "object", "propertyNames": {"pattern": "^a"}},
            'names of properties fit {"pattern":"^a"}',
        ),
        (
            {"type": "object", "dependentRequired": {"a": ["b"]}},
            'dependentRequired {"a":["b"]}',
        ),
        ({"type": "string", "not": {"const": "a"}}, 'not {"const":"a"}'),
        (
            {"type": "string", "if": {"const": "a"}, "then": {"const": "b"}},
            'if {"if":{"const":"a"},"then":{"const":"b"}}',
        ),
    ],
)
def test_a_limit_that_is_lost_is_said_in_words(schema, note):
    """L2: a lost limit is listed, and stands in the description."""
    made, losses = written(schema, _subset.OLLAMA)

    assert note in made["description"]
    assert [kind for kind, _ in losses] == ["described"] * len(losses)
    assert losses


def test_what_limits_nothing_is_no_loss():
    """L2: keywords of another type, titles and defaults lose no limit."""
    made, losses = written(
        {
            "type": "integer",
            "title": "X",
            "minLength": 3,
            "uniqueItems": True,
            "default": 1,
            "examples": [1, 2],
        },
        _subset.OLLAMA,
    )

    assert made == {"type": "integer", "description": "[default 1; for example 1, 2]"}
    assert losses == []


def test_json_schema_is_kept_as_it_is():
    """L2: what all providers take goes through unchanged, unknown words included."""
    schema = {
        "type": "object",
        "title": "X",
        "description": "D",
        "properties": {"a": {"type": "string", "pattern": "(?=a)", "default": "a"}},
        "patternProperties": {"^b": {"type": "integer"}},
        "additionalProperties": {"type": "number"},
        "not": {"required": ["a", "c"]},
        "if": {"required": ["a"]},
        "then": {"required": ["d"]},
        "dependentSchemas": {"a": {"$ref": "#/$defs/S"}},
        "x-order": [1, {"y": 2}],
    }

    made, losses = written(schema, TAKES_ALL, **{"$defs": {"S": {"type": "object"}}})

    assert made == schema
    assert losses == []


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"a": {"type": "string"}}}, "object"),
        ({"items": {"type": "string"}}, "array"),
        ({"minLength": 1}, "string"),
        ({"minimum": 1}, "number"),
        ({"enum": [1.5, 2]}, "number"),
        ({"enum": ["a", None, True, 1, [1], {}]}, None),
        ({"minLength": 1, "minimum": 1}, ["string", "number"]),
        ({"const": "a"}, "string"),
        ({"type": {"type": "string"}, "minLength": 1}, "string"),
    ],
)
def test_a_type_is_read_from_what_a_node_says(schema, expected):
    """L2: no untyped node is sent."""
    made, losses = written(schema, TAKES_ALL)
    all_types = ["string", "null", "boolean", "integer", "array", "object"]

    assert made["type"] == (expected or all_types)
    assert losses == []


def test_a_place_of_any_type_says_so():
    """L2: {} becomes all types, a list without items a list of anything."""
    made, _ = written({}, TAKES_ALL)
    listed, _ = written({"type": "array"}, TAKES_ALL)

    types = ["string", "number", "boolean", "object", "array", "null"]
    assert made["type"] == types
    assert listed == {"type": "array", "items": made}
    with pytest.raises(Refused, match="a place that takes any value"):
        written({}, OPENAI)


def test_the_first_of_a_union_types_its_arms_not_itself():
    """L2: alternatives carry their types; a bare requirement is of an object."""
    union = {"anyOf": [{"type": "string"}, {"required": ["a"]}]}
    beside = {"properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}]}

    assert written(union, TAKES_ALL)[0] == {
        "anyOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]
    }
    assert written(beside, TAKES_ALL)[0]["type"] == "object"


def test_null_is_nullable_in_openapi():
    """L2: a type list with null, an arm that is null, a value that is null."""
    openapi = _subset.GEMINI_OPENAPI

    assert written({"type": ["string", "null"]}, openapi)[0] == {
        "type": "string",
        "nullable": True,
    }
    assert written({"type": ["string", "integer", "null"], "minLength": 1}, openapi)[
        0
    ] == {
        "nullable": True,
        "anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}],
    }
    assert written({"anyOf": [{"type": "string"}, {"type": "null"}]}, openapi)[0] == {
        "type": "string",
        "nullable": True,
    }
    assert written({"enum": ["a", None]}, openapi)[0] == {
        "type": "string",
        "nullable": True,
        "enum": ["a"],
    }
    assert written({"enum": [None]}, openapi)[0] == {"type": "null"}
    either = {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}
    assert written(either, openapi)[0]["nullable"] is True


def test_a_format_or_pattern_goes_where_it_is_known():
    """L2: some formats are known, and OpenAI's patterns do not look around."""
    mail = {"type": "string", "format": "email"}

    assert written(mail, OPENAI)[1] == []
    assert written(mail, _subset.GEMINI_OPENAPI)[1] == [("described", "format")]
    assert written({"type": "string", "pattern": "^(?!a)"}, OPENAI)[1] == [
        ("described", "pattern")
    ]
    assert written({"type": "integer", "exclusiveMaximum": 5}, _subset.GEMINI)[0] == {
        "type": "integer",
        "maximum": 4,
    }


def test_values_that_may_not_be_listed_are_said_in_words():
    """L2: Gemini lists texts and numbers, the older form only texts."""
    openapi = _subset.GEMINI_OPENAPI

    assert written({"enum": [1, 2]}, openapi) == (
        {"type": "integer", "description": "[one of 1, 2]"},
        [("described", "enum")],
    )
    assert written({"const": True}, _subset.GEMINI) == (
        {"type": "boolean", "description": "[always true]"},
        [("described", "const")],
    )
    assert written({"enum": ["a", None]}, _subset.GEMINI)[0] == {
        "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]
    }
    assert written({"type": "string", "enum": []}, OPENAI)[1] == [("described", "enum")]


def test_items_by_place_become_items_of_any_of_them():
    """L2: where `prefixItems` is not taken; a closed list keeps its length."""
    pair = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}
    either = {"anyOf": [{"type": "string"}, {"type": "integer"}]}

    shut, losses = written({**pair, "items": False}, OPENAI)
    assert (shut["items"], shut["maxItems"]) == (either, 2)
    assert shut["description"].endswith("; no further items]")
    assert losses == [("described", "prefixItems"), ("described", "items")]
    kept, losses = written({**pair, "items": False}, _subset.GEMINI)
    assert (len(kept["prefixItems"]), kept["maxItems"], losses) == (2, 2, [])
    opened, _ = written({**pair, "items": {"type": "null"}}, OPENAI)
    assert opened["items"] == {"anyOf": [*either["anyOf"], {"type": "null"}]}
    none, _ = written({"type": "array", "items": False}, TAKES_ALL)
    assert none["maxItems"] == 0
    short = {"prefixItems": [{"type": "string"}], "items": {"type": "number"}}
    two, losses = written({"allOf": [pair, short]}, _subset.GEMINI)
    assert two["prefixItems"] == [{"type": "string"}, {"type": "integer"}]
    assert (two["items"], losses) == ({"type": "number"}, [])


def test_older_drafts_are_read_in_their_words():
    """L2: draft 4's exclusive flags, draft 7's lists of items and lone references."""
    flags = {"type": "integer", "minimum": 1, "exclusiveMinimum": True}
    off = {"type": "integer", "exclusiveMaximum": False, "required": True}
    items = {"type": "array", "items": [{"type": "string"}], "additionalItems": False}

    open_items = {"type": "array", "items": [{"type": "string"}]}
    assert written(open_items, TAKES_ALL)[0]["prefixItems"] == [{"type": "string"}]
    assert written(flags, TAKES_ALL)[0] == {"type": "integer", "exclusiveMinimum": 1}
    assert written(off, TAKES_ALL)[0] == {"type": "integer"}
    assert written(items, TAKES_ALL)[0] == {
        "type": "array",
        "prefixItems": [{"type": "string"}],
        "items": False,
        "maxItems": 1,
    }
    beside = {"$ref": "#/definitions/T", "maxLength": 1, "description": "D"}
    draft = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"T": {"type": "string"}},
    }
    assert written(beside, _subset.GEMINI, **draft)[0] == {
        "type": "string",
        "description": "D",
    }


def test_strict_closes_objects_or_is_refused():
    """L2: extras are narrowed away; an object of free names cannot be said."""
    closed = {"type": "object", "properties": {"a": {"type": "string"}}}

    made, losses = written({**closed, "additionalProperties": True}, OPENAI)
    assert made["additionalProperties"] is False
    assert losses == [("narrowed", "additionalProperties")]
    empty, _ = written({"type": "object", "additionalProperties": False}, OPENAI)
    assert empty == {"type": "object", "additionalProperties": False}
    with pytest.raises(Refused, match="names of the model's choice"):
        written({"type": "object"}, OPENAI)
    with pytest.raises(Refused, match="names of the model's choice"):
        root({"type": "object", "additionalProperties": True}, OPENAI)
    assert root({"type": "object"}, OPENAI)[0] == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
