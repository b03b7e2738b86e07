"""Coercion: toward the schema, without loss, only of what does not fit."""

from collections.abc import Callable
from typing import Any

import pytest

from pegboard.errors import InvalidArguments

Accept = Callable[..., Any]

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
STRING = {"type": "string"}
INTEGERS = {"type": "array", "items": INTEGER}
STRINGS = {"type": "array", "items": STRING}
POINT = {
    "type": "object",
    "properties": {"x": INTEGER, "label": STRING},
    "required": ["x"],
    "additionalProperties": False,
}

CHANGED = [
    (INTEGER, "3", 3),
    (INTEGER, " 3 ", 3),
    (INTEGER, "-3", -3),
    (INTEGER, "3.0", 3),
    (INTEGER, "9" * 4_300, 10**4_300 - 1),
    (NUMBER, "3", 3),
    (NUMBER, "3.25", 3.25),
    (NUMBER, "-0.1", -0.1),
    (NUMBER, "12345678901234567890", 12345678901234567890),
    (BOOLEAN, "true", True),
    (BOOLEAN, "False", False),
    (BOOLEAN, "TRUE ", True),
    (BOOLEAN, 1, True),
    (BOOLEAN, 0, False),
    (STRING, 123, "123"),
    (STRING, -(10**30), "-" + "1" + "0" * 30),
    ({"type": ["integer", "null"]}, "null", None),
    ({"type": ["integer", "null"]}, "42", 42),
    ({"anyOf": [INTEGER, {"type": "null"}]}, "42", 42),
    ({"anyOf": [INTEGER, {"type": "null"}]}, " null ", None),
    (POINT, '{"x": 1}', {"x": 1}),
    (POINT, '{"x": "1"}', {"x": 1}),
    (POINT, "{'x': 1,}", {"x": 1}),
    (POINT, '```json\n{"x": 1}\n```', {"x": 1}),
    (INTEGERS, "[1, 2]", [1, 2]),
    (INTEGERS, "[1, \n 2,]", [1, 2]),
    (INTEGERS, 14, [14]),
    (INTEGERS, "14", [14]),
    (INTEGERS, ["1", 2, "3"], [1, 2, 3]),
    (STRINGS, "red", ["red"]),
    (STRINGS, '["a, b"]', ["a, b"]),
    ({"type": "array", "items": POINT}, {"x": 1}, [{"x": 1}]),
    ({"type": "array", "items": POINT}, ['{"x": 1}'], [{"x": 1}]),
    ({"type": "array"}, True, [True]),
    ({"enum": ["markdown", "json"]}, "MARKDOWN", "markdown"),
    ({"enum": ["ASC", "DESC"]}, " asc", "ASC"),
    ({"const": "Straße"}, "STRASSE", "Straße"),
    ({"type": "string", "enum": ["1", "2"]}, 1, "1"),
    ({"type": "integer", "enum": [1, 2]}, "2", 2),
    ({"type": "object", "additionalProperties": INTEGER}, {"a": "3"}, {"a": 3}),
    ({"type": "object", "patternProperties": {"^n": INTEGER}}, {"n": "3"}, {"n": 3}),
    ({"prefixItems": [INTEGER], "items": BOOLEAN}, ["1", 0], [1, False]),
    ({"allOf": [{"properties": {"a": INTEGER}}, {"properties": {"b": STRING}}]},
     {"a": "1", "b": 2}, {"a": 1, "b": "2"}),
    ({"if": {"properties": {"k": {"const": 1}}}, "then": {"properties": {"v": INTEGER}},
      "else": {"properties": {"v": STRING}}}, {"k": 1, "v": "5"}, {"k": 1, "v": 5}),
    ({"dependentSchemas": {"a": {"properties": {"b": INTEGER}}}},
     {"a": 1, "b": "2"}, {"a": 1, "b": 2}),
    ({"properties": {"a": {}}, "unevaluatedProperties": INTEGER},
     {"a": "x", "b": "2"}, {"a": "x", "b": 2}),
    ({"properties": {"a": INTEGER}, "unevaluatedProperties": INTEGER},
     {"a": "1", "b": 2}, {"a": 1, "b": 2}),
    ({"properties": {"a": INTEGER}}, {"a": None, "b": None}, {"b": None}),
    ({"properties": {"a": INTEGER}}, {"a": ""}, {}),
    ({"properties": {"a": {"enum": ["b"]}}}, {"a": None}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "became"), CHANGED)
def test_a_value_becomes_what_it_says(
    fit_one: Accept, schema: Any, sent: Any, became: Any
) -> None:
    """A5: each rule changes a value to the one of the wanted type that it means."""
    assert repr(fit_one(schema, sent)) == repr(became)


