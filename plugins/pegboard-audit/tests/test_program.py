import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pegboard_audit.cli import main
from pegboard_audit.journal import Journal
from pegboard_audit.verification import verify

CALLS = [
    {"call": "call_1", "duration": 0.010},
    {"call": "call_2", "duration": 2.5, "status": "error", "code": "tool_failed"},
    {
        "call": "call_3",
        "tool": "files:write",
        "name": "write",
        "status": "blocked",
        "code": "denied",
        "executed": "no",
        "by": "acme",
    },
    {
        "call": "call_4",
        "tool": None,
        "name": "raed\x1b[2J",
        "status": "error",
        "code": "unknown_tool",
        "executed": "no",
    },
    {"call": "call_5", "duration": 0.030},
]


@pytest.fixture
def run(log, record):
    """Run the program on a log of five calls."""
    for call in CALLS:
        Journal(log, max_bytes=900, keep=9).append({**record, **call})

    def run_program(*arguments):
        return CliRunner().invoke(main, [*arguments, "--file", str(log)])

    return run_program


def calls(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line)["call"] for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], ["call_1", "call_2", "call_3", "call_4", "call_5"]),
        (["-n", "2"], ["call_4", "call_5"]),
        (["-n", "0"], []),
        (["--status", "error"], ["call_2", "call_4"]),
        (["--tool", "files:*"], ["call_1", "call_2", "call_3", "call_5"]),
        (["--tool", "read", "-n", "2"], ["call_2", "call_5"]),
        (["--tool", "raed*", "--status", "error"], ["call_4"]),
        (["--tool", "none"], []),
    ],
)
def test_tail_shows_the_last_calls_that_are_wanted(run, options, expected):
    """The last calls of all files, oldest first, as JSON as it was written."""
    assert calls(run("tail", "--json", *options)) == expected


def test_tail_shows_one_line_a_call(run):
    """For people a line has time, outcome, tool, seconds, id and who blocked it."""
    lines = run("tail").stdout.splitlines()

    shown = [line[25:].split() for line in lines]
    assert shown == [
        ["success", "files:read", "10.0", "ms", "call_1"],
        ["tool_failed", "files:read", "2.50", "s", "call_2"],
        ["denied", "files:write", "1.0", "ms", "call_3", "by", "acme"],
        ["unknown_tool", "raed\\x1b[2J", "(unknown", "tool)", "1.0", "ms", "call_4"],
        ["success", "files:read", "30.0", "ms", "call_5"],
    ]


