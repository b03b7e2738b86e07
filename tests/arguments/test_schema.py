"""Compiling an input schema: what is refused, what is mended, what is bounded."""

from typing import Any

import pytest

from pegboard._arguments import ArgumentSchema, SchemaError, compile_output
from pegboard._frozen import freeze
from pegboard.errors import InvalidArguments

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def test_the_schema_is_copied_in() -> None:
    """V3: what happens to a schema later changes no decision."""
    properties: dict[str, Any] = {"a": {"type": "integer"}}
    schema = ArgumentSchema({"properties": properties})

    properties["a"]["type"] = "string"

    assert schema.is_valid({"a": 1})
    assert not schema.is_valid({"a": "x"})
    assert properties == {"a": {"type": "string"}}


def test_a_read_only_schema_compiles() -> None:
    """A7: the schema of a definition is frozen, and is taken as it is."""
    schema = ArgumentSchema(freeze({"properties": {"a": {"enum": ["x"]}}}))

    assert schema.is_valid({"a": "x"})
    assert not schema.is_valid({"a": "y"})


@pytest.mark.parametrize("schema", [{}, {"type": None}, {"properties": {}}])
def test_a_root_without_a_type_is_an_object(schema: Any) -> None:
    """A7: a root that names no type admits objects only."""
    compiled = ArgumentSchema(schema)

    assert compiled.is_valid({"anything": [1]})
    assert not compiled.is_valid([1])


@pytest.mark.parametrize(
    ("schema", "path", "reason"),
    [
        ({"type": "objekt"}, "/type", "'objekt' is not valid"),
        ({"type": "string"}, "/type", "arguments are an object"),
        ({"properties": []}, "/properties", "is not of type 'object'"),
        (
            {"properties": {"a": {"title": {"type": "string"}}}},
            "/properties/a/title",
            "is not of type 'string'",
        ),
        ({"properties": {"a/b": 3}}, "/properties/a~1b", "3 is not of type"),
        ({"required": ["a", "a"]}, "/required", "non-unique"),
        ({"properties": {"a": {"minimum": "1"}}}, "/properties/a/minimum", "'1'"),
        ({"properties": {"a": {"$ref": "#/b"}}}, "/properties/a/$ref", "'/b'"),
        ({"properties": {"a": {"$ref": "#b"}}}, "/properties/a/$ref", "b"),
        (
            {"properties": {"a": {"$ref": "http://169.254.169.254/latest/"}}},
            "/properties/a/$ref",
            "cannot fetch",
        ),
        ({"allOf": [{"$ref": "file:///etc/passwd"}]}, "/allOf/0/$ref", "cannot fetch"),
        ({"$ref": "other.json"}, "/$ref", "other.json"),
        (
            {
                "properties": {"b": {"$ref": "#/$defs/b"}, "a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {}},
            },
            "/properties/b/$ref",
            "/\\$defs/b",
        ),
        ({"$ref": "#/title/x", "title": "a"}, "/$ref", "/title/x"),
        ({"$id": "http://["}, "", "Invalid URI"),
        ({"$schema": 3}, "/$schema", "3 is not of type 'string'"),
        ({"$schema": "https://example.com/mine"}, "", "mine"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "", "draft-03"),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern", "pattern"),
        (
            {"patternProperties": {"^(?=a)b": {}}},
            "/patternProperties",
            "looks around or back",
        ),
    ],
)  # fmt: skip
def test_an_invalid_schema_is_refused_with_its_path(
    schema: Any, path: str, reason: str
) -> None:
    """A7: what cannot decide is refused when it is compiled; nothing is fetched."""
    with pytest.raises(SchemaError, match=reason) as caught:
        ArgumentSchema(schema)

    assert caught.value.path == path
    assert str(caught.value).startswith(path or "root")


def test_an_unused_dangling_reference_does_no_harm() -> None:
    """A7: only what decides has to lead somewhere."""
    schema = ArgumentSchema({"$defs": {"a": {"$ref": "#/$defs/gone"}}})

    assert schema.is_valid({})


@pytest.mark.parametrize(
    ("schema", "cycle"),
    [
        (
            {
                "properties": {"x": {"$ref": "#/$defs/A"}},
                "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
            },
            "#/$defs/A -> #/$defs/B -> #/$defs/A",
        ),
        ({"$ref": "#"}, "# -> #"),
        (
            {"properties": {"x": {"anyOf": [{"$ref": "#/properties/x"}, True]}}},
            "#/properties/x -> #/properties/x/anyOf/0 -> #/properties/x",
        ),
        (
            {"allOf": [{"not": {"$ref": "#me"}}], "$anchor": "me"},
            "# -> #/allOf/0 -> #/allOf/0/not -> #",
        ),
    ],
)
def test_a_reference_cycle_that_consumes_nothing_is_refused(
    schema: Any, cycle: str
) -> None:
    """A7: references that lead back over the same value would decide nothing."""
    with pytest.raises(SchemaError, match="lead back") as caught:
        ArgumentSchema(schema)

    assert cycle in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"kids": {"items": {"$ref": "#"}}}},
        {"$defs": {"A": {"$ref": "#/$defs/A"}}},
        {
            "$defs": {"N": {"anyOf": [{"items": {"$ref": "#/$defs/N"}}, True]}},
            "properties": {"n": {"$ref": "#/$defs/N"}},
        },
    ],
)
def test_recursion_that_consumes_is_no_cycle(schema: Any) -> None:
    """A7: a tree refers to itself; so may what is never reached."""
    assert ArgumentSchema(schema).is_valid({})


