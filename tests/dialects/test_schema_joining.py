"""How schemas that hold at once, alternatives and loops are written."""

import dataclasses

import pytest

from pegboard.dialects import _subset
from pegboard.dialects._place import Refused

from .writing import root, written

TAKES_ALL = _subset.PORTABLE
OPENAI = _subset.OPENAI_STRICT


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
    for union in ("anyOf", "oneOf"):
        lone = {union: [{"type": "string"}, False]}
        assert written(lone, OPENAI) == ({"type": "string"}, [])


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
    many = {f"p{n}": {"type": "string"} for n in range(5_001)}
    wide = dataclasses.replace(_subset.GEMINI, max_properties=10)
    with pytest.raises(Refused, match="5001 properties, at most 10"):
        root({"type": "object", "properties": many}, wide)


def test_a_reference_that_holds_here_already_adds_nothing():
    """L2: named twice, followed once."""
    twice = {"allOf": [{"$ref": "#/$defs/T"}, {"$ref": "#/$defs/T"}], "maxLength": 3}
    definitions = {"$defs": {"T": {"type": "string"}}}

    for subset in (OPENAI, _subset.OLLAMA):
        made, losses = written(twice, subset, **definitions)
        assert made["type"] == "string"
        assert [keyword for _, keyword in losses] == ["maxLength"]


def test_two_loops_at_one_place_end():
    """L2: the second time round one stays a reference, the other is in words."""

    def node(*others):
        loops = {"allOf": [{"$ref": f"#/$defs/{name}"} for name in others]}
        return {"type": "object", "properties": {"next": loops}}

    definitions = {"$defs": {"N": node("N", "M"), "M": node("M", "N")}}

    made, losses = written({"$ref": "#/$defs/N"}, OPENAI, **definitions)

    assert made == {"$ref": "#/$defs/N"}
    assert ("described", "$ref") in losses


def test_definitions_of_one_name_stay_two():
    """L2: two places that end in the same word get two names."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"properties": {"t": {"type": "string"}}},
            "b": {"properties": {"t": {"type": "integer"}}},
            "x": {"$ref": "#/properties/a/properties/t"},
            "y": {"$ref": "#/properties/b/properties/t"},
        },
    }

    made, _, _ = root(schema, TAKES_ALL)

    assert made["$defs"] == {"t": {"type": "string"}, "t_2": {"type": "integer"}}
    assert made["properties"]["y"] == {"$ref": "#/$defs/t_2"}


def test_a_place_that_nothing_fits_is_said_or_closed():
    """L2: a list without items is empty, an object without its property cannot be."""
    shut = {"type": "array", "items": False}
    never = {"allOf": [{"type": "string"}, {"type": "integer"}]}
    needs = {"type": "object", "required": ["a"], "additionalProperties": False}
    either = {"anyOf": [needs, {"type": "string"}]}

    assert written(shut, OPENAI)[0]["maxItems"] == 0
    assert written(shut, _subset.OLLAMA)[1] == [("described", "items")]
    assert written(either, OPENAI)[0] == {"type": "string"}
    assert written({"anyOf": [never, False]}, TAKES_ALL)[0]["anyOf"][1] == {"not": {}}
    mapped = {"type": "object", "additionalProperties": never}
    made, losses = written(mapped, _subset.GEMINI)
    assert made["additionalProperties"] == {"type": "null"}
    assert {kind for kind, _ in losses} == {"described"}
    assert root({**needs, "type": "object"}, _subset.GEMINI)[2] == [
        ("described", "required")
    ]
    head = {"type": "array", "prefixItems": [{"type": "string"}, never]}
    assert written(head, _subset.GEMINI)[0] == {
        "type": "array",
        "prefixItems": [{"type": "string"}],
        "maxItems": 1,
    }


def test_exactly_one_of_arms_whose_type_was_read_is_listed():
    """L2: a value that fitted two arms may fit one once they are typed."""
    loose = {"oneOf": [{"type": "string"}, {"minLength": 1}]}
    tight = {"oneOf": [{"type": "string"}, {"type": "integer"}]}

    assert written(loose, TAKES_ALL)[1] == [("described", "oneOf")]
    assert written(tight, TAKES_ALL)[1] == []


def test_the_least_number_of_items_is_said_where_it_is_taken():
    """L2: Anthropic's strict mode takes none or one."""
    items = {"type": "array", "items": {"type": "string"}}
    strict = _subset.ANTHROPIC_STRICT

    assert written({**items, "minItems": 1}, strict)[0]["minItems"] == 1
    assert written({**items, "minItems": 2}, strict)[1] == [("described", "minItems")]


def test_several_types_are_alternatives_where_a_node_has_one():
    """L2: Anthropic's strict mode; listed values need no type."""
    strict = _subset.ANTHROPIC_STRICT

    assert written({"type": ["string", "null"], "description": "D"}, strict)[0] == {
        "description": "D",
        "anyOf": [{"type": "string"}, {"type": "null"}],
    }
    assert written({"enum": ["a", None]}, strict)[0] == {"enum": ["a", None]}


def test_what_strict_closes_needs_no_word():
    """L2: no unevaluated property can be where all are named."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "unevaluatedProperties": False,
    }

    assert written(schema, OPENAI)[1] == []
    assert written(schema, _subset.OLLAMA)[1] == [
        ("described", "unevaluatedProperties")
    ]
    assert written({"type": "string", "dependentRequired": {}}, OPENAI)[1] == []


def test_a_reference_keeps_what_stands_beside_it_where_that_is_taken():
    """L2: JSON Schema lets a reference have company."""
    beside = {"$ref": "#/$defs/T", "maxLength": 3, "description": "D"}

    made, losses = written(beside, TAKES_ALL, **{"$defs": {"T": {"type": "string"}}})

    assert made == {
        "$ref": "#/$defs/T",
        "description": "D",
        "maxLength": 3,
    }
    assert losses == []


def test_values_of_several_types_at_the_root_stay_alternatives():
    """L2: a tag that is a text in one arm and a number in the other."""
    arms = [{"properties": {"kind": {"const": value}}} for value in ("a", 1)]

    made, _, _ = root({"anyOf": arms}, TAKES_ALL)

    assert made["properties"]["kind"] == {
        "anyOf": [{"type": "string", "const": "a"}, {"type": "integer", "const": 1}]
    }


def test_further_properties_of_any_kind_lose_nothing():
    """L2: {} says the same as true."""
    schema = {"type": "object", "additionalProperties": {}}

    assert written(schema, _subset.OLLAMA) == ({"type": "object"}, [])
    assert written(schema, TAKES_ALL)[0]["additionalProperties"] is True


def test_patterns_of_properties_are_joined_too():
    """L2: what two schemas at the root say of a pattern holds at once."""

    def arm(**schema):
        return {"patternProperties": {"^a": schema}}

    made, _, _ = root({"allOf": [arm(type="string"), arm(maxLength=3)]}, TAKES_ALL)

    assert made["patternProperties"] == {"^a": {"type": "string", "maxLength": 3}}
