"""Runs every fault in one runner, as a host of its own; writes what each came to.

Started as `python faults.py FOLDER PACK RUNNER`; the lines of FOLDER/RUNNER.jsonl are
read by test_faults.py.
"""

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

from pegboard import Pegboard, ToolCall

#: Fault -> whether a host survives it outside of a process of its own.
FAULTS = {
    "raises": True,
    "exits": True,
    "hangs": True,
    "returns_nonsense": True,
    "floods_output": True,
    "closes_stdout": True,
    "begets_and_waits": True,
    "os_exits": False,
    "segfaults": False,
    "stops_itself": False,
    "hogs_memory": False,
}


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def trial(board, fault, folder):
    """Run a fault between two siblings; say what came of all."""
    family = folder / f"{fault}-family"
    family.mkdir()
    given = {"folder": str(family)}
    names = ("sibling", fault, "sibling")
    before, broken, after = await board.run([ToolCall(name, given) for name in names])
    await asyncio.sleep(0.05)  # SIGKILL takes a moment to reach everybody
    pids = [int(path.name) for path in family.iterdir()]
    return {
        "fault": fault,
        "code": broken.code or broken.status,
        "text": broken.text,
        "executed": broken.executed,
        "details": broken.details,
        "siblings": [before.text, after.text],
        "afterwards": (await board.call("sibling", given)).text,
        "children": len(pids),
        "left": [pid for pid in pids if is_alive(pid)],
        "tasks": len(asyncio.all_tasks()),
    }


async def main():
    folder, pack, runner = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    settings = {"enable": [pack], "grace": 0.5, "process_memory": 2_000_000_000}
    with open(folder / f"{runner}.jsonl", "w") as file:
        async with Pegboard.discover(project=None, settings=settings) as board:
            for fault, is_survived in FAULTS.items():
                if is_survived or runner == "process":
                    found = await trial(board, fault, folder)
                    file.write(json.dumps(found) + "\n")
        threads = [t.name for t in threading.enumerate() if t.name.startswith("pegb")]
        processes = [
            pid
            for pid in os.listdir("/proc")
            if pid.isdigit() and is_child(pid) and is_alive(pid)
        ]
        file.write(json.dumps({"threads": threads, "processes": processes}) + "\n")


def is_child(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(fields[1]) == os.getpid()


if __name__ == "__main__":
    asyncio.run(main())
