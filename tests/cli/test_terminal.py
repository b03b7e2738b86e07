"""What a person sees: terminals wide and narrow, pipes, poor encodings, Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PACK = '''
import asyncio
import threading
from pathlib import Path
from pegboard import ToolContext, tool

@tool(read_only=True)
def hold(fifo: str, *, context: ToolContext) -> str:
    """Show how far it is, and wait for somebody to write."""
    context.update("not yet\\nhalf \\x1b[7mway")
    return Path(fifo).read_text()

@tool(read_only=True)
async def hang(*, context: ToolContext) -> str:
    """Wait for ever."""
    context.update("waiting for ever")
    await asyncio.Event().wait()

@tool(read_only=True)
def block(*, context: ToolContext) -> str:
    """Block a thread for ever."""
    context.update("blocking for ever")
    threading.Event().wait()

@tool(read_only=True)
def say(text: str) -> str:
    """Say a text, for example 你好, and say it as it is, whatever it may be."""
    return text

tools = [hold, hang, block, say]
'''


@pytest.fixture(autouse=True)
def pack(site):
    """Tools that take their time."""
    site.install(PACK, value="acme:tools")


@pytest.fixture
def calls(project: Path):
    """Writes a file of calls."""

    def write(*calls: dict) -> str:
        path = project / "calls.jsonl"
        path.write_text("\n".join(map(json.dumps, calls)))
        return str(path)

    return write


def colours(output: bytes) -> bool:
    return re.search(rb"\x1b\[[0-9;]*[1-9][0-9;]*m", output) is not None


def test_a_terminal_sees_progress_and_then_the_table(project, calls, terminal):
    """While a batch runs its updates are shown; then the table stands alone."""
    fifo = project / "fifo"
    os.mkfifo(fifo)
    file = calls(
        {"name": "hold", "arguments": {"fifo": str(fifo)}},
        {"name": "say", "arguments": {"text": "first line\nsecond line"}},
    )
    command = terminal("run", file)
    command.wait_for("half ␛[7mway")
    command.wait_for("1 of 2 done")
    fifo.write_text("held")

    assert command.end() == 0
    table = command.screen[command.screen.rindex("#  tool") :]
    rows = [line.split() for line in table.splitlines()]
    assert [row[:3] for row in rows[1:3]] == [
        ["1", "hold", "success"],
        ["2", "say", "success"],
    ]
    assert rows[2][-2:] == ["first", "line"]
    assert table.endswith("\n\n2 calls, 2 succeeded\n")
    assert b"\x1b[?25h" in command.output


def test_a_pipe_sees_no_progress(calls, process):
    """Without a terminal there is the table and nothing else, on stdout only."""
    done = process("run", calls({"name": "say", "arguments": {"text": "hi"}}))

    assert done.returncode == 0
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout


def test_a_terminal_has_colours_unless_it_forbids_them(terminal):
    """Colours are for terminals, and not where NO_COLOR is set."""
    plain, coloured = terminal("list", NO_COLOR="1"), terminal("list")

    assert (plain.end(), coloured.end()) == (0, 0)
    assert plain.screen == coloured.screen
    assert colours(coloured.output)
    assert not re.search(rb"\x1b\[[0-9;]*3[0-9]m", plain.output)


@pytest.mark.parametrize("columns", [200, 100, 60, 40])
def test_nothing_is_cut_at_any_width(columns, terminal):
    """A table fits the terminal: wrapped, or stacked where columns find no room."""
    command = terminal("list", columns=columns)

    assert command.end() == 0
    lines = command.screen.splitlines()
    assert max(map(len, lines)) <= columns
    text = " ".join(" ".join(lines).split())
    assert (
        "say acme read-only Say a text, for example 你好, and say it as it is" in text
    )


def test_long_text_is_wrapped_between_words(terminal):
    """What a tool says of itself is wrapped between words on a narrow terminal."""
    command = terminal("show", "say", columns=40)

    assert command.end() == 0
    lines = [line.rstrip() for line in command.screen.splitlines()]
    start = lines.index("Say a text, for example 你好, and say it")
    assert lines[start + 1] == "as it is, whatever it may be."


def test_a_dumb_terminal_gets_the_same_words(calls, terminal):
    """A terminal that can do nothing still gets the table, without codes."""
    file = calls({"name": "say", "arguments": {"text": "hi"}})
    command = terminal("run", file, TERM="dumb")

    assert command.end() == 0
    assert "1 call, 1 succeeded" in command.screen
    assert b"\x1b[?25" not in command.output


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_text_degrades_where_it_cannot_be_encoded(encoding, process):
    """W236: text that an encoding lacks becomes ?, never an error."""
    env = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    for words in (["call", "say", "text=你好 ✅ ok"], ["list"], ["show", "say"]):
        done = process(*words, **env)

        assert done.returncode == 0
        assert done.stderr == b""
    if encoding != "ascii":  # click takes that for a mistake and writes UTF-8
        assert process("call", "say", "text=你好 ✅ ok", **env).stdout == b"?? ? ok\n"


def test_json_is_ascii_in_every_encoding(process):
    """W236: JSON output is ASCII, so that no pipe can spoil it."""
    done = process("call", "say", "--json", "text=你好 ✅", PYTHONIOENCODING="cp1252")

    assert json.loads(done.stdout.decode("ascii"))["data"] == "你好 ✅"


def test_results_cannot_steer_the_terminal(terminal, process):
    """A terminal is shown control characters; a pipe gets them as they are."""
    seen = terminal("call", "say", 'text:="a\\u001b[2Jb\\r\\nc"')
    piped = process("call", "say", 'text:="a\\u001b[2Jb\\r\\nc"')

    assert seen.end() == 0
    assert seen.screen.endswith("a␛[2Jb\nc\n")
    assert piped.stdout == b"a\x1b[2Jb\r\nc\n"


@pytest.mark.parametrize("name", ["hang", "block"])
def test_ctrl_c_ends_a_batch_with_what_there_is(name, calls, terminal):
    """Ctrl-C ends a batch: finished calls keep their results, 130 is the code."""
    file = calls({"name": "say", "arguments": {"text": "done"}}, {"name": name})
    command = terminal("run", file)
    command.wait_for("ing for ever")
    code = command.interrupt()

    assert code == 130
    table = command.screen[command.screen.rindex("#  tool") :]
    assert [line.split()[1:3] for line in table.splitlines()[1:3]] == [
        ["say", "success"],
        [name, "cancelled"],
    ]
    assert "2 calls, 1 succeeded, 1 failed" in table
    assert "Traceback" not in command.screen


def test_ctrl_c_in_an_import_ends_at_once(site, terminal):
    """Ctrl-C while a plugin is imported ends the command, without a traceback."""
    site.install(
        "import sys, threading\n"
        "print('importing', flush=True)\n"
        "threading.Event().wait()\n",
        name="acme-slow",
    )
    command = terminal("list")
    command.wait_for("importing")
    code = command.interrupt()

    assert code == 130
    assert "Traceback" not in command.screen


def test_an_import_that_hangs_is_named(site, terminal):
    """D4: a plugin that hangs while it is imported is named while it does."""
    site.install("import threading; threading.Event().wait()", name="acme-slow")
    command = terminal("doctor")
    command.wait_for("PEGBOARD_DISABLE=acme_slow")
    code = command.interrupt()

    assert code == 130
    assert "plugin 'acme_slow' (acme-slow 1.0) is still importing after 3 s" in (
        command.screen
    )


def test_a_reader_that_stops_is_no_error(process):
    """A pipe that is closed early ends the command in silence."""
    code = [sys.executable, "-P", "-m", "pegboard", "list", "--json"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(code, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)

    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_error(redirection):
    """Streams that somebody has closed are as good as empty."""
    command = f'exec "{sys.executable}" -P -m pegboard list {redirection}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)

    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no /dev/full")
def test_a_full_disk_is_one_line():
    """Output that cannot be written is one line and code 2."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "pegboard", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )

    assert done.returncode == 2
    assert done.stderr == "error: output: No space left on device\n"


def test_a_termination_leaves_no_half_table(calls):
    """SIGTERM ends the command by that signal, as a supervisor expects."""
    file = calls({"name": "hang"})
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "pegboard", "run", file], stdout=subprocess.PIPE
    )
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=60)

    assert process.returncode == -signal.SIGTERM
    assert output == b""
