"""`pegboard show`: all that is known of one tool."""

import pytest

from pegboard.cli.parameters import rows

PACK = '''
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from pegboard import ToolContext, tool

class Stop(BaseModel):
    city: str
    nights: Annotated[int, Field(ge=1)] = 1

@tool(read_only=True, label="Plan a trip", tags=["travel"])
def plan(stops: list[Stop], mode: Literal["car", "train"] = "train", *,
         context: ToolContext) -> dict[str, int]:
    """Plan a trip.

    Args:
        stops: Where to go.
        mode: How.
    """

@tool
def rest() -> str:
    """Do nothing."""

tools = [plan, rest]
'''
SHOWN = """\
plan - Plan a trip
acme:plan  acme 2.1  read-only, open world
tags: travel

Plan a trip.

argument        type             default   meaning
stops           array of object  required  Where to go.
stops[].city    string           required
stops[].nights  integer >= 1     1
mode            "car" | "train"  "train"   How.

returns object
"""


@pytest.fixture(autouse=True)
def pack(site):
    """Two tools, one of them with a nested argument."""
    site.install(PACK, value="acme:tools", version="2.1")


def test_a_tool_is_shown_with_its_arguments(pegboard):
    """`show` has name, origin, effects, and one row an argument, nested too."""
    result = pegboard("show", "plan")

    assert result.exit_code == 0
    assert result.stdout == SHOWN


def test_a_tool_without_arguments_says_so(pegboard):
    """A tool without arguments has no empty table."""
    assert "\nIt takes no arguments.\n" in pegboard("show", "rest").stdout


def test_what_a_tool_returns_is_shown_by_its_fields(site, pegboard):
    """The fields of an object that a tool returns have a table of their own."""
    site.install(
        "from dataclasses import dataclass\n"
        "from pegboard import tool\n"
        "@dataclass\n"
        "class Found:\n"
        "    place: str\n"
        "@tool\n"
        "def find() -> Found: ...\n"
        "tools = [find]\n",
        name="acme-find",
        value="acme_find:tools",
    )

    assert pegboard("show", "find").stdout.endswith(
        "\nreturns object\nfield  type    default   meaning\nplace  string  required\n"
    )


def test_an_identity_names_a_tool_too(pegboard):
    """D5: `show` takes the identity, which never changes."""
    by_name, by_identity = pegboard("show", "rest"), pegboard("show", "acme:rest")

    assert by_name.exit_code == 0
    assert by_name.stdout == by_identity.stdout


def test_json_is_the_definition(answer):
    """`show --json` is the tool's part of `list --json`."""
    assert [answer("show", "plan", "--json"), answer("show", "rest", "--json")] == (
        answer("list", "--json")
    )


def test_an_unknown_tool_gets_the_nearest_name(pegboard):
    """A tool that does not exist is one line with the nearest names, and code 2."""
    result = pegboard("show", "plam")

    assert result.exit_code == 2
    assert result.stderr == "error: There is no tool 'plam'. Did you mean plan?\n"


def test_a_tool_that_cannot_be_offered_says_why(site, pegboard):
    """A7: what has no definition cannot be shown; one line says why."""
    site.install(
        "from pegboard import Tool\n"
        "tools = [Tool.from_schema('odd', 'Odd.', {'type': 'nothing'}, print)]\n",
        name="acme-odd",
        value="acme_odd:tools",
    )
    shown = pegboard("show", "odd")

    assert shown.exit_code == 2
    assert shown.stderr.startswith(
        "error: acme_odd:odd cannot be shown: its input schema is invalid: "
    )
    assert shown.stderr.endswith("; see pegboard doctor\n")
    assert shown.stderr.count("\n") == 1


def test_settings_for_all_tools_are_shown_too(pegboard, tmp_path):
    """A key that the organisation holds for all tools is shown with its file."""
    file = tmp_path / "organisation.toml"
    file.write_text('[tools."*"]\nupdates = false\n')

    assert pegboard("show", "rest").stdout.endswith(
        f"setting  value  from\nupdates  False  {file}\n"
    )


def test_settings_of_the_tool_are_shown_with_their_origin(project, pegboard):
    """`show` has what settings say of the tool, and which layer said it."""
    file = project / "pegboard.toml"
    file.write_text(
        '[tools.plan]\ntimeout = 3\n[tools."acme:*"]\ntimeout = 9\nrunner = "inline"\n'
    )
    lines = pegboard("show", "plan").stdout.splitlines()

    assert lines[-3:] == [
        f"{'setting':7}  value   from",
        f"{'timeout':7}  3.0     {file}",
        f"{'runner':7}  inline  {file}",
    ]


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"type": "string", "maxLength": 9}, "string, at most 9 characters"),
        ({"type": "string", "minLength": 1}, "string, at least 1 character"),
        ({"type": "integer", "minimum": 1, "maximum": 5}, "integer >= 1 <= 5"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer | null"),
        ({"enum": ["a", 1, None]}, '"a" | 1 | null'),
        ({"const": "x"}, '"x"'),
        ({"type": "array", "items": {"type": "number"}}, "array of number"),
        ({"$ref": "#/$defs/Name"}, "string, like ^a"),
        ({"$ref": "#/$defs/Loop"}, "array of array of array of array of ..."),
        ({"$ref": "#/$defs/Self"}, "any"),
        ({"$ref": "#/nowhere"}, "any"),
        ({}, "any"),
        (True, "any"),
    ],
)
def test_types_are_words(schema, shown):
    """A schema of any shape is shown in words, and an endless one ends."""
    root = {
        "properties": {"it": schema},
        "$defs": {
            "Name": {"type": "string", "pattern": "^a"},
            "Self": {"$ref": "#/$defs/Self"},
            "Loop": {"type": "array", "items": {"$ref": "#/$defs/Loop"}},
        },
    }

    assert rows(root) == [("it", shown, "", "")]