@pytest.mark.parametrize(("schema", "sent", "became"), CHANGED)
def test_strict_changes_nothing(
    fit_one: Accept, schema: Any, sent: Any, became: Any
) -> None:
    """A5: in strict mode what would be coerced is invalid."""
    del became
    with pytest.raises(InvalidArguments) as caught:
        fit_one(schema, sent, strict=True)

    assert caught.value.code == "invalid_arguments"
    assert caught.value.problems


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (STRING, "3"),
        (STRING, ""),
        (STRING, '{"a": 1}'),
        ({}, '["u1"]'),
        ({"type": ["string", "integer"]}, "0042"),
        ({"anyOf": [INTEGER, STRING]}, "0042"),
        ({"anyOf": [INTEGERS, STRING]}, "[1]"),
        ({"anyOf": [STRINGS, STRING]}, ["a"]),
        ({"type": ["integer", "null"]}, None),
        ({"type": ["string", "null"]}, "null"),
        (NUMBER, 3),
        (NUMBER, 1.5),
        ({"enum": [1, "1"]}, "1"),
        ({"enum": ["a", "A"]}, "A"),
        (POINT, {"x": 0}),
        (INTEGERS, []),
        (BOOLEAN, False),
    ],
)
def test_what_fits_is_never_changed(fit_one: Accept, schema: Any, value: Any) -> None:
    """A5: a value that fits, by any arm of a union, is handed on as it is."""
    assert repr(fit_one(schema, value)) == repr(value)


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        (BOOLEAN, "yes"),
        (BOOLEAN, "1"),
        (BOOLEAN, "on"),
        (BOOLEAN, 2),
        (BOOLEAN, 1.0),
        (BOOLEAN, None),
        (INTEGER, True),
        (INTEGER, None),
        (INTEGER, 0.5),
        (INTEGER, "2.5"),
        (INTEGER, "1e3"),
        (INTEGER, "0x10"),
        (INTEGER, "1_000"),
        (INTEGER, "1,000"),
        (INTEGER, "+3"),
        (INTEGER, "007"),
        (INTEGER, "٣"),
        (INTEGER, ""),
        (INTEGER, "3 4"),
        (INTEGER, [3]),
        (INTEGER, "9" * 4_301),
        (NUMBER, "NaN"),
        (NUMBER, "Infinity"),
        (NUMBER, "1e400"),
        (NUMBER, "3.14159265358979323846"),
        (NUMBER, "0." + "3" * 500),
        (STRING, None),
        (STRING, True),
        (STRING, 1.5),
        (STRING, ["a"]),
        (STRING, {"a": 1}),
        (STRINGS, "red,green"),
        (STRINGS, "red; green"),
        (STRINGS, "red\ngreen"),
        (STRINGS, ""),
        (STRINGS, "[red"),
        (STRINGS, None),
        (INTEGERS, {"item": 14}),
        ({"type": "array", "items": INTEGERS}, [1, 2]),
        ({"type": "array", "items": INTEGERS}, 1),
        (INTEGERS, "[1, 2"),
        (POINT, ""),
        (POINT, '{"x": 1'),
        (POINT, '{"x": 1, "x": 2}'),
        (POINT, "[1]"),
        (POINT, [{"x": 1}]),
        ({"additionalProperties": INTEGER}, {"ann": None}),
        ({"patternProperties": {"^a": INTEGER}}, {"ann": ""}),
        ({"type": ["integer", "null"]}, "None"),
        ({"enum": [1, 2, 3]}, "2"),
        ({"enum": ["a", "A"]}, " a"),
        ({"enum": ["a", "b"]}, "c"),
        ({"type": "string", "minLength": 1}, ""),
        ({"anyOf": [{"type": "string", "maxLength": 2}, {"type": "null"}]}, "null"),
        ({"type": "integer", "minimum": 1}, "0"),
        ({"not": STRING}, "3"),
    ],
)
def test_what_would_be_a_guess_is_refused(
    fit_one: Accept, schema: Any, sent: Any
) -> None:
    """A5: no zero for null, no truth for a word, no rounding, no splitting."""
    with pytest.raises(InvalidArguments) as caught:
        fit_one(schema, sent)

    assert caught.value.code == "invalid_arguments"


@pytest.mark.parametrize(
    ("schema", "sent", "rule", "path"),
    [
        (INTEGER, "3", "text_to_number", ["x"]),
        (BOOLEAN, "true", "text_to_boolean", ["x"]),
        (BOOLEAN, 1, "number_to_boolean", ["x"]),
        (STRING, 1, "integer_to_text", ["x"]),
        ({"type": ["null", "integer"]}, "null", "text_to_null", ["x"]),
        (STRINGS, "a", "lone_element", ["x"]),
        ({"enum": ["a"]}, "A", "enum_member", ["x"]),
        (POINT, {"x": 1, "label": None}, "dropped", ["x", "label"]),
        (INTEGERS, [1, "2"], "text_to_number", ["x", 1]),
    ],
)
def test_a_change_is_recorded(
    accept: Accept, schema: Any, sent: Any, rule: str, path: list[Any]
) -> None:
    """A5: each change is a Repair: where, by which rule, from what, to what."""
    whole = {"properties": {"x": schema}}

    value, (repair,) = accept(whole, {"x": sent})

    for step in path[:-1]:
        sent, value = {"x": sent}[step] if step == "x" else sent[step], value[step]
    before = sent if len(path) == 1 else sent[path[-1]]
    after = value.get(path[-1]) if rule == "dropped" else value[path[-1]]
    assert list(repair.path) == path
    assert (repair.rule, repair.before, repair.after) == (rule, before, after)


