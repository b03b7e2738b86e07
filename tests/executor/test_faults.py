"""Every fault in every runner: one result, siblings untouched, the board still works.

The table in docs/executor.md is what these runs come to. What no host survives outside
of a process of its own runs there alone, and the table says so.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .faults import FAULTS
from .parts import are_gone

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs process groups")

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "executor.md"
RUNNERS = ("inline", "thread", "process")
TITLES = {
    "raises": "raises an exception",
    "exits": "calls `sys.exit`",
    "hangs": "hangs",
    "returns_nonsense": "returns what is no JSON",
    "floods_output": "prints 100 MB",
    "closes_stdout": "closes standard output",
    "begets_and_waits": "starts children that start children, and waits",
    "os_exits": "calls `os._exit(3)`",
    "segfaults": "causes a segmentation fault",
    "stops_itself": "sends itself SIGSTOP",
    "hogs_memory": "takes 8 GB of memory, where 2 are allowed",
}
SYNC = """
    import ctypes

    CHILD = "import os, subprocess, sys, time;"
    CHILD += "open(f'{sys.argv[1]}/{os.getpid()}', 'w'); time.sleep(60)"
    PARENT = CHILD.replace("time.sleep", "subprocess.Popen([sys.executable, '-c', "
        "sys.argv[2], sys.argv[1]]); time.sleep")

    def beget(folder):
        for _ in range(2):
            subprocess.Popen([sys.executable, "-c", PARENT, folder, CHILD])
        while len(os.listdir(folder)) < 4:
            time.sleep(0.005)

    @tool
    def sibling(folder: str) -> str:
        return "untouched"

    @tool
    def raises(folder: str):
        raise ValueError("broken")

    @tool
    def exits(folder: str):
        sys.exit(3)

    @tool(timeout=0.3)
    def hangs(folder: str):
        time.sleep(9)

    @tool
    def returns_nonsense(folder: str):
        return {"odd": object(), "mean": float("nan")}

    @tool(timeout=60)
    def floods_output(folder: str):
        for _ in range(100):
            sys.stdout.write("x" * 1_000_000)
        return "flooded"

    @tool
    def closes_stdout(folder: str):
        sys.stdout.close()
        os.close(1)
        return "closed"

    @tool(timeout=3)
    def begets_and_waits(folder: str):
        beget(folder)
        time.sleep(9)

    @tool
    def os_exits(folder: str):
        os._exit(3)

    @tool
    def segfaults(folder: str):
        ctypes.string_at(0)

    @tool(timeout=0.5)
    def stops_itself(folder: str):
        os.kill(os.getpid(), signal.SIGSTOP)

    @tool
    def hogs_memory(folder: str):
        return len(bytearray(8_000_000_000))
"""
ASYNC = (
    SYNC.replace("    def ", "    async def ")
    .replace("async def beget(", "def beget(")
    .replace("        time.sleep(9)", "        await asyncio.sleep(9)")
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Runner -> what each fault came to there, and what was left at the end."""
    found = {}
    for runner in RUNNERS:
        folder = tmp_path_factory.mktemp(runner)
        source = ASYNC if runner == "inline" else SYNC
        source = source.replace("@tool(", f"@tool(runner={runner!r}, ")
        source = source.replace("@tool\n", f"@tool(runner={runner!r})\n")
        from .conftest import Packs

        pack = Packs(folder).install(source)
        program = str(Path(__file__).with_name("faults.py"))
        subprocess.run(
            [sys.executable, program, str(folder), pack, runner],
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'core'}{os.pathsep}{folder}"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=120,
        )
        lines = (folder / f"{runner}.jsonl").read_text().splitlines()
        found[runner] = [json.loads(line) for line in lines]
    yield found
    for runner in RUNNERS:
        for outcome in found[runner][:-1]:
            for pid in outcome["left"]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_fault_is_one_result_and_nobody_elses(outcomes, runner):
    """B1, B9: siblings, the loop and the next call notice nothing."""
    *trials, end = outcomes[runner]

    assert [it["fault"] for it in trials] == [
        fault for fault, survived in FAULTS.items() if survived or runner == "process"
    ]
    for it in trials:
        assert it["siblings"] == ["untouched"] * 2, it
        assert it["afterwards"] == "untouched", it
        assert it["tasks"] == 1, it
    if runner == "process":
        assert end == {"threads": [], "processes": []}


@pytest.mark.parametrize("runner", RUNNERS)
def test_children_die_with_their_process_and_only_there(outcomes, runner):
    """B9: a thread or a coroutine that is given up leaves what it started behind."""
    (trial,) = (it for it in outcomes[runner][:-1] if it["children"])

    assert trial["children"] == 4
    if runner == "process":
        assert are_gone(*trial["left"])
    else:
        assert len(trial["left"]) == 4


def test_the_table_of_the_docs_is_what_was_run(outcomes):
    """The fault matrix of docs/executor.md, row by row."""
    runs = {
        runner: {it["fault"]: it for it in outcomes[runner][:-1]} for runner in RUNNERS
    }
    rows = []
    for fault, title in TITLES.items():
        cells = [cell(runs[runner].get(fault)) for runner in RUNNERS]
        rows.append(f"| {title} | {' | '.join(cells)} |")
    page = PAGE.read_text(encoding="utf-8")

    assert [row for row in rows if row not in page] == []


def cell(outcome):
    """An outcome as the table shows it."""
    if outcome is None:
        return "only in a process"
    shown = outcome["text"].replace("\n", " ")
    shown = f"`{outcome['code']}`: {shown}"
    if outcome["children"]:
        shown += "; the children live on" if outcome["left"] else "; the children die"
    return shown
