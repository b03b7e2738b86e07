"""What a model reads of arguments that cannot be used, word for word."""

from collections.abc import Callable
from typing import Any

import pytest

from pegboard._arguments import read_arguments
from pegboard._arguments.wording import MAX_CHARACTERS
from pegboard.errors import InvalidArguments

Accept = Callable[..., Any]

SEARCH = {
    "properties": {
        "query": {"type": "string", "minLength": 2, "maxLength": 40},
        "order": {"enum": ["asc", "desc"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        "code": {"type": "string", "pattern": "^[A-Z]+$"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "near": {
            "type": "object",
            "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
            "required": ["lat", "lon"],
        },
        "kind": {"const": "page"},
    },
    "required": ["query"],
    "additionalProperties": False,
}
NAMES = '"query", "order", "limit", "ratio", "code", "tags", "near", "kind"'


def test_the_whole_message() -> None:
    """A6: an introduction, then a line for each problem."""
    with pytest.raises(InvalidArguments) as malformed:
        read_arguments('{"a": 1 "b": 2}')
    with pytest.raises(InvalidArguments) as truncated:
        read_arguments('{"a": "b')

    assert str(malformed.value) == (
        "The arguments are not valid JSON: expecting ',' delimiter at character 9. "
        "The tool was not run. Send the call again with one JSON object."
    )
    assert str(truncated.value) == (
        "The arguments are not valid JSON: the text is cut off inside a string. "
        "The tool was not run. Send the whole call again, shorter if an output limit "
        "was reached."
    )


def test_the_whole_message_of_what_does_not_fit(accept: Accept) -> None:
    """A6: every problem is told at once, in the order of the schema and the call."""
    with pytest.raises(InvalidArguments) as caught:
        accept(SEARCH, {"qery": "x", "limit": 99, "near": {"lat": "north"}})

    assert str(caught.value) == (
        "The arguments do not fit the input schema of the tool. It was not run. "
        "Correct this and call it again:\n"
        "- query: required, but missing; expected string of at least 2 characters and "
        "of at most 40 characters\n"
        '- qery: no such property; did you mean "query"?\n'
        "- limit: expected integer at most 50, got integer 99\n"
        "- near.lon: required, but missing; expected number\n"
        '- near.lat: expected number, got string "north"'
    )
    assert str(caught.value).split("\n- ")[1:] == list(caught.value.problems)


@pytest.mark.parametrize(
    ("name", "sent", "problem"),
    [
        ("query", "x", 'expected string of at least 2 characters, got string "x"'),
        ("query", "q" * 70, "expected string of at most 40 characters, got string "
         f'"{"q" * 60}"... (70 characters)'),
        ("query", 5.5, "expected string of at least 2 characters and of at most 40 "
         "characters, got number 5.5"),
        ("order", "up", 'expected one of "asc", "desc", got string "up"'),
        ("limit", 0, "expected integer at least 1, got integer 0"),
        ("limit", "-5", "expected integer at least 1, got integer -5"),
        ("limit", "ten", "expected integer at least 1 and at most 50, got "
         'string "ten"'),
        ("limit", [1, 2], "expected integer at least 1 and at most 50, got an array "
         "of 2 elements"),
        ("ratio", 0, "expected integer above 0, got integer 0"),
        ("ratio", 0.7, "expected number that is a multiple of 0.5, got number 0.7"),
        ("code", "no", 'expected string that matches "^[A-Z]+$", got string "no"'),
        ("tags", ["a", "a"], "expected array without equal elements, got an array of "
         "2 elements"),
        ("tags", "a,b", "expected array of strings without equal elements, got "
         'string "a,b"'),
        ("near", [], 'expected object with "lat", "lon", got an empty array'),
        ("near", "{lat: 1", 'expected object with "lat", "lon", got a text that is no '
         'JSON: the text is cut off at its end, before "}"'),
        ("kind", "post", 'expected "page", got string "post"'),
        ("limt", 3, 'no such property; did you mean "limit"?'),
        ("zzz", 3, f"no such property; the properties are {NAMES}"),
    ],
)  # fmt: skip
def test_each_problem_has_its_sentence(
    accept: Accept, name: str, sent: Any, problem: str
) -> None:
    """A6: path, what was expected, what came, and the nearest name."""
    with pytest.raises(InvalidArguments) as caught:
        accept(SEARCH, {"query": "xy", name: sent})

    assert caught.value.problems == (f"{name}: {problem}",)


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"a": [[{"b": 5.5}]]}, "a[0][0].b"),
        ({"b c": 5.5}, '["b c"]'),
        ({"a": {"": 5.5}}, 'a[""]'),
        ({"a": {"x.y": 5.5}}, 'a["x.y"]'),
        ({"größe": 5.5}, "größe"),
        ({"k" * 100: 5.5}, "k" * 57 + "..."),
    ],
)
def test_a_path_leads_to_the_place(accept: Accept, sent: Any, path: str) -> None:
    """A6: names are joined by dots, positions are in brackets, odd names quoted."""
    schema: dict[str, Any] = {"$defs": {"any": {"type": ["object", "array", "string"]}}}
    below = {"$ref": "#/$defs/any"}
    schema["$defs"]["any"] |= {"additionalProperties": below, "items": below}

    with pytest.raises(InvalidArguments) as caught:
        accept({**schema, "additionalProperties": below}, sent)

    assert caught.value.problems == (
        f"{path}: expected array or object or string, got number 5.5",
    )


