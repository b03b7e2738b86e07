"""Processes that are killed, starved, cut off or closed (B9, section 12)."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from textwrap import dedent

import pytest

from pegboard import ToolCall
from pegboard import _processes as processes
from pegboard.runners import NotStarted

from .parts import are_gone, calls, codes, is_running, named

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs process groups")

FAMILY = """
    CHILD = '''
    import os, subprocess, sys, time
    folder, left, source = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if left:
        more = [folder, str(left - 1), source]
        subprocess.Popen([sys.executable, "-c", source, *more])
    open(f"{folder}/{os.getpid()}", "w").close()
    time.sleep(99)
    '''

    def beget(folder):
        subprocess.Popen([sys.executable, "-c", CHILD, folder, "2", CHILD])
        open(f"{folder}/{os.getpid()}", "w").close()
        while len(os.listdir(folder)) < 4:
            time.sleep(0.001)

    @tool(runner="process", timeout=60)
    def family(folder: str, how: str) -> str:
        beget(folder)
        if how == "wait":
            open(f"{folder}/ready", "w").close()
            time.sleep(99)
        if how == "exit":
            os._exit(7)
        if how == "segfault":
            __import__("ctypes").string_at(0)
        return "begotten"
"""


@pytest.fixture
def folder(packs):
    made = packs.folder / "family"
    made.mkdir()
    return made


def members(folder):
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


@pytest.mark.parametrize("how", ["wait", "exit", "segfault", "return"])
def test_whatever_a_tool_starts_dies_with_its_process(packs, folder, how):
    """B9: killed on expiry, crashed or closed: children and grandchildren go along."""
    settings = {"tools": {"family": {"timeout": 3 if how == "wait" else 60}}}
    with packs.board(FAMILY, settings=settings) as board:
        result = board.call_sync("family", {"folder": str(folder), "how": how})
        family = members(folder)
        if how == "return":
            assert all(map(is_running, family))
        else:
            assert are_gone(*family)

    assert len(family) == 4
    assert are_gone(*family)
    assert (result.code or result.text) == {
        "wait": "timeout",
        "exit": "tool_failed",
        "segfault": "tool_failed",
        "return": "begotten",
    }[how]


@pytest.mark.parametrize("way", ["event", "task"])
def test_a_cancelled_body_is_killed_with_its_group(packs, folder, way):
    """B10: after a short notice, in which it may end by itself."""

    async def main():
        board = packs.board(FAMILY)
        cancel = asyncio.Event()
        sent = ToolCall("family", {"folder": str(folder), "how": "wait"})
        task = asyncio.create_task(board.run([sent], cancel=cancel))
        while not (folder / "ready").exists():
            await asyncio.sleep(0.001)
        if way == "event":
            cancel.set()
            assert codes(await task) == ["cancelled"]
        else:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await board.close()

    asyncio.run(main())

    assert are_gone(*members(folder))


def test_a_call_that_is_cancelled_twice_leaves_no_descriptor(packs):
    """B10: the notice may be cut short, too; the line is closed all the same."""
    source = """
        @tool(runner="process", timeout=60)
        def hang(path: str) -> str:
            open(path, "w").close()
            time.sleep(99)
    """
    path = packs.folder / "begun"

    async def main():
        board = packs.board(source)
        before = len(os.listdir("/proc/self/fd"))
        task = asyncio.create_task(board.call("hang", {"path": str(path)}))
        while not path.exists():
            await asyncio.sleep(0.001)
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([task])
        await board.close()
        return len(os.listdir("/proc/self/fd")) - before

    assert asyncio.run(main()) == 0


@pytest.mark.parametrize("name", ["poll", "clean"])
def test_a_cancelled_body_has_a_moment_to_clean_up(packs, name):
    """V11: `cancelled` is true over the line, and an async body is cancelled."""
    source = """
        @tool(runner="process", timeout=60)
        def poll(path: str, context: ToolContext) -> str:
            context.update("begun")
            while not context.cancelled:
                time.sleep(0.001)
            open(path, "w").write("tidy")

        @tool(runner="process", timeout=60)
        async def clean(path: str, context: ToolContext) -> str:
            context.update("begun")
            try:
                await asyncio.sleep(99)
            finally:
                open(path, "w").write("tidy")
    """
    path = packs.folder / "tidied"

    async def main():
        cancel = asyncio.Event()
        begun = named("begun", on_event=lambda event: set_on_update(event, cancel))
        board = packs.board(source, plugins=[begun])
        batch = await board.run([ToolCall(name, {"path": str(path)})], cancel=cancel)
        await board.close()
        return batch

    assert codes(asyncio.run(main())) == ["cancelled"]
    assert path.read_text() == "tidy"


def set_on_update(event, cancel):
    if type(event).__name__ == "ToolUpdate":
        cancel.set()


def test_time_counts_from_the_start_of_the_body(packs):
    """B9: a process that takes longer to start than the tool may is in time."""
    source = """
        time.sleep(0.4)

        @tool(runner="process", timeout=0.3)
        def quick() -> str:
            return "quick"

        @tool(runner="process", timeout=0.3)
        def slow() -> str:
            time.sleep(99)
    """
    with packs.board(source) as board:
        batch = board.run_sync(calls("quick", "slow"))

    assert codes(batch) == ["success", "timeout"]
    assert batch[1].text == "slow took longer than 0.3 s"


def test_a_process_that_never_begins_is_given_up(packs, monkeypatch):
    """Section 12: a plugin that hangs at import there takes only its own calls down."""
    monkeypatch.setattr(processes, "START", 0.5)
    source = """
        if sys.argv[0].endswith("_worker.py") or sys.argv[0] == "-m":
            time.sleep(99)

        @tool(runner="process")
        def never() -> str:
            return "never"
    """
    with packs.board(source) as board:
        result = board.call_sync("never")

    assert (result.code, result.executed) == ("tool_unavailable", "no")
    assert "did not begin within 0.5 s" in result.text
    assert isinstance(result.error, NotStarted)


@pytest.mark.parametrize("how", ["raises", "exits", "dies"])
def test_a_plugin_that_cannot_be_loaded_there_is_unavailable(packs, how):
    """Section 12: whatever its import does in the process, the call says why."""
    source = f"""
        if sys.argv[0].endswith("_worker.py") or sys.argv[0] == "-m":
            if {how!r} == "raises":
                raise ImportError("no display")
            sys.exit(4) if {how!r} == "exits" else os._exit(5)

        @tool(runner="process")
        def never() -> str:
            return "never"
    """
    with packs.board(source) as board:
        result = board.call_sync("never")

    assert (result.code, result.executed) == ("tool_unavailable", "no")
    said = {"raises": "no display", "exits": "SystemExit: 4", "dies": "exit code 5"}
    assert said[how] in result.text


def test_closing_a_board_ends_the_bodies_in_processes(packs):
    """Section 12: whoever waits for one is told that its process was killed."""
    source = """
        @tool(runner="process", timeout=60)
        def hang(path: str) -> str:
            open(path, "w").close()
            time.sleep(99)
    """
    path = packs.folder / "begun"

    async def main():
        board = packs.board(source)
        task = asyncio.create_task(board.call("hang", {"path": str(path)}))
        while not path.exists():
            await asyncio.sleep(0.001)
        await board.close()
        return await task

    result = asyncio.run(main())

    assert result.code == "tool_failed"
    assert result.text == "the process of hang was killed by SIGKILL"
    assert result.details == {"exit_code": -9}


PROGRAM = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from pegboard import Pegboard
board = Pegboard.discover(project=None, settings={"enable": [sys.argv[2]]})
asyncio.run(board.call("family", {"folder": sys.argv[3], "how": "wait"}))
"""


def test_a_worker_does_not_outlive_its_host(packs, folder):
    """Section 12: a host that is killed takes its workers and their children along."""
    name = packs.install(FAMILY)
    command = [sys.executable, "-c", dedent(PROGRAM)]
    host = subprocess.Popen([*command, str(packs.folder), name, str(folder)])
    while not (folder / "ready").exists():
        assert host.poll() is None
        threading.Event().wait(0.005)
    family = members(folder)
    assert all(map(is_running, family))
    host.send_signal(signal.SIGKILL)
    host.wait()

    assert are_gone(*family)


def test_a_second_loop_uses_the_same_processes(packs):
    """B16: a warm worker belongs to the board, and to no loop."""
    source = """
        @tool(runner="process")
        def where() -> int:
            return os.getpid()
    """
    board = packs.board(source)

    async def call():
        return (await board.call("where")).data

    async def last():
        pid = await call()
        await board.close()
        return pid

    assert asyncio.run(call()) == asyncio.run(call()) == asyncio.run(last())
