"""How single keywords are written for providers that do not take them."""

import pytest

from pegboard import ToolDefinition
from pegboard.dialects import _subset
from pegboard.dialects._export import export
from pegboard.dialects._place import Refused

TAKES_ALL = _subset.PORTABLE
OPENAI = _subset.OPENAI_STRICT


def written(schema, subset, **keywords):
    """Return what becomes of one property, and its losses as (kind, keyword)."""
    whole = {
        "type": "object",
        "properties": {"x": schema},
        "required": ["x"],
        **keywords,
    }
    made = export(ToolDefinition("t", "T.", whole), subset)
    return made.schema["properties"]["x"], [
        (loss.kind, loss.keyword) for loss in made.losses
    ]


def root(schema, subset):
    made = export(ToolDefinition("t", "T.", schema), subset)
    return (
        made.schema,
        made.description,
        [(loss.kind, loss.keyword) for loss in made.losses],
    )


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


def test_all_of_is_merged_where_it_is_not_taken():
    """L2: the tightest limit of all holds; what cannot be joined is in words."""
    schema = {
        "allOf": [
            {"type": ["integer", "string"], "minimum": 1, "maximum": 9},
            {"type": "number", "minimum": 3, "maximum": 20, "multipleOf": 2},
            {"multipleOf": 3, "description": "D"},
        ]
    }

    made, losses = written(schema, OPENAI)

    assert made == {
        "type": "integer",
        "description": "D [a multiple of 3]",
        "minimum": 3,
        "maximum": 9,
        "multipleOf": 2,
    }
    assert losses == [("described", "multipleOf")]


def test_merged_objects_keep_what_each_says_of_the_others_properties():
    """L2: a property must fit the `additionalProperties` of a layer that lacks it."""
    schema = {
        "allOf": [
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "additionalProperties": {"type": "string", "minLength": 2},
            },
            {
                "properties": {"b": {"maxLength": 5}, "a": {"maxLength": 3}},
                "required": ["a"],
            },
        ]
    }
    shut = {
        "allOf": [
            {"properties": {"a": {"type": "string"}}, "additionalProperties": False},
            {"properties": {"b": {"type": "string"}}},
        ]
    }

    made, _ = written(schema, _subset.GEMINI_OPENAPI)
    assert made["properties"] == {
        "a": {"type": "string", "maxLength": 3},
        "b": {"type": "string", "minLength": 2, "maxLength": 5},
    }
    assert list(written(shut, _subset.GEMINI)[0]["properties"]) == ["a"]


def test_values_of_all_layers_are_their_common_ones():
    """L2: enumerations meet, and a value of another type is no value."""
    schema = {
        "allOf": [{"enum": ["a", "b", 1]}, {"enum": ["b", 1, "c"]}, {"type": "string"}]
    }

    assert written(schema, OPENAI)[0] == {"type": "string", "enum": ["b"]}


def test_a_union_is_never_beside_anything_where_that_is_not_taken():
    """L2: what stands beside alternatives moves into each; impossible ones go."""
    schema = {
        "type": ["string", "object"],
        "description": "D",
        "properties": {"a": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"type": "integer"}, {"maxLength": 2}],
    }

    made, _ = written(schema, OPENAI)

    assert made["description"] == "D"
    assert [arm.get("type") for arm in made["anyOf"]] == [["string", "object"]] * 2
    assert "integer" not in str(made)


def test_alternatives_that_are_one_are_no_alternatives():
    """L2: equal arms become one, a lone one stands for itself."""
    assert written({"anyOf": [{"type": "string"}, {"type": "string"}]}, OPENAI)[0] == {
        "type": "string"
    }
    assert written({"anyOf": [{"type": "string"}, False]}, OPENAI)[0] == {
        "type": "string"
    }


