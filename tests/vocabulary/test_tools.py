"""Tools: made of functions, methods and objects; schemas that follow signatures."""

import asyncio
import functools
import inspect
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from pegboard import (
    ToolContext,
    ToolDefinition,
    UsageError,
    schemas,
    tool,
)
from pegboard._conversion import as_tool

GOOGLE = """Find flights.

    The cheapest come first.

    Args:
        origin: Airport code, such as OSL.
        days: How many days
            ahead.
    """
NUMPY = """Find flights.

    The cheapest come first.

    Parameters
    ----------
    origin : str
        Airport code, such as OSL.
    days : int
        How many days ahead.
    """
REST = """Find flights.

    The cheapest come first.

    :param origin: Airport code, such as OSL.
    :param days: How many days ahead.
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST])
def test_docstring_styles_describe_tool_and_parameters(docstring):
    """V1: Google, NumPy and reST docstrings give the same descriptions."""

    def flights(origin: str, days: int = 3) -> list[str]: ...

    flights.__doc__ = docstring
    definition = tool(flights).definition

    assert definition.description == "Find flights.\n\nThe cheapest come first."
    assert definition.input_schema == {
        "type": "object",
        "properties": {
            "origin": {"type": "string", "description": "Airport code, such as OSL."},
            "days": {
                "type": "integer",
                "description": "How many days ahead.",
                "default": 3,
            },
        },
        "required": ["origin"],
        "additionalProperties": False,
    }
    assert definition.output_schema == {"type": "array", "items": {"type": "string"}}


class Point(BaseModel):
    x: int
    y: int = 0


class Tree(BaseModel):
    title: str
    kids: list["Tree"] = []


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


def test_schemas_are_inlined_closed_and_untitled():
    """V1: no titles, `$ref` only for recursion, closed objects but open models."""

    @tool
    def draw(start: Point, ends: list[Point], tree: Tree, free: Open): ...

    schema = draw.definition.input_schema
    point = {
        "type": "object",
        "properties": {
            "x": {"type": "integer"},
            "y": {"default": 0, "type": "integer"},
        },
        "required": ["x"],
        "additionalProperties": False,
    }

    assert schema["properties"]["start"] == point
    assert schema["properties"]["ends"] == {"type": "array", "items": point}
    assert schema["properties"]["tree"] == {"$ref": "#/$defs/Tree"}
    assert list(schema["$defs"]) == ["Tree"]
    assert set(schema["$defs"]["Tree"]["properties"]) == {"title", "kids"}
    assert "title" not in schema["$defs"]["Tree"]
    assert schema["properties"]["free"]["additionalProperties"] is True


def test_keyword_arguments_open_the_schema():
    """V1: `**kwargs` lets further properties in."""

    @tool
    def tag(name: str, **labels: Any): ...

    assert tag.definition.input_schema["additionalProperties"] is True
    assert tag.derived.bind({"name": "a", "x": 1}) == ((), {"name": "a", "x": 1})


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Move(BaseModel):
    kind: Literal["move"]
    steps: int


class Say(BaseModel):
    kind: Literal["say"]
    then: Move | None = None


def test_rich_annotations_bind_to_their_types():
    """V1: the binder makes what the annotations say of what the schema admits."""

    class Options(TypedDict, total=False):
        deep: bool

    @tool
    def paint(
        colour: Colour,
        size: Annotated[int, Field(ge=1, le=9)],
        options: Options,
        action: Annotated[Move | Say, Field(discriminator="kind")],
        from_: Annotated[str, Field(alias="from")] = "",
    ): ...

    value = {
        "colour": "red",
        "size": 3,
        "options": {"deep": True},
        "action": {"kind": "move", "steps": 2},
        "from": "here",
    }
    schema = paint.definition.input_schema

    assert paint.derived.bind(value)[1] == {
        "colour": Colour.RED,
        "size": 3,
        "options": {"deep": True},
        "action": Move(kind="move", steps=2),
        "from_": "here",
    }
    assert schema["properties"]["size"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
    }
    assert "from" in schema["properties"]
    assert "discriminator" not in schema["properties"]["action"]


class And(BaseModel):
    all_of: list["And | Not"]


class Not(BaseModel):
    no: "And | Not"


def unnamed_star(*values: int): ...
def positional(value: int, /): ...
def unknown_type(good: int, bad: "NoSuchType"): ...  # noqa: F821 - that is the point
def two_contexts(a: ToolContext, b: ToolContext): ...
def blind(query: And): ...


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (unnamed_star, r"\*values"),
        (positional, "'value' is positional-only"),
        (unknown_type, "parameter 'bad'"),
        (two_contexts, "in 'a' and in 'b'"),
        (blind, "'And' is a recursive union"),
    ],
)
def test_what_cannot_be_derived_names_the_parameter(function, names):
    """V1, A7: a signature that no schema can describe is an error that says where."""
    made = tool(function)

    with pytest.raises(UsageError, match=names):
        _ = made.definition


def test_a_tool_is_callable_as_its_function():
    """V2: decorated functions are called, awaited and inspected as before."""

    @tool
    def double(number: int) -> int:
        """Double a number."""
        return number * 2

    @tool
    async def later(number: int) -> int:
        return number

    assert double(4) == 8
    assert asyncio.run(later(4)) == 4
    assert double.__name__ == "double"
    assert list(inspect.signature(double).parameters) == ["number"]
    assert inspect.unwrap(double)(3) == 6


def test_a_tool_binds_on_a_class_like_a_method():
    """V2: an instance's tool has no `self` in its schema and calls the method."""

    class Counter:
        def __init__(self, start):
            self.total = start

        @tool(name="add_up")
        def add(self, amount: int) -> int:
            """Add to the total."""
            self.total += amount
            return self.total

    one, other = Counter(1), Counter(10)

    assert one.add(5) == 6
    assert other.add.execute(amount=5) == 15
    assert Counter.add(one, 1) == 7
    assert one.add.name == "add_up"
    assert list(one.add.definition.input_schema["properties"]) == ["amount"]


class Weather:
    """Tell the weather."""

    def __call__(self, city: str) -> str:
        return f"fine in {city}"

    async def soon(self, city: str) -> str:
        """Tell tomorrow's weather."""
        return city


class Lookup:
    definition = ToolDefinition(
        "lookup", "Look up.", schemas.object({"key": schemas.string("What to find.")})
    )
    timeout = 3.0

    async def execute(self, arguments):
        return arguments["key"]


def power(base: int, exponent: int) -> int:
    """Raise to a power."""
    return base**exponent


def test_whatever_can_be_a_tool_becomes_one():
    """V3: callable objects, bound methods, partials and objects with definitions."""
    made = [
        as_tool(Weather()),
        as_tool(Weather().soon),
        as_tool(functools.partial(power, exponent=2)),
        as_tool(Lookup()),
    ]

    assert [(item.name, item.definition.description) for item in made] == [
        ("Weather", "Tell the weather."),
        ("soon", "Tell tomorrow's weather."),
        ("power", "Raise to a power."),
        ("lookup", "Look up."),
    ]
    assert [item.is_async for item in made] == [False, True, False, True]
    assert made[2].definition.input_schema["required"] == ["base"]
    assert made[3].timeout == 3.0


def test_a_lambda_needs_a_name():
    """V3: what has no name of its own is refused with the way out."""
    with pytest.raises(UsageError, match="pass name="):
        tool(lambda: 1)

    assert tool(lambda: 1, name="one").name == "one"


def test_an_unknown_option_is_refused():
    """V3: a misspelled option names itself."""
    with pytest.raises(UsageError, match="'tiemout'"):
        tool(power, tiemout=3)