def test_repairs_of_a_text_in_the_arguments_carry_its_path(accept: Accept) -> None:
    """A2, A5: JSON text inside arguments is read by the same rules as the whole."""
    schema = {"properties": {"p": POINT, "q": POINT}}

    value, repairs = accept(schema, {"p": "{x: '1', label: 'a\nb'}", "q": {"x": 2}})

    assert value == {"p": {"x": 1, "label": "a\nb"}, "q": {"x": 2}}
    assert [(each.path, each.rule) for each in repairs] == [
        (("p",), "text_to_json"),
        (("p",), "bare_keys"),
        (("p",), "single_quotes"),
        (("p",), "control_characters"),
        (("p", "x"), "text_to_number"),
    ]


def test_a_repair_keeps_what_the_body_may_change(accept: Accept) -> None:
    """A5, A8: what a Repair shows is no part of the arguments."""
    value, (repair,) = accept({"properties": {"x": POINT}}, {"x": '{"x": 1}'})

    value["x"]["x"] = 2

    assert repair.after == {"x": 1}


def test_what_is_given_is_not_changed(accept: Accept) -> None:
    """A4: coercion makes new values and leaves those it was given."""
    sent = {"a": ["1", {"b": "2"}], "c": None}
    element = {"type": ["integer", "object"], "properties": {"b": INTEGER}}
    schema = {"properties": {"a": {"items": element}, "c": INTEGER}}

    value, _ = accept(schema, sent)

    assert value == {"a": [1, {"b": 2}]}
    assert sent == {"a": ["1", {"b": "2"}], "c": None}


def test_defaults_are_not_filled_in(accept: Accept) -> None:
    """A5: a default in a hand-written schema is the tool's own business."""
    schema = {"properties": {"a": {**INTEGER, "default": 5}, "b": INTEGER}}

    assert accept(schema, {"b": "1"})[0] == {"b": 1}


def test_draft_4_knows_no_whole_numbers_with_a_fraction(accept: Accept) -> None:
    """A5: where 3.0 is no integer to the schema, it is made one."""
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"a": INTEGER},
    }

    assert repr(accept(schema, {"a": 3.0})[0]) == "{'a': 3}"


def test_an_object_may_become_a_list_on_the_way(accept: Accept) -> None:
    """A5: whatever a dependent schema makes of an object, nothing breaks."""
    inner = {
        "dependentSchemas": {"a": {"type": "array"}, "b": {"required": ["c"]}},
        "propertyNames": {"maxLength": 3},
        "unevaluatedProperties": INTEGER,
    }

    value, _ = accept({"properties": {"x": inner}}, {"x": {"a": 1, "b": 2}})

    assert value == {"x": [{"a": 1, "b": 2}]}


def test_null_for_a_required_property_stays_wrong(accept: Accept) -> None:
    """A5: null is dropped where the property is optional, and only there."""
    schema = {"properties": {"a": INTEGER, "b": INTEGER}, "required": ["a"]}

    assert accept(schema, {"a": 1, "b": None})[0] == {"a": 1}
    with pytest.raises(InvalidArguments, match="a: expected integer, got null"):
        accept(schema, {"a": None})


@pytest.mark.parametrize(
    "name", ["arguments", "args", "input", "parameters", "params", "kwargs"]
)
@pytest.mark.parametrize("inner", [{"x": "1"}, '{"x": "1",}'])
def test_a_lone_envelope_is_opened(accept: Accept, name: str, inner: Any) -> None:
    """A5: a lone undeclared key of six names is unwrapped if only its content fits."""
    value, repairs = accept(POINT, {name: inner})

    assert value == {"x": 1}
    assert repairs[0].to_dict() == {
        "path": [],
        "rule": "unwrapped",
        "before": name,
        "after": None,
    }


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        (POINT, {"payload": {"x": 1}}),
        (POINT, {"properties": {"x": 1}}),
        (POINT, {"args": {"x": 1}, "label": "a"}),
        (POINT, {"args": {"y": 1}}),
        (POINT, {"args": [{"x": 1}]}),
        (POINT, {"args": '{"x": 1'}),
        (POINT, {"args": {"args": {"x": 1}}}),
        ({**POINT, "properties": {**POINT["properties"], "args": INTEGER}},
         {"args": {"x": 1}}),
        ({**POINT, "patternProperties": {"^a": INTEGER}}, {"args": {"x": 1}}),
    ],
)  # fmt: skip
def test_any_other_wrapping_is_refused(accept: Accept, schema: Any, sent: Any) -> None:
    """A5: other names, siblings, declared keys and a second layer are left alone."""
    with pytest.raises(InvalidArguments):
        accept(schema, sent)


def test_an_envelope_that_fits_is_kept(accept: Accept) -> None:
    """A5: where the schema is open and wants nothing, an envelope is an argument."""
    sent = {"args": {"x": 1}}

    assert accept({"properties": {"x": INTEGER}}, sent) == (sent, ())
