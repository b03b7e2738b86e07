"""Very many calls of every kind on one board; in the end nothing is left of them.

    python tests/soak/soak.py [--calls 20000]

Tasks, threads, file descriptors, child processes and memory are counted once the board
is warm and again after so many calls. Ends with 1 if any has grown.
"""

import argparse
import asyncio
import contextlib
import gc
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from pegboard import (
    Approve,
    Block,
    Defer,
    Pegboard,
    ToolCall,
    ToolContext,
    ToolError,
    hookimpl,
    tool,
)
from pegboard.events import ToolEnd

DEFAULT = 20_000
#: Memory that may come and go; a leak of 100 bytes a call shows at the default.
SLACK_KB = 2_000
PACK = """
import os, time
from pegboard import tool

@tool(runner="process")
def far(n: int) -> int:
    return n + 1

@tool(runner="process")
def far_crash() -> None:
    os._exit(3)

@tool(runner="process", timeout=0.05)
def far_hang() -> None:
    time.sleep(60)

TOOLS = [far, far_crash, far_hang]
"""
released = threading.Event()


@tool(read_only=True)
async def add(a: int, b: int = 1) -> int:
    return a + b


@tool
async def wait(n: int) -> int:
    for _ in range(n):
        await asyncio.sleep(0)
    return n


@tool
def block(n: int) -> int:
    return n * 2


@tool
def fail(n: int) -> int:
    raise ValueError(f"number {n}")


@tool
async def say() -> str:
    raise ToolError("no", code="own")


@tool
async def speak(context: ToolContext) -> str:
    for n in range(20):
        context.update(str(n), details={"n": n})
    return "spoken"


@tool
def speak_far(context: ToolContext) -> str:
    for n in range(20):
        context.update(str(n))
    return "spoken"


@tool
async def nest(context: ToolContext) -> int:
    return (await context.call("add", {"a": 1})).data


@tool
def nest_far(context: ToolContext) -> int:
    return context.call_sync("add", {"a": 1}).data


@tool(resources=["file:{path}"])
async def edit(path: str) -> str:
    await asyncio.sleep(0)
    return path


@tool(timeout=0.001)
async def hang() -> None:
    await asyncio.sleep(60)


@tool(timeout=0.001)
def hang_far() -> None:
    released.wait()


@tool
async def stream():
    for n in range(5):
        yield n


class Policy:
    """Guards, changes, rewrites and watches a part of the calls."""

    name = "policy"

    def __init__(self):
        self.codes = Counter()

    @hookimpl
    async def before_tool_call(self, call):
        match call.metadata.get("act"):
            case "block":
                return Block("no")
            case "defer":
                return Defer("ask") if call.index % 2 else None

    @hookimpl
    def tool_middleware(self, tool):
        async def layer(call, call_next):
            if call.metadata.get("act") == "change" and tool.name == "add":
                call = call.replace(arguments={"a": 5})
            return await call_next(call)

        return layer

    @hookimpl
    def after_tool_call(self, call, result):
        return result.replace(details="seen") if call.index == 0 else None

    @hookimpl
    def on_event(self, event):
        if isinstance(event, ToolEnd):
            self.codes[event.result.code or event.result.status] += 1


LOCAL = {
    "add": '{"a": 1}',
    "wait": {"n": 3},
    "block": {"n": 1},
    "fail": {"n": 1},
    "say": None,
    "speak": None,
    "speak_far": None,
    "nest": None,
    "nest_far": None,
    "edit": {"path": "a"},
    "stream": None,
    "unknown": "{}",
}
#: As often as these: they take time, or a process.
SELDOM = {"hang": 0.002, "hang_far": 0.001, "far": 0.005, "far_hang": 0.0002}
BAD = ["{", '{"a": "x"}', "[1]", '{"a": 1, "a": 2}', {"a": object()}]


def draw(chance):
    """One call of any kind."""
    for name, share in SELDOM.items():
        if chance.random() < share:
            return ToolCall(name, {"n": 1} if name == "far" else {})
    if chance.random() < 0.0002:
        return ToolCall("far_crash")
    if chance.random() < 0.1:
        return ToolCall("add", chance.choice(BAD))
    name = chance.choice(list(LOCAL))
    return ToolCall(name, LOCAL[name])


