"""Boards that nobody holds any more, and nobody has closed (B16)."""

import asyncio
import gc
import os
import threading
import time

import pytest

from pegboard import Pegboard, ToolCall, tool

from .parts import are_gone, is_running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors as in POSIX")

PID = """
    @tool(runner="process")
    def pid() -> int:
        return os.getpid()
"""


@tool
async def inline() -> str:
    return "inline"


@tool
def threaded() -> str:
    return "threaded"


def loops():
    return {t for t in threading.enumerate() if t.name == "pegboard-loop"}


def descriptors():
    return set(os.listdir("/dev/fd"))


def dropped(use):
    """Use a board in a frame of its own, and let everything of it go."""
    result = use()
    gc.collect()
    return result


@pytest.mark.parametrize("name", ["inline", "threaded"])
def test_a_dropped_board_takes_its_loop_along(name):
    """B16: a board for each request leaves no thread and no descriptor."""
    gc.collect()
    before, opened = loops(), len(descriptors())
    for _ in range(5):
        text = dropped(lambda: Pegboard([inline, threaded]).call_sync(name).text)
        assert text == name

    end = time.monotonic() + 10
    while loops() - before and time.monotonic() < end:
        time.sleep(0.001)
        gc.collect()  # a body's thread may have held its board until just now
    assert loops() <= before
    assert len(descriptors()) <= opened


def test_a_board_in_use_keeps_its_loop():
    """B16: a call under way holds the board, though nothing else does."""
    begun, release = threading.Event(), threading.Event()

    @tool
    async def slow() -> str:
        begun.set()
        while not release.is_set():
            await asyncio.sleep(0)
        return "done"

    told = []

    def call():
        told.append(Pegboard([slow]).call_sync("slow").text)

    caller = threading.Thread(target=call)
    caller.start()
    assert begun.wait(10)
    gc.collect()
    release.set()
    caller.join(10)

    assert told == ["done"]


def test_processes_end_with_a_dropped_board(packs):
    """B16: neither a loop that has ended nor the board is there to end them."""
    board = packs.board(PID)
    pid = asyncio.run(board.call("pid")).data
    assert is_running(pid)

    del board
    gc.collect()
    other = dropped(lambda: packs.board(PID).call_sync("pid").data)

    assert pid != other
    assert are_gone(pid, other)


@pytest.mark.parametrize("end", ["drop", "close"])
def test_a_fork_lets_the_processes_of_its_parent_be(packs, end):
    """B16: a child that drops or closes its copy of a board ends nothing."""
    board = packs.board(PID)
    pid = board.call_sync("pid").data
    child = os.fork()
    if child == 0:
        try:
            if end == "close":
                asyncio.run(board.close())
            del board
            gc.collect()
        finally:
            os._exit(0)
    os.waitpid(child, 0)

    assert is_running(pid)
    assert board.run_sync([ToolCall("pid")]).results[0].data == pid
