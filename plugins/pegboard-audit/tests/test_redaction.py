import json
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard_audit.redaction import HIDDEN, Redactor
from pegboard_audit.settings import SECRET_KEYS

SECRET = "hunter2"
NAMES = ["Authorization", "api_key", "X-Auth-TOKEN", "passWord", "client_secret"]
PLAIN = ["name", "q", "", "items", "0", "pass", "é"]

redactor = Redactor(SECRET_KEYS)


def nested(leaves, keys):
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
        ),
        max_leaves=20,
    )


scalars = st.none() | st.booleans() | st.integers() | st.sampled_from(["x", "", "é"])
plain = nested(scalars, st.sampled_from(PLAIN))
secrets = nested(st.just(SECRET), st.sampled_from([*NAMES, *PLAIN]))
mixed = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(
            st.dictionaries(st.sampled_from(PLAIN), inner, max_size=3),
            st.dictionaries(st.sampled_from(NAMES), secrets, max_size=3),
        ).map(lambda halves: {**halves[0], **halves[1]})
    ),
    max_leaves=30,
)


def without(value):
    """The value with every secret hidden, by another algorithm."""
    text = json.dumps(value)

    def hide(pairs):
        return {key: HIDDEN if key in NAMES else item for key, item in pairs}

    return json.loads(text, object_pairs_hook=hide)


@settings(deadline=None)
@given(mixed)
def test_no_secret_is_left_and_nothing_else_is_lost(value):
    """Values of secret keys are hidden at every depth, all others are kept."""
    copy = redactor.redact(value)

    assert SECRET not in json.dumps(copy)
    assert copy == without(value)


@settings(deadline=None)
@given(secrets, st.lists(st.sampled_from([*PLAIN, 0, 3]), max_size=4))
def test_a_value_below_a_secret_key_is_hidden_wherever_it_is(value, path):
    """A value taken out of its place is as secret as in it."""
    copy = redactor.redact_at(("config", "Api-Key", *path), value)

    assert copy == HIDDEN


def test_a_value_keeps_its_place():
    """A value that is not secret comes back as it is, without what is around it."""
    copy = redactor.redact_at(("a", 2, "b"), {"c": 1, "token": 2})

    assert copy == {"c": 1, "token": HIDDEN}


def secret_at(schema):
    return {"type": "object", "properties": {"a": schema}}


WRITE_ONLY = {"type": "string", "writeOnly": True}
INNER = {"properties": {"pin": WRITE_ONLY}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (secret_at(WRITE_ONLY), {"a": SECRET}),
        (secret_at({"type": "string", "format": "password"}), {"a": SECRET}),
        (secret_at(INNER), {"a": {"pin": SECRET, "b": 1}}),
        (secret_at({"anyOf": [{"type": "null"}, INNER]}), {"a": {"pin": SECRET}}),
        (secret_at({"allOf": [{"oneOf": [INNER]}]}), {"a": {"pin": SECRET}}),
        (secret_at({"if": {}, "then": INNER}), {"a": {"pin": SECRET}}),
        (secret_at({"items": INNER}), {"a": [{"pin": SECRET}]}),
        (secret_at({"items": WRITE_ONLY}), {"a": [SECRET, SECRET]}),
        (secret_at({"prefixItems": [{}, WRITE_ONLY]}), {"a": [1, SECRET]}),
        (secret_at({"additionalProperties": WRITE_ONLY}), {"a": {"x": SECRET}}),
        (
            secret_at({"patternProperties": {"^x": INNER}}),
            {"a": {"x": {"pin": SECRET}}},
        ),
        (secret_at({"dependentSchemas": {"b": INNER}}), {"a": {"pin": SECRET}}),
        (
            {**secret_at({"$ref": "#/$defs/a~1b%25"}), "$defs": {"a/b%": INNER}},
            {"a": {"pin": SECRET}},
        ),
        (
            {**secret_at({"$ref": "#"}), "allOf": [INNER]},
            {"a": {"a": {"pin": SECRET}}},
        ),
        ({"allOf": [{"properties": {"a": WRITE_ONLY}}]}, {"a": SECRET}),
        (secret_at({"$ref": "#/allOf/0"}) | {"allOf": [WRITE_ONLY]}, {"a": SECRET}),
    ],
)
def test_what_the_schema_marks_write_only_is_hidden(schema, value):
    """A writeOnly place is secret, however the schema says which place it is."""
    copy = Redactor([]).redact(value, schema)

    assert SECRET not in json.dumps(copy)
    assert HIDDEN in json.dumps(copy)


@pytest.mark.parametrize(
    "reference", ["#anchor", "#/$defs/none", "#/allOf/x", "other.json", 7, None]
)
def test_what_cannot_be_looked_up_is_hidden(reference):
    """A place whose schema is out of reach may be secret, so it is."""
    schema = {"properties": {"a": {"$ref": reference}}, "allOf": [{}]}

    assert Redactor([]).redact({"a": 1, "b": 2}, schema) == {"a": HIDDEN, "b": 2}


def test_what_the_schema_lets_show_is_shown():
    """A property of its own is no additional one."""
    schema = {"properties": {"a": {}}, "additionalProperties": WRITE_ONLY}

    assert Redactor([]).redact({"a": 1, "b": 2}, schema) == {"a": 1, "b": HIDDEN}


def test_a_schema_that_refers_to_itself_ends():
    """A cycle of references is walked once."""
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}

    assert Redactor([]).redact({"a": [1]}, schema) == {"a": [1]}


def test_a_schema_of_booleans_and_nonsense_hides_nothing():
    """Keywords of the wrong shape are passed over."""
    schema = {"properties": [1], "patternProperties": True, "items": False}

    assert Redactor([]).redact({"a": [1]}, schema) == {"a": [1]}


def test_what_is_no_json_becomes_json():
    """A record can be written whatever the host passed."""
    deep = value = {}
    for _ in range(200):
        value["a"] = value = {}
    odd = {
        1: float("nan"),
        "uuid": UUID(int=0),
        "time": datetime(2026, 1, 31, tzinfo=UTC),
        "object": object(),
        "huge": 10**5000,
        "long": "x" * 5000,
        "deep": deep,
    }
    copy = redactor.redact(odd)

    text = json.dumps(copy, allow_nan=False)
    assert copy["1"] == "nan"
    assert copy["uuid"] == "00000000-0000-0000-0000-000000000000"
    assert copy["time"] == "2026-01-31 00:00:00+00:00"
    assert (copy["object"], copy["huge"]) == ("<object>", "<int>")
    assert copy["long"] == "x" * 4096 + "... (5000 characters)"
    assert "<dict>" in text


def test_the_globs_are_the_settings():
    """A key is secret if a glob fits it whole, whatever its case."""
    redactor = Redactor(["pin", "x_*"])

    copy = redactor.redact({"PIN": 1, "pint": 2, "X_Y": 3, "ax_": 4, "token": 5})

    assert copy == {"PIN": HIDDEN, "pint": 2, "X_Y": HIDDEN, "ax_": 4, "token": 5}