async def use(board, chance):
    """One use of the board; returns how many calls it made."""
    sent = [draw(chance) for _ in range(chance.randint(1, 20))]
    act = {"act": chance.choice(["", "", "", "block", "defer", "change"])}
    way = chance.choice(
        ["call", "run", "run", "turn", "stream", "leave", "event", "task"]
    )
    if way == "call":
        for call in sent:
            await board.call(call.name, call.arguments, metadata=act)
    elif way in ("run", "turn"):
        batch = await board.run(sent, metadata=act, sequential=way == "turn")
        if batch.pending:
            decided = {call.position: Approve() for call in batch.pending}
            await board.resume(batch, decided)
    elif way in ("stream", "leave"):
        events = board.stream(sent, metadata=act)
        async with contextlib.aclosing(events):
            async for _ in events:
                if way == "leave" and chance.random() < 0.1:
                    break
    elif way == "event":
        cancel = asyncio.Event()
        asyncio.get_running_loop().call_later(0.0005, cancel.set)
        await board.run(sent, metadata=act, cancel=cancel)
    else:
        task = asyncio.create_task(board.run(sent, metadata=act))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    if chance.random() < 0.02:
        released.set()  # abandoned threads come back
        while board.executor.runners["thread"].left:
            await asyncio.sleep(0.001)
        released.clear()
    return len(sent)


def census():
    """What there is of each kind now."""
    gc.collect()
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    status = Path("/proc/self/status").read_text()
    return {
        "tasks": len(asyncio.all_tasks()),
        "threads": threading.active_count(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(children.split()),
        "objects": len(gc.get_objects()),
        "memory_kb": int(status.split("VmRSS:")[1].split()[0]),
    }


async def settle(board):
    """Wait until whoever was left behind has come back."""
    released.set()
    await asyncio.to_thread(time.sleep, 0.2)
    while board.executor.runners["thread"].left:
        await asyncio.sleep(0.01)
    released.clear()


async def soak(board, calls):
    chance = random.Random(7)
    done = 0
    while done < calls:
        done += await use(board, chance)
    return done


async def main(calls):
    policy = Policy()
    board = Pegboard.discover(
        project=None,
        tools=[value for value in globals().values() if type(value) is type(add)],
        plugins=[policy],
        settings={"enable": ["soak_pack"], "grace": 0.5, "max_concurrency": 50},
    )
    await asyncio.to_thread(gc.collect)  # the loop's own pool, which is not ours
    counts = {"before": census()}
    async with board:
        await soak(board, max(2_000, calls // 10))  # until pools and caches are there
        await settle(board)
        counts["warm"] = census()
        began = time.perf_counter()
        done = await soak(board, calls)
        took = time.perf_counter() - began
        await settle(board)
        counts["after"] = census()
    await asyncio.sleep(0.1)  # for threads that were told to end
    counts["closed"] = census()
    print(f"{done:,} calls in {took:.1f} s")
    print(", ".join(f"{code} {n:,}" for code, n in policy.codes.most_common()))
    print(f"{'':12}" + "".join(f"{moment:>12}" for moment in counts))
    for kind in counts["warm"]:
        print(
            f"{kind:12}" + "".join(f"{count[kind]:>12,}" for count in counts.values())
        )
    left = what_is_left(counts)
    if left:
        print(f"left behind: {', '.join(left)}")
    return bool(left)


def what_is_left(counts):
    """The kinds of which there are more in the end than there should be."""
    before, warm, after, closed = counts.values()
    kinds = ("tasks", "threads", "descriptors", "processes")
    left = [kind for kind in kinds if closed[kind] > before[kind]]
    if after["tasks"] > warm["tasks"]:
        left.append("tasks of a warm board")
    if after["memory_kb"] > warm["memory_kb"] + SLACK_KB:
        left.append("memory")
    return left


def install(folder):
    """Install the pack whose bodies run in processes."""
    (folder / "soak_pack.py").write_text(PACK)
    metadata = folder / "soak_pack-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: soak-pack\nVersion: 1.0\n"
    )
    (metadata / "RECORD").write_text("")
    points = "[pegboard.tools]\nsoak_pack = soak_pack:TOOLS\n"
    (metadata / "entry_points.txt").write_text(points)
    sys.path.insert(0, str(folder))


def parse():
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="nox -s soak --", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--calls", type=int, default=DEFAULT, help="how many (20,000)")
    return parser.parse_args()


if __name__ == "__main__":
    options = parse()
    with tempfile.TemporaryDirectory(prefix="pegboard-soak-") as name:
        os.environ["PEGBOARD_CACHE_DIR"] = f"{name}/cache"
        install(Path(name))
        sys.exit(asyncio.run(main(options.calls)))