@pytest.mark.parametrize(
    "definition",
    [
        lambda next_: {"anyOf": [next_, next_]},
        lambda next_: {"if": next_, "then": next_, "else": next_},
        lambda next_: {
            "anyOf": [{"properties": {"a": next_}}, {"properties": {"a": next_}}]
        },
        lambda next_: {"allOf": [{"items": next_}, {"items": next_}]},
    ],
    ids=["union", "condition", "properties", "elements"],
)
def test_references_that_multiply_are_refused(definition: Any) -> None:
    """A7: no schema keeps the validator busy without end."""
    chain = {f"d{i}": definition({"$ref": f"#/$defs/d{i + 1}"}) for i in range(40)}
    schema = {
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": {**chain, "d40": {"type": "integer"}},
    }

    with pytest.raises(SchemaError, match="multiply to more than 10,000 checks"):
        ArgumentSchema(schema)


@pytest.mark.parametrize("length", [60, 3_000])
def test_a_long_chain_of_references_is_refused(length: int) -> None:
    """A7: fifty references one after the other are enough for anybody."""
    chain = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(length)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**chain, f"d{length}": {}}}

    with pytest.raises(SchemaError, match="a chain of more than 50 references"):
        ArgumentSchema(schema)


@pytest.mark.parametrize("levels", [2_000, 300])
def test_a_schema_that_is_too_deep_is_refused(levels: int) -> None:
    """A7: a schema may be hostile, and the host lives."""
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}

    with pytest.raises(SchemaError, match="too deep"):
        ArgumentSchema(schema)


