"""Schemas that broke other products, in every dialect (W numbers: the log of cases)."""

import json

import pytest

from pegboard import ToolDefinition, dialects
from pegboard.dialects import anthropic, gemini, ollama, openai_chat, openai_responses

NODE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["value"],
}
TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "required": ["root"],
    "$defs": {"Node": NODE},
}


def strict(schema):
    [made] = openai_responses.tools([ToolDefinition("t", "T.", schema)], strict=True)
    return made


def json_schema(schema):
    [tool] = gemini.tools([ToolDefinition("t", "T.", schema)])
    return tool["functionDeclarations"][0]["parametersJsonSchema"]


def openapi(schema):
    [tool] = gemini.tools([ToolDefinition("t", "T.", schema)], openapi=True)
    return tool["functionDeclarations"][0]["parameters"]


def portable(schema):
    [tool] = openai_responses.tools([ToolDefinition("t", "T.", schema)])
    return tool["parameters"]


def one(schema, **keywords):
    return {"type": "object", "properties": {"x": schema}, **keywords}


def test_w123_a_reference_to_a_sibling_property():
    """L2: a pointer into properties becomes a definition, or what it names."""
    headers = {"type": "object", "additionalProperties": {"type": "string"}}
    schema = {
        "type": "object",
        "properties": {"headers": headers, "x": {"$ref": "#/properties/headers"}},
    }

    kept = portable(schema)

    assert kept["properties"]["x"] == {"$ref": "#/$defs/headers"}
    assert kept["$defs"]["headers"] == headers
    assert json_schema(schema)["properties"]["x"] == headers


def test_w124_w143_a_recursive_schema_ends():
    """L2: targets with definitions keep the loop; others get one level and a note."""
    definition = ToolDefinition("t", "T.", TREE)

    assert portable(TREE)["$defs"]["Node"] == NODE
    assert strict(TREE)["strict"] is True
    assert json_schema(TREE)["$defs"]["Node"] == NODE
    assert openapi(TREE)["properties"]["root"]["properties"]["children"]["items"] == {
        "type": "object",
        "description": "[shaped like Node again]",
    }
    [loss] = ollama.losses([definition])
    assert (loss.kind, loss.keyword) == ("described", "$ref")
    [refusal, *_] = anthropic.losses([definition], strict=True)
    assert refusal.message == (
        "Anthropic's strict mode does not take it: a schema that leads back to itself"
    )


def test_w125_a_reference_that_leads_to_itself_ends():
    """L2: a cycle that consumes nothing is written out without end nowhere."""
    loop = {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}
    schema = one({"$ref": "#/$defs/A"}, **{"$defs": loop})

    assert portable(schema)["$defs"] == loop
    assert "$ref" not in json.dumps(openapi(schema))


def test_w126_a_remote_reference_is_never_followed():
    """L2: nothing is fetched; the place takes any value and says what was lost."""
    schema = one({"$ref": "http://169.254.169.254/latest/meta-data/"})

    made = portable(schema)["properties"]["x"]

    assert "$ref" not in made
    assert made["description"].startswith("[leads nowhere: http://169.254.169.254")


def test_w129_the_arms_of_a_tagged_union_stay_apart():
    """L2: `oneOf` becomes `anyOf` without loss where a tag tells the arms apart."""

    def arm(kind, steps):
        return {
            "type": "object",
            "properties": {"kind": {"const": kind}, "steps": {"type": steps}},
            "required": ["kind", "steps"],
        }

    schema = one({"oneOf": [arm("move", "integer"), arm("say", "string")]})
    definition = ToolDefinition("t", "T.", schema)

    arms = strict(schema)["parameters"]["properties"]["x"]["anyOf"]
    assert [arm.get("type") for arm in arms] == ["object", "object", "null"]
    assert openai_responses.losses([definition], strict=True) == []
    assert gemini.losses([definition]) == []


def test_w134_an_empty_schema_is_an_object_without_properties():
    """L2: {} allows everything; the provider gets an object."""
    for name in dialects.NAMES:
        assert '"type": "object"' in json.dumps(
            dialects.load(name).tools([ToolDefinition("t", "T.", {})])
        )


def test_w135_a_list_of_values_without_type_gets_theirs():
    """L2: no node without a type: it is that of its values."""
    node = portable(one({"enum": [1, 2, 3]}))["properties"]["x"]

    assert node == {"type": "integer", "enum": [1, 2, 3]}


