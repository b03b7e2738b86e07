"""Coercion and explanation through unions, references and recursion."""

from collections.abc import Callable
from typing import Any

import pytest

from pegboard._arguments import ArgumentSchema
from pegboard.errors import InvalidArguments

Accept = Callable[..., Any]


def arm(kind: str, steps: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"const": kind}, "steps": {"type": steps}, **more},
        "required": ["kind", "steps"],
        "additionalProperties": False,
    }


MOVE, SAY = arm("move", "integer"), arm("say", "string")
NODE = {
    "type": "object",
    "properties": {
        "v": {"type": "integer"},
        "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["v"],
}
FILTER = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "op": {"const": name},
                "left": {"$ref": "#/$defs/Filter"},
                "right": {"$ref": "#/$defs/Filter"},
            },
            "required": ["op", "left", "right"],
            "additionalProperties": False,
        }
        for name in ("and", "or")
    ]
    + [
        {
            "type": "object",
            "properties": {"value": {"type": "integer"}},
            "required": ["value"],
            "additionalProperties": False,
        }
    ]
}
FILTERS = {"$defs": {"Filter": FILTER}, "properties": {"x": {"$ref": "#/$defs/Filter"}}}


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    ("sent", "became"),
    [
        ({"kind": "move", "steps": "3"}, {"kind": "move", "steps": 3}),
        ({"kind": "say", "steps": 3}, {"kind": "say", "steps": "3"}),
        ({"kind": "say", "steps": "3"}, {"kind": "say", "steps": "3"}),
        ({"kind": "MOVE", "steps": "3"}, {"kind": "move", "steps": 3}),
        ('{"kind": "move", "steps": 3}', {"kind": "move", "steps": 3}),
    ],
)
def test_the_arm_that_can_fit_is_taken(
    fit_one: Accept, union: str, sent: Any, became: Any
) -> None:
    """A5: a union takes the arm that fits, and no other arm touches the value."""
    assert repr(fit_one({union: [MOVE, SAY]}, sent)) == repr(became)


@pytest.mark.parametrize(
    ("arms", "sent", "became"),
    [
        ([{"type": "boolean"}, {"type": "integer"}], "1", 1),
        ([{"type": "boolean"}, {"type": "integer"}], "true", True),
        ([{"type": "integer"}, {"type": "number"}], "1.5", 1.5),
        (
            [{"items": {"type": "integer"}, "type": "array"}, {"type": "integer"}],
            "7",
            7,
        ),
        ([{"type": "integer"}, {"type": "array"}], "seven", ["seven"]),
    ],
)
def test_the_fewest_repairs_win(
    fit_one: Accept, arms: list[Any], sent: Any, became: Any
) -> None:
    """A5: of the arms that can fit, the one with the fewest repairs is taken."""
    assert repr(fit_one({"anyOf": arms}, sent)) == repr(became)


def test_the_earlier_arm_wins_a_tie(fit_one: Accept) -> None:
    """A5: two arms with as many repairs: the order of the schema decides."""
    one = {"type": "object", "properties": {"v": {"type": "integer"}}}
    two = {"type": "object", "properties": {"v": {"type": "number"}, "w": {}}}

    assert repr(fit_one({"anyOf": [one, two]}, {"v": "1.0"})) == "{'v': 1}"


def test_one_of_takes_no_value_that_fits_two_arms(fit_one: Accept) -> None:
    """A5: what fits several arms of a oneOf, as sent or coerced, stays refused."""
    schema = {"oneOf": [{"type": "integer"}, {"type": "number"}]}

    with pytest.raises(InvalidArguments, match="integer 3 fits more than one"):
        fit_one(schema, 3)
    with pytest.raises(InvalidArguments):
        fit_one(schema, "3")