@pytest.mark.parametrize(
    ("schema", "fits", "unfit"),
    [
        ({"required": None, "properties": None}, {}, None),
        ({"properties": {"a": {"minimum": None, "enum": [1]}}}, {"a": 1}, {"a": 2}),
        ({"properties": {"a": {"const": None}}}, {"a": None}, {"a": 1}),
        (
            {"properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}},
            {"a": 2},
            {"a": 1},
        ),
        (
            {"properties": {"a": {"maximum": 1, "exclusiveMaximum": False}}},
            {"a": 1},
            {"a": 2},
        ),
        ({"properties": {"a": {"exclusiveMaximum": True}}}, {"a": 5}, None),
        (
            {
                "$schema": DRAFT_4,
                "properties": {"a": {"minimum": 1, "exclusiveMinimum": True}},
            },
            {"a": 2},
            {"a": 1},
        ),
    ],
)  # fmt: skip
def test_slips_of_generators_are_mended(schema: Any, fits: Any, unfit: Any) -> None:
    """A7: a keyword that is null is absent, and a flag of draft 4 is understood."""
    compiled = ArgumentSchema(schema)

    assert compiled.is_valid(fits)
    assert unfit is None or not compiled.is_valid(unfit)


def test_a_property_may_have_the_name_of_a_keyword() -> None:
    """A7: what is mended is keywords, not properties that are called like them."""
    schema = ArgumentSchema(
        {"properties": {"required": {"type": "boolean"}, "enum": {"default": None}}}
    )

    assert schema.is_valid({"required": True, "enum": None})
    assert not schema.is_valid({"required": 1})


@pytest.mark.parametrize(
    "draft",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
def test_format_is_an_annotation_in_every_draft(draft: str) -> None:
    """A7: five drafts are known by `$schema`, and none asserts `format`."""
    schema = ArgumentSchema(
        {
            "$schema": draft,
            "properties": {"when": {"type": "string", "format": "date-time"}},
        }
    )

    assert schema.is_valid({"when": "next Tuesday"})
    assert not schema.is_valid({"when": 3})


def test_the_draft_decides_what_a_keyword_means() -> None:
    """A7: 2020-12 is the default; a list of `items` is a tuple before it."""
    pair = {"type": "array", "items": [{"type": "integer"}, {"type": "string"}]}
    old = ArgumentSchema({"$schema": DRAFT_7, "properties": {"a": pair}})

    assert not old.is_valid({"a": ["x", 1]})
    with pytest.raises(SchemaError):
        ArgumentSchema({"properties": {"a": pair}})


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "^(\\w+\\s?)*$", "(x+x+)+y", "(a|aa)+$", "^\\p{L}+$"]
)
def test_patterns_run_in_linear_time(pattern: str) -> None:
    """A7: no text makes a pattern backtrack."""
    schema = ArgumentSchema({"properties": {"s": {"pattern": pattern}}})

    assert not schema.is_valid({"s": "a" * 500_000 + "!"})
    assert schema.notes == ()


@pytest.mark.parametrize("draft", [DRAFT_4, DRAFT_7, None])
def test_a_pattern_that_looks_around_is_tried_on_short_texts(draft: str | None) -> None:
    """A7: look-around works up to 1,000 characters, and is noted."""
    schema = ArgumentSchema(
        {
            "$schema": draft,
            "properties": {"s": {"pattern": "^(?!no)(?=(y+))\\1z"}},
            "additionalProperties": True,
            "patternProperties": {"^n": {"pattern": "^n"}},
        }
    )

    assert schema.is_valid({"s": "yyz"})
    assert schema.is_valid({"s": 5})
    assert not schema.is_valid({"s": "nyz"})
    assert not schema.is_valid({"s": "yz" + "y" * 1_000})
    assert schema.is_valid({"s": "yz", "n": "n"})
    (note,) = schema.notes
    assert "/properties/s/pattern" in note
    with pytest.raises(
        InvalidArguments, match="of at most 1,000 characters that match"
    ):
        schema.fit({"s": "y" * 500_000})


def test_hidden_names_are_refused_in_an_open_schema() -> None:
    """V4: an argument of the name of an injected parameter is refused."""
    schema = ArgumentSchema({"properties": {"a": {}}}, hidden={"context", "api_key"})

    assert schema.is_valid({"a": 1, "other": 2})
    assert schema.is_valid({"a": {"context": 1}})
    assert not schema.is_valid({"a": 1, "context": 2})
    with pytest.raises(InvalidArguments) as caught:
        schema.fit({"a": 1, "context": None, "api_key": "x"})
    assert caught.value.problems == (
        'context: no such property; the properties are "a"',
        'api_key: no such property; the properties are "a"',
    )


@pytest.mark.parametrize("inner", [{"context": 1}, '{"context": 1}'])
def test_hidden_names_are_refused_in_an_envelope(inner: Any) -> None:
    """V4: neither an envelope nor JSON text smuggles a hidden name in."""
    schema = ArgumentSchema({"required": ["a"]}, hidden={"context", "args"})

    for value in ({"arguments": {"a": 1, "context": 2}}, {"args": {"a": 1}}):
        with pytest.raises(InvalidArguments):
            schema.fit(value)
    with pytest.raises(InvalidArguments):
        schema.fit({"input": inner})


def test_an_output_schema_may_want_any_type() -> None:
    """V8: the data of a result is judged like arguments, but need be no object."""
    is_valid = compile_output({"type": ["array", "null"], "items": {"type": "integer"}})

    assert is_valid([1, 2])
    assert is_valid(None)
    assert not is_valid(["x"])
    with pytest.raises(SchemaError):
        compile_output({"type": "lots"})
