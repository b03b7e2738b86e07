"""`pegboard run`: the calls of a file, as one batch."""

import json
from pathlib import Path

import pytest

from pegboard import BatchResult

PACK = '''
from pegboard import ToolError, tool

@tool(read_only=True)
def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b

@tool
def fail() -> str:
    """Fail."""
    raise ToolError("there is no more")

@tool(read_only=True)
def long() -> str:
    """Say much."""
    return "\\n\\n" + "x" * 200 + "\\nand more"

tools = [add, fail, long]
'''
CALLS = [
    {"name": "add", "arguments": {"a": 1, "b": 2}, "id": "one"},
    {"name": "add", "arguments": '{"a": "3"}'},
    {"name": "long"},
    {"name": "ad", "arguments": {}},
    {"name": "add", "arguments": {}},
    {"name": "fail"},
]


@pytest.fixture(autouse=True)
def pack(site):
    """Three tools."""
    site.install(PACK, value="acme:tools")


@pytest.fixture
def calls(project: Path) -> str:
    """A file of six calls, three of which are wrong."""
    return write_lines(project / "calls.jsonl", CALLS)


def write_lines(path: Path, values: list) -> str:
    path.write_text("\n".join(map(json.dumps, values)))
    return str(path)


def chat(*calls: dict) -> dict:
    """An answer as a provider of the OpenAI chat format gives it."""
    made = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {
                "name": call["name"],
                "arguments": json.dumps(call.get("arguments", {})),
            },
        }
        for number, call in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"id": "c", "object": "chat.completion", "choices": [choice]}


def test_a_batch_ends_in_a_table(calls, pegboard):
    """`run` prints a line a call, in call order, and what became of all of them."""
    result = pegboard("run", calls)

    lines = result.stdout.splitlines()
    assert [line.split()[1:3] for line in lines[1:7]] == [
        ["add", "success"],
        ["add", "success,"],
        ["long", "success"],
        ["ad", "unknown_tool"],
        ["add", "invalid_arguments"],
        ["fail", "tool_failed"],
    ]
    assert [line.split(" ms  ")[1] for line in lines[1:7]] == [
        "3",
        "3",
        "x" * 97 + "...",
        "There is no tool 'ad'. Did you mean add?",
        "a: required, but missing; expected integer",
        "there is no more",
    ]
    assert "success, 1 repair" in lines[2]
    assert lines[7:] == ["", "6 calls, 3 succeeded, 3 failed"]


def test_the_exit_code_says_whether_all_succeeded(project, calls, pegboard):
    """`run` exits with 1 if a result is an error, with 0 if none is."""
    good = write_lines(project / "good.jsonl", CALLS[:3])

    assert pegboard("run", calls).exit_code == 1
    assert pegboard("run", good).exit_code == 0


def test_json_is_a_batch(calls, pegboard):
    """`run --json` is one object from which the batch can be made again."""
    text = pegboard("run", calls, "--json").stdout
    batch = BatchResult.from_json(text)

    assert text.isascii()
    assert [result.code for result in batch] == [
        None,
        None,
        None,
        "unknown_tool",
        "invalid_arguments",
        "tool_failed",
    ]
    assert batch[0].call.id == "one"
    assert [len(result.repairs) for result in batch] == [0, 1, 0, 0, 0, 0]


def test_calls_may_be_one_value_or_an_array(project, answer):
    """A file of calls may be JSON Lines, one call, or an array of calls."""
    (project / "one.json").write_text(json.dumps(CALLS[0], indent=2))
    (project / "array.json").write_text(json.dumps(CALLS[:2]))

    assert len(answer("run", "one.json", "--json")["results"]) == 1
    assert len(answer("run", "array.json", "--json")["results"]) == 2


def test_calls_come_from_stdin(answer):
    """`run -` reads from stdin, with or without a byte-order mark."""
    text = "\n\n".join(json.dumps(call) for call in CALLS[:2]) + "\n"

    assert len(answer("run", "-", "--json", stdin=text)["results"]) == 2
    assert len(answer("run", "-", "--json", stdin=f"\ufeff{text}")["results"]) == 2


def test_a_recorded_answer_is_a_batch(project, answer):
    """A provider's answer is recognised; its calls keep their ids."""
    (project / "answer.json").write_text(json.dumps(chat(*CALLS[:3])))
    results = answer("run", "answer.json", "--json")["results"]

    assert [r["call"]["id"] for r in results] == ["call_0", "call_1", "call_2"]
    assert [r["data"] for r in results][:1] == [3]