@pytest.mark.parametrize(
    ("arms", "lossless"),
    [
        ([{"type": "string"}, {"type": "integer"}], True),
        ([{"type": "integer"}, {"type": "number"}], False),
        ([{"const": "a"}, {"enum": ["b", "c"]}], True),
        ([{"const": "a"}, {"enum": ["a", "c"]}], False),
        ([{"type": "string", "maxLength": 2}, {"type": "string"}], False),
    ],
)
def test_exactly_one_is_at_least_one_where_no_value_fits_two(arms, lossless):
    """L2: `oneOf` is listed as lost unless its arms cannot both fit."""
    _, losses = written({"oneOf": arms}, _subset.GEMINI)

    assert (("described", "oneOf") not in losses) is lossless


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


def test_a_property_that_nothing_fits_is_left_out():
    """L2: where `not` is not taken, words say that it must not be given."""
    schema = {"type": "object", "properties": {"x": False, "y": {"type": "string"}}}

    assert root(schema, TAKES_ALL)[0]["properties"]["x"] == {"not": {}}
    made, text, losses = root(schema, OPENAI)
    assert list(made["properties"]) == ["y"]
    assert (text, losses) == ("T.\n[arguments: no x]", [("described", "")])


def test_what_a_root_cannot_say_is_in_the_tools_description():
    """L2: limits and conditions of the arguments as a whole."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "minProperties": 1,
        "not": {"required": ["b"]},
        "allOf": [{"if": {"required": ["a"]}, "then": {"required": ["c"]}}],
    }

    made, text, losses = root(schema, TAKES_ALL)

    assert made == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "minProperties": 1,
    }
    assert text == (
        'T.\n[arguments: not {"required":["b"]}; '
        'if {"if":{"required":["a"]},"then":{"required":["c"]}}]'
    )
    assert losses == [("described", "not"), ("described", "if")]


def test_a_recursive_reference_among_limits_is_written_out_once():
    """L2: what it names is joined with what stands beside it, and loops below."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    other = {"type": "object", "properties": {"more": {"$ref": "#/$defs/M"}}}
    definitions = {"$defs": {"N": node, "M": other}}

    beside, losses = written(
        {"$ref": "#/$defs/N", "minProperties": 1}, OPENAI, **definitions
    )
    both, lost = written(
        {"allOf": [{"$ref": "#/$defs/N"}, {"$ref": "#/$defs/M"}]}, OPENAI, **definitions
    )

    null = {"type": "null"}
    assert beside == {
        "type": "object",
        "description": "[at least 1 properties]",
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}, null]}},
        "required": ["next"],
        "additionalProperties": False,
    }
    assert losses == [("described", "minProperties")]
    assert list(both["properties"]) == ["next", "more"]
    assert lost == []


def test_a_loop_with_a_limit_at_each_turn_ends():
    """L2: the second time round the limit is put into words."""
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/N", "minProperties": 1}},
    }

    made, losses = written({"$ref": "#/$defs/N"}, OPENAI, **{"$defs": {"N": node}})

    assert made == {"$ref": "#/$defs/N"}
    assert set(losses) == {("described", "minProperties")}


def test_a_schema_too_deep_or_too_large_is_cut_not_a_crash():
    """L2: nesting without end and references that double end in a note."""
    deep: dict = {"type": "string"}
    for _ in range(200):
        deep = {"type": "array", "items": deep}
    doubling = {
        f"D{n}": {
            "type": "object",
            "properties": {k: {"$ref": f"#/$defs/D{n + 1}"} for k in "ab"},
        }
        for n in range(20)
    } | {"D20": {"type": "array"}}

    made, losses = written(deep, TAKES_ALL)
    assert losses == [("described", "")]
    assert "shape left out: too deep" in str(made)
    _, losses = written({"$ref": "#/$defs/D0"}, _subset.OLLAMA, **{"$defs": doubling})
    assert ("described", "") in losses
    with pytest.raises(Refused, match="levels, at most 10"):
        written(deep, OPENAI)
    many = {f"p{n}": {"type": "string"} for n in range(201)}
    with pytest.raises(Refused, match="201 properties, at most 200"):
        root({"type": "object", "properties": many}, _subset.COHERE_STRICT)
