"""What lint finds."""

import sys
from types import SimpleNamespace

import pytest

from pegboard import ToolDefinition, UsageError
from pegboard.dialects import lint as module
from pegboard.dialects.lint import lint

BOUNDED = {
    "type": "object",
    "properties": {"zone": {"type": "string", "minLength": 2}},
    "required": ["zone"],
}


def test_each_finding_names_tool_dialect_and_severity():
    """L2: words are a note, a lost strict mode a warning, a bad name an error."""
    tools = [
        ToolDefinition("now", "Tells the time.", BOUNDED),
        ToolDefinition(
            "free", "Takes labels.", {"properties": {"l": {"type": "object"}}}
        ),
        ToolDefinition("a.b", "Has a dot.", BOUNDED),
    ]

    report = lint(tools, ["openai_chat", "gemini"], strict=True)

    words = "zone: at least 2 long (only in the description)"
    refused = (
        "l: OpenAI's strict mode does not take it: "
        "an object with names of the model's choice"
    )
    name = "the name is refused: 1 to 64 letters, digits, _ and -"
    assert [(f.severity, f.tool, f.dialect, f.message) for f in report.findings] == [
        ("note", "now", "openai_chat", words),
        ("note", "now", "gemini", words),
        ("warning", "free", "openai_chat", refused),
        ("error", "a.b", "openai_chat", name),
        ("note", "a.b", "openai_chat", words),
        ("note", "a.b", "gemini", words),
    ]
    assert [report.count(s) for s in ("error", "warning", "note")] == [1, 1, 4]


def test_a_set_without_problems_has_no_finding():
    """L2: nothing to say is said in no words."""
    tool = ToolDefinition("now", "Tells the time.")

    report = lint([tool], ["openai_chat", "anthropic", "gemini", "mcp"], strict=True)

    assert report.findings == ()
    assert report.tools == 1


def test_descriptions_are_looked_at():
    """L2: one that is missing, and one that costs too much."""
    report = lint([ToolDefinition("a"), ToolDefinition("b", "x" * 3_000)], ["mcp"])

    assert [(f.tool, f.severity, f.message) for f in report.findings] == [
        ("a", "warning", "no description: the model must guess from the name"),
        ("b", "warning", "a description of 3000 characters, sent with each request"),
    ]


def test_the_listing_as_a_whole_is_looked_at():
    """L3: two tools of one name, and more tools than a request takes."""
    tools = [ToolDefinition(f"t{number % 128}", "T.") for number in range(129)]

    report = lint(tools, ["openai_chat"])

    assert [(f.tool, f.message) for f in report.findings] == [
        ("", "129 tools, a request takes at most 128"),
        ("t0", "2 tools have this name"),
    ]


def test_the_cost_of_the_listing_is_estimated(monkeypatch):
    """L2: by tiktoken where it is installed, else by characters; it says which."""
    tools = [ToolDefinition("now", "Tells the time.", BOUNDED)]
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    rough = lint(tools, ["openai_chat"])
    encoding = SimpleNamespace(encode=lambda text, disallowed_special: text.split())
    exact_module = SimpleNamespace(get_encoding=lambda name: encoding)
    monkeypatch.setitem(sys.modules, "tiktoken", exact_module)
    exact = lint(tools, ["openai_chat"])

    assert rough.counted_by == "characters / 4"
    assert 40 < rough.tokens["openai_chat"] < 80
    assert exact.counted_by == "tiktoken o200k_base"
    assert exact.tokens["openai_chat"] < rough.tokens["openai_chat"]


def test_a_report_is_json():
    """L2: for `--json`."""
    report = lint([ToolDefinition("a")], ["mcp"])

    assert report.to_dict() == {
        "tools": 1,
        "tokens": report.tokens,
        "counted_by": report.counted_by,
        "findings": [
            {
                "severity": "warning",
                "tool": "a",
                "dialect": "",
                "message": "no description: the model must guess from the name",
            }
        ],
    }


def test_a_strangers_dialect_is_linted_as_far_as_it_goes(monkeypatch):
    """L1: one without `losses` and without strict mode."""
    dialect = SimpleNamespace(
        tools=lambda definitions: [d.name for d in definitions],
        calls=None,
        results=None,
        Collector=None,
    )
    monkeypatch.setitem(sys.modules, "stranger", SimpleNamespace(dialect=dialect))

    report = lint([ToolDefinition("a", "A.")], ["stranger:dialect"], strict=True)

    assert report.findings == ()
    assert set(report.tokens) == {"stranger:dialect"}


def test_an_unknown_dialect_is_refused():
    """V9: by the same error as everywhere."""
    with pytest.raises(UsageError, match="no dialect is called 'nobody'"):
        lint([], ["nobody"])
    assert module.MOST_TOOLS["openai_chat"] == 128


def test_a_loss_is_json():
    """L2: for `--json`."""
    from pegboard.dialects import Loss

    loss = Loss(
        "now", "described", ("properties", "zone"), "minLength", "at least 2 long"
    )

    assert loss.to_dict() == {
        "tool": "now",
        "kind": "described",
        "path": ["properties", "zone"],
        "keyword": "minLength",
        "message": "at least 2 long",
    }
