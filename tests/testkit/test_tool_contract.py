"""`assert_tool_contract` finds what a tool does not keep, and says the way out."""

import asyncio
import threading
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from pegboard import Tool, ToolError, schemas, tool
from pegboard.testing import ContractError, assert_tool_contract

from . import promises


def broken(subject: Any, **options: Any) -> list[str]:
    return promises.broken(assert_tool_contract, subject, **options)


@tool(read_only=True)
async def forecast(city: str, days: int = 3) -> dict[str, int]:
    """Tell the weather.

    Args:
        city: Where.
        days: How far ahead.
    """
    await asyncio.sleep(0)
    if city == "Atlantis":
        raise ToolError("There is no Atlantis; name a city on land.")
    return {"days": days}


def test_a_good_tool_keeps_its_promises():
    """Nothing is said of a tool that is as it should be."""
    assert_tool_contract(
        forecast,
        examples=[{"city": "Oslo"}, {"city": "Bergen", "days": 1}],
        failing=[{"city": "Atlantis"}],
    )


def test_nothing_runs_without_an_example():
    """A definition is checked without running a body."""
    ran = []

    @tool
    def write(text: str) -> str:
        """Write.

        Args:
            text: What.
        """
        ran.append(text)
        return text

    assert_tool_contract(write)

    assert ran == []


def test_the_message_lists_each_broken_promise_with_the_way_out():
    """One readable list: the tool, the promise, the fact, what to do."""
    nameless = tool(lambda city: city, name="fore cast")

    with pytest.raises(ContractError, match="tool 'fore cast' breaks 3 promises") as it:
        assert_tool_contract(nameless)

    lines = str(it.value).splitlines()
    assert lines[0] == "tool 'fore cast' breaks 3 promises:"
    assert lines[1].startswith("  named: providers refuse the name")
    assert lines[2].startswith("    Name it with a letter or '_'")
    assert lines[3:5] == [
        "  described: it has no description",
        "    Write a docstring, or pass description=.",
    ]
    assert lines[5] == "  described: parameter 'city' has no description"


def test_a_signature_without_schema_is_named():
    """V1: what cannot be derived is said as the derivation says it."""

    @tool
    def odd(lock: threading.Event) -> None:
        """Wait."""

    with pytest.raises(ContractError, match=r"derived: .*'lock'"):
        assert_tool_contract(odd)


def test_a_parameter_is_described_where_its_type_is():
    """A description inside the parameter's own type counts."""

    class Order(BaseModel):
        """What to order."""

        sku: str

    @tool
    def buy(order: Order, count: Annotated[int, Field(description="How many.")]) -> str:
        """Buy."""
        return order.sku * count

    assert broken(buy) == []


def hand_written(schema: dict[str, Any]) -> Tool[..., Any]:
    return Tool.from_schema("by_hand", "Made by hand.", schema, lambda arguments: None)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "inner": {
                    "description": "A part.",
                    "type": "array",
                    "items": {"type": "object", "properties": {"a": {}}},
                }
            },
        },
    ],
)
def test_an_object_says_whether_it_takes_more(schema):
    """V1: an object that is open by accident is found at every depth."""
    assert broken(hand_written(schema)) == ["closed"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": True},
        schemas.object({}),
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {"any": {"type": "object", "description": "Whatever."}},
        },
        {
            "allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}],
            "unevaluatedProperties": False,
        },
    ],
)
def test_an_object_may_be_open_on_purpose(schema):
    """An object that says that it takes more, or names nothing, is left alone."""
    assert broken(hand_written(schema)) == []


def test_a_schema_that_refers_to_its_parts_is_followed():
    """A description may stand behind a reference; arms of a union are looked into."""
    inner = {"type": "object", "description": "A part.", "properties": {"b": {}}}
    schema = {
        "type": "object",
        "additionalProperties": False,
        "$defs": {"part": {**inner, "additionalProperties": False}},
        "properties": {
            "part": {"$ref": "#/$defs/part"},
            "same": {
                "description": "Like part.",
                "$ref": "#/properties/part",
                "default": {"b": 1},
            },
            "either": {
                "description": "One of two.",
                "anyOf": [True, {"type": "null"}, inner],
            },
        },
    }

    assert broken(hand_written(schema)) == ["closed"]


def test_an_invalid_schema_is_found():
    """A7: a schema that no validator can use is one broken promise, not a crash."""
    assert broken(hand_written({"type": "object", "properties": {"a": 5}})) == ["valid"]


def test_defaults_and_examples_fit_their_own_schema():
    """What a model is shown as a value is a value that the tool takes."""

    @tool
    def ask(
        days: Annotated[int, Field(ge=1, examples=[0], description="How many.")],
        city: Annotated[str, Field(description="Where.")] = 5,
    ) -> str:
        """Ask."""
        return city

    with pytest.raises(ContractError) as it:
        assert_tool_contract(ask)

    assert [item.message for item in it.value.broken] == [
        "'days' has example 0, which does not fit its schema",
        "'city' has default 5, which does not fit its schema",
    ]


def test_hints_and_resources_make_sense():
    """Read-only and destructive exclude each other; a resource names a parameter."""

    resources = ["file:{paht}", "{path[0]}", "half {"]

    @tool(read_only=True, destructive=True, resources=resources)
    def read(path: Annotated[str, Field(description="Which.")]) -> str:
        """Read."""
        return path

    assert broken(read) == ["annotated", "resources", "resources"]


@dataclass
class Vague:
    """Not a thing that JSON knows."""

    lock: Any


@pytest.mark.parametrize(
    ("city", "promise"),
    [("big", "bounded"), ("object", "serialisable"), ("key", "errors")],
)
def test_what_a_body_gives_is_fit_for_a_model(city, promise):
    """V8: a result is bounded, is JSON, and an error is one that a model can act on."""

    @tool
    async def look(city: Annotated[str, Field(description="Where.")]) -> Any:
        """Look."""
        if city == "big":
            return "x" * 2_000
        return {"object": Vague(threading.Lock())}[city]

    found = broken(look, examples=[{"city": city}], max_result_bytes=1_000)

    assert found == [promise]


def test_data_fits_the_output_schema():
    """V8: an example shows a return annotation that is not kept."""

    @tool
    def count() -> int:
        """Count."""
        return "three"

    assert broken(count, examples=[{}]) == ["output"]


@pytest.mark.parametrize("example", [{"city": 5}, {"days": 1}, {"city": "x", "day": 1}])
def test_an_example_fits_as_it_is(example):
    """An example that needs a repair, or does not fit, is a wrong example."""
    assert broken(forecast, examples=[example]) == ["examples"]


@pytest.mark.parametrize(
    "example", [{"city": "Oslo"}, {"days": 1}, {"city": "nowhere", "days": 0}]
)
def test_a_failing_example_fails_by_a_tool_error(example):
    """A failing example that succeeds, never arrives or crashes is found."""

    @tool
    async def crash(city: str, days: int = 3) -> float:
        """Crash.

        Args:
            city: Where.
            days: How many.
        """
        return 1 / days

    assert broken(crash, failing=[example]) == ["errors"]