def test_references_are_followed_with_the_data(accept: Accept) -> None:
    """A5: coercion works at every depth of a recursive schema."""
    schema = {"properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": NODE}}
    sent = {"root": {"v": "1", "kids": [{"v": 2, "kids": [{"v": "3"}]}]}}

    value, repairs = accept(schema, sent)

    assert value == {"root": {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}]}}
    assert [each.path for each in repairs] == [
        ("root", "v"),
        ("root", "kids", 0, "kids", 0, "v"),
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": {"$ref": "#/properties/y"}, "y": {"type": "integer"}}},
        {"properties": {"x": {"$ref": "#n"}},
         "$defs": {"N": {"$anchor": "n", "type": "integer"}}},
        {"properties": {"x": {"$ref": "#/parts/a~1b"}},
         "parts": {"a/b": {"type": "integer"}}},
        {"properties": {"x": {"$ref": "#/$defs/a%25b"}},
         "$defs": {"a%b": {"type": "integer"}}},
        {"$id": "https://example.com/t", "properties": {"x": {"$ref": "t#/$defs/N"}},
         "$defs": {"N": {"type": "integer"}}},
        {"$id": "https://example.com/t", "properties": {"x": {"$ref": "n"}},
         "$defs": {"N": {"$id": "n", "type": "integer"}}},
        {"properties": {"x": {"$dynamicRef": "#n"}},
         "$defs": {"N": {"$dynamicAnchor": "n", "type": "integer"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#",
         "properties": {"x": {"$ref": "#n"}},
         "definitions": {"N": {"$id": "#n", "type": "integer"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#",
         "properties": {"x": {"$ref": "#/definitions/N", "type": "string"}},
         "definitions": {"N": {"type": "integer"}}},
    ],
)  # fmt: skip
def test_every_way_to_refer_is_followed(accept: Accept, schema: Any) -> None:
    """A5: by pointers, anchors and identifiers; before 2019-09 a $ref stands alone."""
    assert accept(schema, {"x": "3"})[0] == {"x": 3}


def nested(depth: int, leaf: Any) -> Any:
    value: Any = {"value": leaf}
    for level in range(depth):
        other = {"value": level}
        value = {"op": "and" if level % 2 else "or", "left": value, "right": other}
    return value


@pytest.mark.parametrize("depth", [1, 20, 95])
def test_a_wrong_leaf_of_a_recursive_union_is_found(depth: int) -> None:
    """A7: explaining takes time in the size of the value, not in its forms."""
    schema = ArgumentSchema(FILTERS)

    with pytest.raises(InvalidArguments) as caught:
        schema.fit({"x": nested(depth, "many")})

    (problem,) = caught.value.problems
    assert problem.endswith('.value: expected integer, got string "many"')
    assert problem.startswith("x.left")


@pytest.mark.parametrize("depth", [1, 20, 95])
def test_a_leaf_of_a_recursive_union_is_coerced(depth: int) -> None:
    """A5: what can fit is made to fit, however deep it stands."""
    value, repairs = ArgumentSchema(FILTERS).fit({"x": nested(depth, "7")})

    assert value == {"x": nested(depth, 7)}
    assert [each.rule for each in repairs] == ["text_to_number"]


def test_the_same_value_at_two_places_is_two_repairs(accept: Accept) -> None:
    """A5: equal texts may be one object in memory, and are repaired each."""
    schema = {"properties": {"x": {"items": {"type": "integer"}}}}

    value, repairs = accept(schema, {"x": ["7", "7"]})

    assert value == {"x": [7, 7]}
    assert [each.path for each in repairs] == [("x", 0), ("x", 1)]


@pytest.mark.parametrize(
    ("schema", "sent", "problem"),
    [
        (
            {"oneOf": [MOVE, SAY]},
            {"kind": "move", "steps": "far"},
            'x.steps: expected integer, got string "far"',
        ),
        (
            {"anyOf": [SAY, MOVE]},
            {"kind": "jump", "steps": 1},
            'x.kind: expected "say", got string "jump"',
        ),
        (
            {"anyOf": [MOVE, {"type": "null"}]},
            "far",
            'x: expected object with "kind", "steps" or null, got string "far"',
        ),
        (
            {"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]},
            "c",
            'x: expected "a" or "b" or null, got string "c"',
        ),
        (
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            0,
            "x: expected integer at least 1 or null, got integer 0",
        ),
        (
            {"anyOf": [{"type": "string"}, {"items": {"type": "integer"}}]},
            [1, "a"],
            'x[1]: expected integer, got string "a"',
        ),
    ],
)
def test_the_nearest_arm_is_explained(
    fit_one: Accept, schema: Any, sent: Any, problem: str
) -> None:
    """A7: of a union the arm is told that was meant, or all that is wanted."""
    with pytest.raises(InvalidArguments) as caught:
        fit_one(schema, sent)

    assert caught.value.problems[0] == problem


def test_json_text_within_json_text_is_bounded(fit_one: Accept) -> None:
    """A9: no nesting of texts passes the depth that a value may have."""
    array = {"$ref": "#/properties/x"}
    schema = {"type": "array", "items": array}
    text = "[" * 90 + "]" * 90

    assert fit_one(schema, text) == eval(text)
    with pytest.raises(InvalidArguments, match="nested deeper than 100"):
        fit_one(schema, [[[[[[[[[[[text]]]]]]]]]]])


@pytest.mark.parametrize("value", ["1", "x"])
def test_a_walk_that_is_too_long_is_given_up(value: str) -> None:
    """A7: a walk enters 5,000 places; then it says so, with a few examples."""
    schema = ArgumentSchema({"properties": {"x": {"items": {"type": "integer"}}}})
    few, many = ["1"] * 4_998, [*["1"] * 5_000, value]

    assert schema.fit({"x": few})[0] == {"x": [1] * 4_998}
    with pytest.raises(InvalidArguments) as caught:
        schema.fit({"x": many})
    assert caught.value.problems == (
        "arguments: more than 5,000 places do not fit",
        'x[0]: expected integer, got string "1"',
        'x[1]: expected integer, got string "1"',
        'x[2]: expected integer, got string "1"',
    )


def test_a_walk_stops_at_eight_problems() -> None:
    """A6, A7: a hundred thousand wrong elements are told by the first eight."""
    schema = ArgumentSchema({"properties": {"x": {"items": {"type": "integer"}}}})

    with pytest.raises(InvalidArguments) as caught:
        schema.fit({"x": ["a"] * 100_000})

    assert len(caught.value.problems) == 8
    assert caught.value.problems[7] == 'x[7]: expected integer, got string "a"'


def test_a_thousand_arms_are_weighed() -> None:
    """A7: a union of many arms costs a visit each."""
    arms = [arm(f"k{number}", "integer") for number in range(1_000)]
    schema = ArgumentSchema({"properties": {"x": {"anyOf": arms}}})

    value, _ = schema.fit({"x": {"kind": "k700", "steps": "3"}})

    assert value == {"x": {"kind": "k700", "steps": 3}}