def test_a_recorded_stream_is_a_batch(project, answer):
    """The text of a stream of events is recognised, too."""
    delta = chat(CALLS[0])["choices"][0]["message"]
    delta["tool_calls"][0]["index"] = 0
    chunk = {"object": "chat.completion.chunk", "choices": [{"delta": delta}]}
    chunk["choices"][0]["finish_reason"] = "tool_calls"
    (project / "stream.txt").write_text(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n")

    assert answer("run", "stream.txt", "--json")["results"][0]["data"] == 3


def test_a_dialect_may_be_named(project, answer):
    """--dialect reads an answer as whoever knows it says, a stranger's dialect too."""
    (project / "answer.json").write_text(json.dumps(chat(CALLS[0])))
    other = "pegboard.dialects:openai_chat"

    for name in ("openai_chat", other):
        results = answer("run", "answer.json", "--dialect", name, "--json")["results"]
        assert results[0]["data"] == 3


def test_an_answer_without_calls_is_an_empty_batch(project, pegboard):
    """A model that called nothing made no mistake; stderr says so."""
    (project / "answer.json").write_text(json.dumps(chat()))
    result = pegboard("run", "answer.json")

    assert result.exit_code == 0
    assert "0 calls, 0 succeeded" in result.stdout
    assert result.stderr == "answer.json holds no tool calls (read as openai_chat)\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "file is empty"),
        ("hello", "neither JSON nor a recorded stream"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"hello": 1}', "neither calls nor an answer"),
        ("[1, 2]", "neither calls nor an answer"),
        ('{"arguments": {}}', "call 1 has no name"),
        ('{"name": "add"}\n{"arguments": {}}', "call 2 has no name"),
        ('{"name": "add"}\n{"name": 1}', "call 2 has no name"),
        ('{"name": "add"}\n7', "call 2 has no name"),
        ('{"name": "add"}\n\n{"name": ', "line 3 is not JSON"),
        ('[{"name": "add"}, 7]', "call 2 has no name"),
        ("\x00\xff", "neither JSON nor a recorded stream"),
    ],
)
def test_what_is_no_recording_is_one_line(content, message, project, pegboard):
    """A file that holds no calls is one line that names it, code 2; nothing runs."""
    (project / "file").write_text(content, encoding="latin-1")
    result = pegboard("run", "file")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: file")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("path", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_one_line(path, pegboard):
    """A file that is not there, or no file, is one line that says why."""
    result = pegboard("run", path)

    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {path} cannot be read: ")


def test_arguments_that_are_no_json_are_the_models_fault(project, pegboard):
    """A call whose arguments are no JSON is a result among the others."""
    calls = [CALLS[0], {"name": "add", "arguments": '{"a": 1'}]
    result = pegboard("run", write_lines(project / "calls.jsonl", calls))

    assert result.exit_code == 1
    assert "truncated_arguments" in result.stdout
    assert "2 calls, 1 succeeded, 1 failed" in result.stdout


def test_a_tool_that_goes_wrong_disturbs_no_other(project, site, pegboard):
    """B7, V8: a body that exits, or returns what nobody can serialise, is one line."""
    site.install(
        """
        from pegboard import tool

        @tool
        def leave():
            raise SystemExit(3)

        @tool
        def odd():
            return object()

        tools = [leave, odd]
        """,
        name="acme-odd",
        value="acme_odd:tools",
    )
    calls = [{"name": "leave"}, {"name": "odd"}, CALLS[0]]
    result = pegboard("run", write_lines(project / "calls.jsonl", calls))
    rows = [line.split()[1:] for line in result.stdout.splitlines()[1:4]]

    assert result.exit_code == 1
    assert result.stderr == ""
    assert rows[0][:2] == ["leave", "tool_failed"]
    assert rows[0][-2:] == ["SystemExit:", "3"]
    assert (rows[1][:2], rows[1][-1]) == (["odd", "success"], "<object>")
    assert (rows[2][:2], rows[2][-1]) == (["add", "success"], "3")


def test_max_calls_bounds_a_batch(calls, answer):
    """B11: --max-calls leaves the rest of a batch unstarted."""
    results = answer("run", calls, "--max-calls", "1", "--json")["results"]

    assert [result["code"] for result in results[1:]] == ["not_started"] * 5


def test_max_calls_raises_the_settings_bound(project, answer, monkeypatch):
    """B11: --max-calls raises what the settings say."""
    monkeypatch.setenv("PEGBOARD_MAX_CALLS", "1")
    file = write_lines(project / "calls.jsonl", CALLS[:2])
    kept = answer("run", file, "--json")["results"]
    raised = answer("run", file, "--json", "--max-calls", "2")["results"]

    assert [result["code"] for result in kept] == [None, "not_started"]
    assert [result["code"] for result in raised] == [None, None]


def test_sequential_ends_each_call_before_the_next(project, site, pegboard):
    """B2: --sequential runs one call after the other."""
    site.install(
        """
        import sys
        from pegboard import hookimpl

        class Watch:
            @hookimpl
            def on_event(self, event):
                kind = type(event).__name__
                if kind in ("ToolStart", "ToolEnd"):
                    print(kind, event.call.index, file=sys.stderr)
        """,
        name="acme-watch",
        group="pegboard.plugins",
        value="acme_watch:Watch",
    )
    file = write_lines(project / "calls.jsonl", CALLS[:2])
    together = pegboard("run", file).stderr.splitlines()
    in_turn = pegboard("run", file, "--sequential").stderr.splitlines()

    assert together == ["ToolStart 0", "ToolStart 1", "ToolEnd 0", "ToolEnd 1"]
    assert in_turn == ["ToolStart 0", "ToolEnd 0", "ToolStart 1", "ToolEnd 1"]


def test_a_policy_that_ends_the_batch_is_heard(site, calls, pegboard):
    """H5: an Abort leaves one result a call, and its reason on stderr."""
    site.install(
        """
        from pegboard import Abort, hookimpl

        class Stop:
            @hookimpl
            def before_tool_call(self, call):
                if call.index == 1:
                    raise Abort("the budget is spent")
        """,
        name="acme-stop",
        group="pegboard.plugins",
        value="acme_stop:Stop",
    )
    result = pegboard("run", calls)

    assert result.exit_code == 1
    assert "not_started" in result.stdout
    assert result.stderr == "error: the budget is spent\n"