@pytest.mark.parametrize(
    ("schema", "sent", "problem"),
    [
        ({"items": False}, [1], "x[0]: nothing may be given here, got integer 1"),
        ({"not": {"type": "string"}}, "a", 'x: string "a" is excluded by the schema'),
        ({"contains": {"type": "integer"}}, ["a"], "x: expected array that holds "
         "integer, got an array of 1 element"),
        ({"contains": {"const": 1}, "minContains": 2}, [1], "x: expected array that "
         "holds 1 at least 2 times, got an array of 1 element"),
        ({"contains": {"const": 1}, "maxContains": 1}, [1, 1], "x: expected array that "
         "holds 1 1 to 1 times, got an array of 2 elements"),
        ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, 'x: "b" is no name of a '
         'property; expected string that matches "^a"'),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, 'x.b: required where "a" is '
         "given, but missing"),
        ({"properties": {"a": False}}, {"a": 1}, "x.a: no such property; there are "
         "none here"),
        ({"additionalProperties": False}, {"a": 1}, "x.a: no such property; there are "
         "none here"),
        ({"patternProperties": {"^x-": {}}, "additionalProperties": False}, {"a": 1},
         'x.a: no such property; names may match "^x-"'),
        ({"properties": {"name": {}}, "unevaluatedProperties": False}, {"nam": 1},
         'x.nam: no such property; did you mean "name"?'),
        ({"required": ["title"]}, {"titel": 1}, "x.title: required, but missing; is it "
         'what "titel" was meant to be?'),
        ({"unevaluatedItems": False}, [1], "x: an array of 1 element does not fit the "
         "schema"),
        ({"enum": ["a"], "minLength": 2}, "a", "x: expected string of at least 2 "
         'characters, got string "a"'),
        ({"contains": {"const": 1}, "maxItems": 1}, [1, 2], "x: expected array of at "
         "most 1 element, got an array of 2 elements"),
        ({"dependentRequired": {"a": ["b", "c"]}}, {"a": 1, "b": 2}, "x.c: required "
         'where "a" is given, but missing'),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1, "bc": 2}, 'x: "bc" is no name '
         "of a property; expected string of at most 1 character"),
        ({"propertyNames": False}, {"a": 1}, 'x: "a" is no name of a property; '
         "expected nothing"),
        ({"enum": list(range(30))}, 99, "x: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, "
         "9, 10, 11, ... (30 in all), got integer 99"),
    ],
)  # fmt: skip
def test_rare_keywords_have_theirs(
    fit_one: Accept, schema: Any, sent: Any, problem: str
) -> None:
    """A6: a message exists for every refusal."""
    with pytest.raises(InvalidArguments) as caught:
        fit_one(schema, sent)

    assert caught.value.problems == (problem,)


def test_a_flag_of_draft_4_is_told_with_its_limit(accept: Accept) -> None:
    """A6: the words are those of every other limit."""
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"a": {"minimum": 1, "exclusiveMinimum": True}},
    }

    with pytest.raises(InvalidArguments) as caught:
        accept(schema, {"a": 1})

    assert caught.value.problems == ("a: expected integer above 1, got integer 1",)


def test_a_message_is_bounded(accept: Accept) -> None:
    """A6: at most 8 problems and 2,000 characters, and never the whole payload."""
    long = {f"{'name' * 30}{number}": "v" * 5_000 for number in range(20)}
    closed = {"properties": {}, "additionalProperties": False}

    with pytest.raises(InvalidArguments) as caught:
        accept(closed, long)

    assert 1 <= len(caught.value.problems) <= 8
    assert len(str(caught.value)) <= MAX_CHARACTERS
    assert "v" * 100 not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["password", "userPasswd", "api_key", "apiKey", "ACCESS_TOKEN", "clientSecret",
     "passphrase", "credentials"],
)  # fmt: skip
@pytest.mark.parametrize("value", ["hunter2", 4711, {"a": "hunter2"}, ["hunter2"]])
def test_what_is_secret_by_its_name_is_not_shown(
    accept: Accept, name: str, value: Any
) -> None:
    """A6: passwords and names with key, token or secret are cut."""
    schema = {"properties": {name: {"type": "boolean"}}}
    nested = {"properties": {name: {"items": {"type": "boolean"}}}}

    for given in (schema, nested):
        with pytest.raises(InvalidArguments) as caught:
            accept(given, {name: [value] if given is nested else value})

        assert "hunter2" not in str(caught.value)
        assert "4711" not in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "writeOnly": True},
        {"$ref": "#/$defs/pin"},
        {"anyOf": [{"$ref": "#/$defs/pin"}, {"type": "null"}]},
        {"type": "array", "items": {"$ref": "#/$defs/pin"}},
        {"type": "array", "items": {"type": "integer"}, "writeOnly": True},
    ],
)
def test_what_is_only_written_is_not_shown(accept: Accept, schema: Any) -> None:
    """A6: `writeOnly` hides a value, wherever in the schema it is said."""
    pin = {"type": "integer", "writeOnly": True}
    whole = {"properties": {"pin": schema}, "$defs": {"pin": pin}}

    for sent in ("hunter2", ["hunter2"]):
        with pytest.raises(InvalidArguments) as caught:
            accept(whole, {"pin": sent})

        assert "hunter2" not in str(caught.value)


def test_a_text_that_may_be_an_object_is_not_shown(fit_one: Accept) -> None:
    """A6: an object that came as text may hold what nobody should read."""
    with pytest.raises(InvalidArguments) as caught:
        fit_one({"type": "boolean"}, '{"password": "hunter2"}')

    assert caught.value.problems == (
        "x: expected boolean, got string of 23 characters that begins with {",
    )