def test_tail_survives_a_poor_terminal_and_odd_records(log):
    """What a terminal cannot show is escaped, and a record may lack everything."""
    Journal(log).append({"name": "caf\u00e9\u202e", "duration": "soon"})
    command = [sys.executable, "-m", "pegboard_audit", "tail", "--file", str(log)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "caf\\xe9\\u202e (unknown tool)" in done.stdout


def test_tail_reads_what_was_compressed(run, log):
    """The calls before the last rotation are found in a .gz too."""
    calls_made = [call["call"] for call in CALLS]
    packed = log.with_name("audit.jsonl.1.gz")
    packed.write_bytes(gzip.compress(log.with_name("audit.jsonl.1").read_bytes()))
    log.with_name("audit.jsonl.1").unlink()

    assert calls(run("tail", "--json", "-n", "9")) == calls_made


def test_tail_ends_quietly_when_nobody_reads(log, record):
    """`pegboard-audit tail | head` leaves no traceback."""
    for _ in range(500):
        Journal(log).append(record)
    command = [sys.executable, "-m", "pegboard_audit", "tail", "-n", "500", "--json"]
    with subprocess.Popen(
        [*command, "--file", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as tail:
        tail.stdout.readline()
        tail.stdout.close()
        errors = tail.stderr.read()

    assert errors == b""


def test_show_prints_all_records_of_a_call(run):
    """A call is found by its id in whatever file it is."""
    assert json.loads(run("show", "call_1").stdout)["tool"] == "files:read"
    assert calls(run("show", "call_3", "--json")) == ["call_3"]


def test_show_of_an_unknown_call_is_one_line(run, log):
    """An id that nobody recorded is an error that names id and log."""
    result = run("show", "call_9")

    assert result.exit_code == 1
    assert result.stderr == f"Error: no call 'call_9' is recorded in {log}\n"


def test_stats_counts_calls_by_tool(run):
    """Each tool has its calls by status, its share of errors and its durations."""
    assert json.loads(run("stats", "--json").stdout) == [
        {
            "tool": "(unknown tool)",
            "calls": 1,
            "statuses": {"error": 1},
            "error_rate": 1.0,
            "p50": None,
            "p95": None,
        },
        {
            "tool": "files:read",
            "calls": 3,
            "statuses": {"error": 1, "success": 2},
            "error_rate": 0.3333,
            "p50": 0.03,
            "p95": 2.5,
        },
        {
            "tool": "files:write",
            "calls": 1,
            "statuses": {"blocked": 1},
            "error_rate": 0.0,
            "p50": None,
            "p95": None,
        },
    ]


def test_stats_are_a_table_for_people(run):
    """The table has a column for each status that occurs."""
    lines = [line.split() for line in run("stats").stdout.splitlines()]

    names = "tool calls success error blocked errors p50 p95"
    assert lines[0] == names.split()
    assert lines[2] == "files:read 3 2 1 0 33.3% 30.0 ms 2.50 s".split()


def test_verify_prints_the_head_of_a_whole_log(run, log):
    """A whole log ends with status 0 and tells the head to note."""
    result = run("verify")

    head = f"5:{verify(log).last.digest}"
    assert result.exit_code == 0
    assert result.stdout == f"5 lines (1 to 5) in 3 files: whole\nhead {head}\n"
    assert json.loads(run("verify", "--json", "--anchor", head).stdout) == {
        "files": 3,
        "lines": 5,
        "first": 1,
        "head": head,
        "problems": [],
    }


def test_verify_fails_on_a_changed_log(run, log):
    """A log that was changed ends with status 1 and names the place."""
    log.write_bytes(log.read_bytes().replace(b"call_5", b"call_7"))

    result = run("verify")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "audit.jsonl:1: line 5 is not the one that was noted",
        "5 lines (1 to 5) in 3 files: not whole",
    ]


@pytest.mark.parametrize("anchor", ["5", "5:abc", "x:" + "0" * 64])
def test_an_anchor_that_is_no_head_is_refused(run, anchor):
    """A mistyped head is a usage error, not a broken log."""
    result = run("verify", "--anchor", anchor)

    assert result.exit_code == 2
    assert f"'{anchor}' is not SEQ:SHA256, as verify prints it" in result.stderr


@pytest.mark.parametrize(
    "command", [["tail"], ["show", "call_1"], ["stats"], ["verify"]]
)
def test_a_log_that_is_not_there_is_one_line(log, command):
    """Each command says which log it looked for."""
    log = log.parent / "nowhere" / log.name
    result = CliRunner().invoke(main, [*command, "--file", str(log)])

    assert result.exit_code == 1
    assert result.stderr == f"Error: there is no log {log}: nothing was recorded yet\n"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="Linux only")
def test_a_log_that_cannot_be_read_is_one_line():
    """A file that the system does not let us read is an error without a traceback."""
    result = CliRunner().invoke(main, ["tail", "--file", "/proc/self/mem"])

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: the log cannot be read: [Errno ")
    assert result.stderr.count("\n") == 1


def test_the_log_is_the_one_of_the_settings(run, log, tmp_path, monkeypatch):
    """Without --file the settings of the nearest project say where the log is."""
    table = f"[tool.pegboard.plugins.audit]\npath = {json.dumps(str(log))}\n"
    (tmp_path / "pyproject.toml").write_text(table)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["tail", "--json", "-n", "1"])

    assert calls(result) == ["call_5"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('path = "a.jsonl"', "'plugins.audit.path' should be absolute or begin with"),
        ("keep = 0", "'plugins.audit.keep' should be greater than or equal to 1"),
        ("pth = 1", "'plugins.audit.pth' is unknown"),
        ("path = ", "not TOML"),
    ],
)
def test_wrong_settings_are_one_line(tmp_path, monkeypatch, line, message):
    """An error of the settings names file, key and the way out."""
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.pegboard.plugins.audit]\n{line}\n")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["tail"])

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {file}: ")
    assert message in result.stderr
    assert result.stderr.endswith("; or name the log by --file\n")
    assert result.stderr.count("\n") == 1
