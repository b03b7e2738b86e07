"""What many tests of the executor are made of."""

import asyncio
import time
from pathlib import Path

from pegboard import ToolCall, hookimpl, tool
from pegboard.events import ToolUpdate


def named(name, **hooks):
    """A plugin of that name with these hook implementations."""
    members = {key: staticmethod(hookimpl(value)) for key, value in hooks.items()}
    return type(name, (), {"name": name, **members})()


def calls(*names, **arguments):
    """One call a name, with ids by position and the same arguments."""
    return [ToolCall(name, arguments, id=f"c{at}") for at, name in enumerate(names)]


def codes(batch):
    """The code of each result, or its status where it has none."""
    return [result.code or result.status for result in batch]


async def forever():
    """Wait for what never comes."""
    await asyncio.get_running_loop().create_future()


@tool
async def quick() -> str:
    return "quick"


@tool(timeout=60)
async def hang() -> str:
    await forever()


async def turns(count=50):
    """Let the loop go round, until whoever can go on waits for something else."""
    for _ in range(count):
        await asyncio.sleep(0)


class Recorder:
    """A plugin that notes each hook, middleware and event, in order.

    Attributes:
        seen: `(what happened, the call's id)`; of a tool-wide hook, the tool's name.
        ends: Call id -> the result of its ToolEnd.
    """

    def __init__(self, name="recorder"):
        self.name = name
        self.seen = []
        self.ends = {}

    def of(self, *kinds):
        """What happened of these kinds, in order."""
        return [entry for entry in self.seen if entry[0] in kinds]

    @hookimpl
    def inject(self, tool, name):
        self.seen.append(("inject", tool.name))

    @hookimpl
    def prepare_arguments(self, call):
        self.seen.append(("prepare", call.id))

    @hookimpl
    def before_tool_call(self, call):
        self.seen.append(("before", call.id))

    @hookimpl
    def tool_middleware(self, tool):
        self.seen.append(("middleware", tool.name))

        async def note(call, call_next):
            self.seen.append(("enter", call.id))
            try:
                return await call_next(call)
            finally:
                self.seen.append(("leave", call.id))

        return note

    @hookimpl
    def after_tool_call(self, call, result):
        self.seen.append(("after", call.id))

    @hookimpl
    def on_event(self, event):
        kind = type(event).__name__
        call = getattr(event, "call", None)
        self.seen.append((kind, call.id if call else None))
        if kind == "ToolEnd":
            self.ends[call.id] = event.result


class Watcher:
    """A plugin that keeps all events."""

    name = "watcher"

    def __init__(self):
        self.events = []

    @hookimpl
    def on_event(self, event):
        self.events.append(event)

    def of(self, kind, id=None):
        """The events of a kind, of one call or of all."""
        found = [event for event in self.events if isinstance(event, kind)]
        return [event for event in found if id is None or event.call.id == id]

    def texts(self, id=None):
        """The text of each update, of one call or of all; other blocks by kind."""
        return [
            "".join(getattr(block, "text", block.type) for block in event.content)
            for event in self.of(ToolUpdate, id)
        ]


def is_running(pid):
    """Whether a process runs; one that nobody has buried yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def are_gone(*pids, within=5.0):
    """Whether processes that were killed are gone, in a moment at the latest."""
    end = time.monotonic() + within
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(0.001)
    return not any(map(is_running, pids))
