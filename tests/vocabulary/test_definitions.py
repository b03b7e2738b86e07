"""Definitions: what a model and a policy learn of a tool."""

from typing import Annotated

import pytest
from pydantic import BaseModel

from pegboard import (
    Injected,
    Retry,
    Tool,
    ToolAnnotations,
    ToolContext,
    ToolDefinition,
    UsageError,
    schemas,
    tool,
)


class Point(BaseModel):
    x: int
    y: int = 0


def power(base: int, exponent: int) -> int:
    """Raise."""
    return base**exponent


def test_schemas_are_copied_in_and_out():
    """V3: nobody's later change reaches a tool's schema, nor the other way."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    made = Tool.from_schema("t", "", schema, lambda arguments: None)
    schema["properties"]["a"]["type"] = "integer"
    exported = made.definition.to_dict()["input_schema"]
    exported["properties"].clear()

    assert made.definition.input_schema["properties"] == {"a": {"type": "string"}}
    with pytest.raises(TypeError, match="read-only"):
        made.definition.input_schema["properties"]["b"] = {}


def test_helpers_write_json_schema():
    """V3: the helpers give the schema that one would write by hand."""
    schema = schemas.object(
        {
            "name": schemas.string("A name.", maxLength=5),
            "ages": schemas.array(schemas.integer(minimum=0)),
            "share": schemas.number(),
            "sure": schemas.boolean("Whether."),
        },
        "A person.",
        required=["name"],
        additional=schemas.string(),
    )

    assert schema == {
        "type": "object",
        "description": "A person.",
        "properties": {
            "name": {"type": "string", "description": "A name.", "maxLength": 5},
            "ages": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "share": {"type": "number"},
            "sure": {"type": "boolean", "description": "Whether."},
        },
        "required": ["name"],
        "additionalProperties": {"type": "string"},
    }


def test_hidden_parameters_never_appear_in_the_schema():
    """V4: ToolContext and Injected parameters are the host's, in every spelling."""

    @tool
    def send(
        text: str,
        *,
        context: ToolContext | None = None,
        key: Annotated[str, Injected("MAIL_KEY")],
        other: "Annotated[str, Injected('OTHER')]" = "",
    ): ...

    assert list(send.definition.input_schema["properties"]) == ["text"]
    assert send.hidden.context == "context"
    assert send.hidden.injected == {"key": "MAIL_KEY", "other": "OTHER"}


def test_annotations_unset_mean_the_careful_reading():
    """V5: unset is not read-only, destructive, not idempotent, open world."""
    bare = tool(power).definition
    set_ = tool(power, read_only=True, open_world=False).definition

    assert (bare.read_only, bare.destructive, bare.idempotent, bare.open_world) == (
        False,
        True,
        False,
        True,
    )
    assert not tool(power, destructive=False).definition.destructive
    assert not set_.destructive
    assert bare.annotations == ToolAnnotations()
    assert (set_.read_only, set_.open_world) == (True, False)
    with pytest.raises(UsageError, match="not both"):
        tool(power, read_only=True, annotations=ToolAnnotations())


def test_options_stay_on_the_tool():
    """V5: timeout, retry, runner, execution, resources and tags are kept."""
    made = tool(
        power,
        timeout=5,
        retry=Retry(attempts=2),
        runner="process",
        execution="sequential",
        resources=["file:{base}"],
        tags=["maths"],
        label="Power",
    )

    assert (made.timeout, made.runner, made.execution) == (5, "process", "sequential")
    assert made.retry == Retry(attempts=2)
    assert made.resources == ("file:{base}",)
    assert (made.definition.tags, made.definition.label) == (("maths",), "Power")
    with pytest.raises(UsageError, match="'parallel' or 'sequential'"):
        tool(power, execution="sometimes")


def test_definitions_go_through_json():
    """V5: a definition survives to_dict and from_dict."""
    definition = tool(power, read_only=True, tags=["a"]).definition

    assert ToolDefinition.from_dict(definition.to_dict()) == definition


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, None),
        (None, None),
        (int, {"type": "integer"}),
        (
            dict[str, int],
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        (
            Point,
            {
                "type": "object",
                "properties": {
                    "x": {"type": "integer"},
                    "y": {"type": "integer", "default": 0},
                },
                "required": ["x"],
            },
        ),
    ],
)
def test_output_schemas_follow_the_return_annotation(annotation, expected):
    """V1: what returns data says which; texts say nothing."""

    def produce(): ...

    produce.__annotations__["return"] = annotation
    schema = tool(produce).definition.output_schema

    assert schema == expected