def test_w139_gemini_gets_only_words_it_knows():
    """L2: null is `nullable`, an exclusive bound of integers the next integer."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **one({"type": ["integer", "null"], "exclusiveMinimum": 0}),
        "additionalProperties": False,
    }

    assert openapi(schema) == {
        "type": "object",
        "properties": {"x": {"type": "integer", "nullable": True, "minimum": 1}},
    }
    assert json_schema(schema)["properties"]["x"] == {
        "type": ["integer", "null"],
        "minimum": 1,
    }


def test_w140_no_node_is_left_without_a_type():
    """L2: references are followed, unions translated, what is required is there."""
    schema = {
        "properties": {
            "cfg": {"$ref": "#/$defs/Cfg"},
            "v": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "any": {},
        },
        "required": ["cfg", "gone"],
        "$defs": {"Cfg": one({"not": {"type": "null"}})},
    }

    made = openapi(schema)

    assert made["properties"]["v"] == {
        "anyOf": [{"type": "string"}, {"type": "integer"}]
    }
    assert "anyOf" in made["properties"]["any"]
    assert "anyOf" in made["properties"]["cfg"]["properties"]["x"]
    assert made["required"] == ["cfg", "gone"]
    assert "gone" in made["properties"]


def test_w141_nothing_stands_beside_a_reference():
    """L2: where a provider refuses that, the reference is followed or wrapped."""
    beside = {"$ref": "#/$defs/Opt", "description": "Which.", "nullable": True}
    schema = one(beside, **{"$defs": {"Opt": {"type": "string", "title": "Opt"}}})
    loop = one(
        {"$ref": "#/$defs/Node", "description": "A."}, **{"$defs": {"Node": NODE}}
    )

    assert json_schema(schema)["properties"]["x"] == {
        "type": "string",
        "title": "Opt",
        "description": "Which.",
    }
    assert json_schema(loop)["properties"]["x"] == {
        "description": "A.",
        "anyOf": [{"$ref": "#/$defs/Node"}],
    }


def test_w144_alternatives_at_the_root_become_words():
    """L2: no provider takes them there; the tool's description says them."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }

    for name in set(dialects.NAMES) - {"mcp"}:
        [made] = dialects.load(name).tools([ToolDefinition("t", "Takes one.", schema)])
        text = json.dumps(made)
        assert "Takes one.\\n[arguments: fits at least one of a; b]" in text, name
        assert '"anyOf"' not in text, name


def test_w144_whole_objects_at_the_root_are_laid_over_each_other():
    """L2: a tagged union of arguments keeps all properties and common requirements."""
    move = {
        "properties": {"kind": {"const": "move"}, "steps": {"type": "integer"}},
        "required": ["kind", "steps"],
    }
    say = {
        "properties": {"kind": {"const": "say"}, "steps": {"type": "string"}},
        "required": ["kind"],
    }

    made = portable({"oneOf": [move, say, {"type": "null"}]})

    assert made == {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["move", "say"]},
            "steps": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "required": ["kind"],
    }


def test_w145_strict_requires_all_and_lets_the_optional_be_null():
    """L2: without the null arm a model invents a value."""
    made = strict(
        {
            "properties": {
                "q": {"type": "string"},
                "since": {"type": "string"},
                "kind": {"enum": ["a", "b"]},
                "only": {"const": "x"},
                "node": {"$ref": "#/properties/q"},
                "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "open": {"type": ["string", "null"]},
                "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "nothing": {"const": None},
            },
            "required": ["q"],
        }
    )["parameters"]

    null = {"type": "null"}
    assert made["required"] == list(made["properties"])
    assert made["additionalProperties"] is False
    assert made["properties"] == {
        "q": {"type": "string"},
        "since": {"type": ["string", "null"]},
        "kind": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "only": {"anyOf": [{"type": "string", "const": "x"}, null]},
        "node": {"anyOf": [{"$ref": "#/$defs/q"}, null]},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, null]},
        "open": {"type": ["string", "null"]},
        "maybe": {"anyOf": [{"type": "string"}, null]},
        "nothing": {"type": "null", "const": None},
    }


@pytest.mark.parametrize("name", dialects.NAMES)
def test_w148_exporting_changes_nothing(name):
    """L2: the definition is the same after, and what came out is a private copy."""
    definition = ToolDefinition("t", "T.", TREE)
    before = json.dumps(definition.to_dict())
    dialect = dialects.load(name)

    first = json.dumps(dialect.tools([definition]))
    dialect.tools([definition])[0].clear()

    assert json.dumps(definition.to_dict()) == before
    assert json.dumps(dialect.tools([definition])) == first


def test_w136_offered_names_fit_every_provider():
    """L3: a name that the board offers needs no change for any of the dialects."""
    from pegboard.dialects.names import name_problem

    names = ["a", "_", "A" * 64, "mcp__plugin_x", "a-b-c", "_9"]
    bad = ["", "a" * 65, "a.b.c!", "naïve", "a b"]

    for dialect in dialects.NAMES:
        assert [name_problem(name, dialect) for name in names] == [None] * len(names)
    assert all(name_problem(name, "openai_chat") for name in bad)
    assert name_problem("9a", "gemini") == (
        "the name is refused: a letter or _, then up to 127 letters, digits, "
        "_, ., : and -"
    )
    assert (
        openai_chat.tools([ToolDefinition("a-b", "")])[0]["function"]["name"] == "a-b"
    )
