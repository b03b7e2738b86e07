"""What the tests of the audit share: a log, and processes that write it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pegboard.calls import ToolCall, prepare_call
from pegboard.events import ToolEnd
from pegboard.results import ToolResult

RECORD = {
    "call": "call_1",
    "name": "read",
    "tool": "files:read",
    "pack": "files",
    "version": "0.1.0",
    "repairs": [],
    "status": "success",
    "code": None,
    "executed": "yes",
    "by": None,
    "started": "2026-01-31T12:00:00+00:00",
    "duration": 0.001,
}
WRITER = """
import json, sys
from pathlib import Path
from threading import Thread
from pegboard_audit.journal import Journal

path, name, count, options, record = sys.argv[1:]
journal = Journal(Path(path), **json.loads(options))

def write(thread):
    for number in range(int(count)):
        call = f"{name}-{thread}-{number}"
        journal.append({**json.loads(record), "call": call})

threads = [Thread(target=write, args=(n,)) for n in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.fixture
def record() -> dict[str, Any]:
    """A record as the plugin makes them."""
    return dict(RECORD)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the log of a test is."""
    return tmp_path.resolve() / "audit.jsonl"


@pytest.fixture
def start_writers(log: Path) -> Callable[..., list[subprocess.Popen[bytes]]]:
    """Start processes of two threads each, all writing to the log at once."""

    def start(processes: int, lines: int, **options: Any) -> list:
        command = [sys.executable, "-c", WRITER, str(log)]
        last = [str(lines), json.dumps(options), json.dumps(RECORD)]
        return [
            subprocess.Popen([*command, str(name), *last]) for name in range(processes)
        ]

    return start


@pytest.fixture
def read_log(log: Path) -> Callable[[], list[dict[str, Any]]]:
    """Read all lines of the log and of PATH.N, oldest first; a torn one fails."""

    def read() -> list[dict[str, Any]]:
        rotated = [path for path in log.parent.iterdir() if path.suffix[1:].isdecimal()]
        rotated.sort(key=lambda path: -int(path.suffix[1:]))
        text = b"".join(path.read_bytes() for path in (*rotated, log)).decode("ascii")
        assert text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]

    return read


@pytest.fixture
def end() -> Callable[..., ToolEnd]:
    """Make the event of a call that ended."""

    def make(
        arguments: Any = None,
        result: ToolResult | None = None,
        *,
        sent: ToolCall | None = None,
        tool: Any = None,
        **call: Any,
    ) -> ToolEnd:
        sent = sent or ToolCall("read", arguments, id="call_1")
        call.setdefault("metadata", {})
        prepared = prepare_call(sent, 0, tool, arguments, **call)
        return ToolEnd(prepared, result or ToolResult("done", call=sent))

    return make
