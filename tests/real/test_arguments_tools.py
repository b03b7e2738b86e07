"""Instances and slips of every recorded tool."""

import json
import random
from collections import Counter
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from pegboard._arguments import ArgumentSchema, SchemaError, parse_text
from pegboard.errors import InvalidArguments

FUZZ = Path(__file__).parents[1] / "fuzz"
recordings = run_path(str(FUZZ / "recordings.py"))
instances = run_path(str(FUZZ / "instances.py"))
mutations = run_path(str(FUZZ / "mutations.py"))
same = mutations["same"]

REFUSED = {
    ("arangodb", "arango_create_collection"): "/properties/type/type",
    ("excel", "create_chart"): "/title",
    ("google-tasks", "update"): "/title",
    ("hyperliquid", "get_l2_book"): "/properties/required",
    ("inoyu", "create_scope"): "/description",
    ("inoyu", "update_my_profile"): "/properties/type",
}
# They demand one of no values, or a value and its absence.
WITHOUT_INSTANCE = {
    ("netlify", "netlify-coding-rules"),
    ("windows-cli", "ssh_disconnect"),
    ("windows-cli", "ssh_execute"),
}


@pytest.fixture(scope="module")
def compiled(shared: Path) -> list[tuple[dict[str, Any], ArgumentSchema]]:
    """Every recorded tool whose input schema compiles."""
    found = []
    for tool in recordings["tools"](shared):
        if (tool["server"], tool["name"]) not in REFUSED:
            found.append((tool, ArgumentSchema(tool["inputSchema"])))
    return found


def invent(tool: dict[str, Any], schema: ArgumentSchema, source: Any) -> Any:
    """Return arguments that fit a tool, None if none were found."""
    maker = instances["Instances"](tool["inputSchema"], source)
    for _ in range(60):
        try:
            value = maker.make()
        except instances["Stuck"]:
            continue
        if schema.is_valid(value):
            return value
    return None


def test_every_recorded_tool_compiles_or_is_refused_by_name(shared: Path) -> None:
    """A7: of 2,680 real schemas six are invalid; the path says where."""
    refused, notes, count = {}, [], 0
    for tool in recordings["tools"](shared):
        count += 1
        try:
            notes += ArgumentSchema(tool["inputSchema"]).notes
        except SchemaError as error:
            refused[tool["server"], tool["name"]] = error.path

    assert count == 2_680
    assert refused == REFUSED
    assert len(notes) == 1
    assert notes[0].startswith("/properties/include/pattern")


def test_what_fits_passes_unchanged(
    compiled: list[tuple[dict[str, Any], ArgumentSchema]],
) -> None:
    """A2, A5: arguments that fit are handed on as they are, without a repair."""
    source = random.Random(11)
    without = set()
    for tool, schema in compiled:
        value = invent(tool, schema, source)
        if value is None:
            without.add((tool["server"], tool["name"]))
            continue
        parsed = parse_text(json.dumps(value))

        assert schema.is_valid(parsed)
        assert same(parsed, value)
        assert same(schema.settle(parsed, None)[0], value)

    assert without == WITHOUT_INSTANCE


def test_a_slip_comes_back_as_what_was_meant_or_as_a_refusal(
    compiled: list[tuple[dict[str, Any], ArgumentSchema]],
) -> None:
    """A5: a number as text, a null, a lone element: the original or an error."""
    source = random.Random(12)
    outcomes, others = Counter[tuple[str, str]](), []
    for tool, schema in compiled[::2]:
        value = invent(tool, schema, source)
        if value is None:
            continue
        for slip, sent in mutations["slips"](tool["inputSchema"], value, source):
            if schema.is_valid(sent):
                outcomes[slip, "fits as it is"] += 1
                continue
            try:
                fitted, repairs = schema.fit(sent)
            except InvalidArguments as error:
                outcomes[slip, "refused"] += bool(error.problems)
                continue
            if same(fitted, value):
                outcomes[slip, "mended"] += 1
            elif [each.rule for each in repairs] != ["integer_to_text"]:
                # A number for a list, where a union admits a text as well, is a text.
                others.append((tool["name"], slip, sent, fitted))

    assert others == []
    assert {slip for slip, outcome in outcomes if outcome == "mended"} == {
        "blanks around text",
        "boolean as number",
        "boolean as text",
        "case of text",
        "container as text",
        "lone element",
        "null as text",
        "null for optional",
        "number as text",
        "text as number",
    }


def test_strict_refuses_every_slip(
    compiled: list[tuple[dict[str, Any], ArgumentSchema]],
) -> None:
    """A5: in strict mode nothing is mended, and every refusal has its sentences."""
    source = random.Random(13)
    refused = 0
    for tool, schema in compiled[::10]:
        value = invent(tool, schema, source)
        if value is None:
            continue
        for _, sent in mutations["slips"](tool["inputSchema"], value, source):
            if not schema.is_valid(sent):
                refused += 1
                with pytest.raises(InvalidArguments, match="- "):
                    schema.fit(sent, strict=True)

    assert refused > 500
