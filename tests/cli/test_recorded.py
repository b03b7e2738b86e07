"""`repairs`, `lint`: what models get wrong, and what providers do to tools."""

import json
from pathlib import Path

import pytest

PACK = '''
import sys
from typing import Annotated
from pydantic import Field
from pegboard import tool

def as_of_old(arguments):
    if "name" in arguments:
        return {"text": arguments["name"]}

@tool(prepare=as_of_old)
def put(text: Annotated[str, Field(max_length=9)], times: int = 1) -> str:
    """Put a text."""
    print("THE BODY RAN", file=sys.stderr)
    return text

tools = [put]
'''
CALLS = [
    {"name": "put", "arguments": {"text": "a"}},
    {"name": "put", "arguments": """{'text': 'a', "times": "2",}"""},
    {"name": "put", "arguments": {"name": "old"}},
    {"name": "put", "arguments": '{"text": "a'},
    {"name": "putt"},
]


@pytest.fixture(autouse=True)
def pack(site):
    """One tool."""
    site.install(PACK, value="acme:tools")


@pytest.fixture
def calls(project: Path) -> str:
    """A file of calls, most of them not quite right."""
    path = project / "calls.jsonl"
    path.write_text("\n".join(map(json.dumps, CALLS)))
    return str(path)


def test_repairs_shows_what_is_made_of_each_call(calls, pegboard):
    """`repairs` has each change by path and rule, and each refusal with its reason."""
    result = pegboard("repairs", calls)
    rows = [line.split() for line in result.stdout.splitlines()]

    assert result.exit_code == 0
    assert rows[0] == ["#", "tool", "rule", "where", "what"]
    assert ["2", "put", "text_to_number", "times", '"2"', "->", "2"] in rows
    assert any(row[:3] == ["4", "put", "refused"] for row in rows)
    assert any(row[:4] == ["5", "putt", "refused", "unknown_tool:"] for row in rows)
    assert result.stdout.endswith("\n5 calls, 2 right as sent, 1 repaired, 2 refused\n")


def test_repairs_runs_no_body_and_asks_no_policy(site, calls, pegboard):
    """No tool runs for `repairs`, and no policy is asked; the tool's prepare is."""
    site.install(
        """
        from pegboard import Block, hookimpl

        class Guard:
            @hookimpl
            def before_tool_call(self, call):
                return Block("never")
        """,
        name="acme-guard",
        group="pegboard.plugins",
        value="acme_guard:Guard",
    )
    result = pegboard("repairs", calls)

    assert "THE BODY RAN" not in result.stderr
    assert "never" not in result.stdout


def test_repairs_in_json_has_one_object_a_call(calls, answer):
    """`repairs --json` has the repairs of each call, or why it is refused."""
    listed = answer("repairs", calls, "--json")

    assert [item["code"] for item in listed] == [
        "dry_run",
        "dry_run",
        "dry_run",
        "truncated_arguments",
        "unknown_tool",
    ]
    assert listed[0]["message"] is None
    assert "times" in [
        repair["path"][-1] for repair in listed[1]["repairs"] if repair["path"]
    ]
    assert "cut off" in listed[3]["message"]


def test_repairs_takes_definitions_without_an_installation(project, pegboard):
    """`repairs --tools` checks a recording against a file of definitions."""
    (project / "defs.json").write_text(
        json.dumps(
            {"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}
        )
    )
    (project / "calls.json").write_text(
        json.dumps({"name": "f", "arguments": {"a": "1"}})
    )
    result = pegboard("repairs", "calls.json", "--tools", "defs.json")

    assert "text_to_number" in result.stdout
    assert result.stdout.endswith("1 call, 0 right as sent, 1 repaired, 0 refused\n")


def test_strict_settings_hold_for_repairs(calls, pegboard, monkeypatch):
    """A5: where a tool is strict, `repairs` shows a refusal."""
    monkeypatch.setenv("PEGBOARD_TOOLS__PUT__ARGUMENTS", "strict")

    assert "0 repaired, 3 refused" in pegboard("repairs", calls).stdout


def test_lint_says_what_providers_lose(pegboard):
    """`lint` has a row for what several dialects have in common, and the costs."""
    result = pegboard("lint", "--dialect", "gemini", "--dialect", "openai_chat")
    lines = result.stdout.splitlines()

    assert result.exit_code == 0
    assert lines[0].split() == ["finding", "tool", "what", "dialects"]
    assert any("put" in line and "gemini" in line for line in lines[1:])
    assert any(line.startswith("openai_chat ") for line in lines)
    assert lines[-1].startswith("1 tool, 0 errors, ")


def test_lint_without_findings_has_only_the_costs(pegboard):
    """Where a provider takes all there is, `lint` only says what a listing costs."""
    result = pegboard("lint", "--dialect", "openai_chat")

    assert result.exit_code == 0
    assert result.stdout.startswith("dialect      tokens")
    assert result.stdout.endswith("\n1 tool, 0 errors, 0 warnings, 0 notes\n")


def test_lint_fails_on_what_a_provider_refuses(site, pegboard, answer):
    """`lint` exits with 1 if a provider would refuse something."""
    site.install(
        "from pegboard import tool\n"
        "made = (f'tool_{number}' for number in range(130))\n"
        "tools = [tool(lambda: 1, name=name, description='x') for name in made]\n",
        name="acme-many",
        value="acme_many:tools",
    )
    result = pegboard("lint", "--dialect", "openai_chat")

    assert result.exit_code == 1
    assert "131 tools, a request takes at most 128" in result.stdout
    report = answer("lint", "--dialect", "openai_chat", "--json")
    assert report["tools"] == 131
    assert report["findings"][0]["severity"] == "error"


def test_a_wrong_dialect_is_one_line(pegboard):
    """A dialect that does not exist is one line with the nearest name."""
    result = pegboard("lint", "--dialect", "geminy")

    assert result.exit_code == 2
    assert "no dialect is called 'geminy'. Did you mean 'gemini'?" in result.stderr
