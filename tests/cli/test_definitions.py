"""`pegboard run --tools`: calls checked against definitions without bodies."""

import json
from pathlib import Path

import pytest

from pegboard.schemas import ToolDefinition


def write_lines(path: Path, values: list) -> str:
    path.write_text("\n".join(map(json.dumps, values)))
    return str(path)


@pytest.fixture(autouse=True)
def nothing_else(site):
    """No plugin but those of a test."""


@pytest.fixture
def calls(project: Path) -> str:
    """A file of one call."""
    return write_lines(project / "calls.jsonl", [{"name": "add"}])


OURS = ToolDefinition(
    "add", "Add.", {"type": "object", "properties": {"a": {"type": "integer"}}}
).to_dict()
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
}


@pytest.mark.parametrize(
    "definitions",
    [
        [OURS | {"input_schema": SCHEMA}],
        {"type": "function", "function": {"name": "add", "parameters": SCHEMA}},
        [{"type": "function", "name": "add", "parameters": SCHEMA}],
        {"name": "add", "input_schema": SCHEMA},
        {"tools": [{"name": "add", "inputSchema": SCHEMA}]},
        [{"functionDeclarations": [{"name": "add", "parametersJsonSchema": SCHEMA}]}],
        {
            "toolConfig": {
                "tools": [
                    {"toolSpec": {"name": "add", "inputSchema": {"json": SCHEMA}}}
                ]
            }
        },
    ],
)
def test_definitions_may_be_in_any_format(definitions, project, answer):
    """--tools takes what any provider gets, MCP's format, and our own."""
    (project / "defs.json").write_text(json.dumps(definitions))
    calls = [
        {"name": "add", "arguments": {"a": "1"}},
        {"name": "add"},
        {"name": "fail"},
    ]
    file = write_lines(project / "calls.jsonl", calls)
    results = answer("run", file, "--tools", "defs.json", "--json")["results"]

    assert [(r["code"], r["executed"]) for r in results] == [
        ("dry_run", "no"),
        ("invalid_arguments", "no"),
        ("unknown_tool", "no"),
    ]


def test_definitions_may_be_lines(project, answer):
    """--tools takes JSON Lines of definitions, too."""
    lines = [OURS, OURS | {"name": "more"}]
    file = write_lines(project / "defs.jsonl", lines)
    calls = write_lines(project / "calls.jsonl", [{"name": "more"}])

    results = answer("run", calls, "--tools", file, "--json")["results"]
    assert [result["code"] for result in results] == ["dry_run"]


def test_guards_apply_to_tools_without_bodies(site, project, answer):
    """B15: with --tools the guards run, and only the body is replaced."""
    site.install(
        """
        from pegboard import Block, hookimpl

        class Guard:
            @hookimpl
            def before_tool_call(self, call):
                return Block(f"{call.tool.id} is off") if call.arguments else None
        """,
        name="acme-guard",
        group="pegboard.plugins",
        value="acme_guard:Guard",
    )
    (project / "defs.json").write_text(json.dumps([OURS]))
    calls = [{"name": "add", "arguments": {"a": 1}}, {"name": "add"}]
    file = write_lines(project / "calls.jsonl", calls)
    results = answer("run", file, "--tools", "defs.json", "--json")["results"]

    assert [(r["code"], r["by"]) for r in results] == [
        ("blocked", "acme_guard"),
        ("dry_run", None),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "defs.json defines no tools"),
        ("{", "defs.json is not JSON"),
        ('[{"type": "web_search"}]', "defs.json defines no tools"),
        ('[{"name": "x"}, {"name": "x"}]', "defs.json defines 'x' twice"),
        ('{"name": "x", "parameters": 7}', "the schema of 'x' is no object"),
    ],
)
def test_what_defines_no_tools_is_one_line(content, message, calls, project, pegboard):
    """A file that defines no tools is one line that says why, and code 2."""
    (project / "defs.json").write_text(content)
    result = pegboard("run", calls, "--tools", "defs.json")

    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_providers_own_tools_are_left_out(project, pegboard):
    """What has no name in a request is the provider's own; stderr counts it."""
    definitions = [{"type": "web_search"}, OURS, {"googleSearch": {}}]
    (project / "defs.json").write_text(json.dumps(definitions))
    calls = write_lines(project / "calls.jsonl", [{"name": "add"}])
    result = pegboard("run", calls, "--tools", "defs.json")

    assert result.exit_code == 0
    assert result.stderr == "defs.json: 2 definitions without a name left out\n"


def test_the_types_of_geminis_older_format_are_read(project, answer):
    """Gemini's older format writes types in capitals, and null as `nullable`."""
    schema = {
        "type": "OBJECT",
        "required": [],
        "properties": {
            "a": {"type": "INTEGER"},
            "type": {"type": "ARRAY", "items": {"type": "STRING", "nullable": True}},
        },
    }
    tools = {"function_declarations": [{"name": "add", "parameters": schema}]}
    (project / "defs.json").write_text(json.dumps(tools))
    calls = [{"a": 1, "type": ["x", None]}, {"a": 1.5}, {"type": [None, 7, {}]}]
    lines = [{"name": "add", "arguments": arguments} for arguments in calls]
    file = write_lines(project / "calls.jsonl", lines)
    results = answer("run", file, "--tools", "defs.json", "--json")["results"]

    assert [result["code"] for result in results] == [
        "dry_run",
        "invalid_arguments",
        "invalid_arguments",
    ]


def test_an_invalid_schema_takes_only_its_tool_down(project, answer):
    """A7: of several definitions, one with an invalid schema answers by itself."""
    broken = {"name": "odd", "input_schema": {"type": "nothing"}}
    (project / "defs.json").write_text(json.dumps([OURS, broken]))
    file = write_lines(project / "calls.jsonl", [{"name": "odd"}, {"name": "add"}])
    results = answer("run", file, "--tools", "defs.json", "--json")["results"]

    assert [result["code"] for result in results] == ["tool_unavailable", "dry_run"]
