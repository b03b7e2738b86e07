"""Programs without a loop, notebooks, several loops and forks (B16)."""

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from textwrap import dedent

import pytest

from pegboard import Executor, Pegboard, Registry, UsageError, hookimpl, tool
from pegboard._execution import door

from .parts import calls, codes, turns

who = contextvars.ContextVar("who", default="nobody")


@tool
async def where() -> str:
    return threading.current_thread().name


@tool
async def quick() -> str:
    await asyncio.sleep(0)
    return "quick"


@tool
def sync() -> str:
    return "sync"


def test_a_sync_call_starts_a_loop_in_a_thread_of_its_own():
    """B16: one for all calls of the board, however many threads make them."""
    board = Pegboard([where])
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(lambda _: board.call_sync("where").text, range(40)))

    assert names == {"pegboard-loop"}
    assert sum(t.name == "pegboard-loop" for t in threading.enumerate()) >= 1


def test_with_closes_the_loop():
    """B16: `with board` leaves no thread behind; the board may be used again."""

    def loops():
        return sum(t.name == "pegboard-loop" for t in threading.enumerate())

    before = loops()
    with Pegboard([quick]) as board:
        assert board.call_sync("quick").text == "quick"
        assert loops() == before + 1

    assert loops() == before
    assert board.call_sync("quick").text == "quick"
    board.executor.door.close()
    assert loops() == before


def test_a_sync_call_works_in_a_notebook():
    """B16: another loop running in this thread is no obstacle."""
    board = Pegboard([quick])

    async def cell():
        return board.call_sync("quick").text, codes(board.run_sync(calls("quick")))

    assert asyncio.run(cell()) == ("quick", ["success"])
    assert asyncio.run(cell()) == ("quick", ["success"])


def test_a_sync_call_on_the_boards_own_loop_is_refused():
    """B16: it could never return; the error shows the form to await."""

    async def main():
        board = Pegboard([quick])
        await board.call("quick")
        board.run_sync(calls("quick"))

    with pytest.raises(UsageError, match=r"never return; use `await \.\.\.run"):
        asyncio.run(main())


def test_a_sync_call_from_another_thread_is_handed_to_the_boards_loop():
    """B16: the loop that the board belongs to runs it."""
    board = Pegboard([where, sync])

    async def main():
        await board.call("where")
        return await asyncio.to_thread(
            lambda: (board.call_sync("where").text, board.run_sync(calls("sync")))
        )

    name, batch = asyncio.run(main())

    assert name == threading.current_thread().name
    assert codes(batch) == ["success"]


def test_many_threads_may_call_at_once():
    """B16: each gets its own results, in its own context."""

    @tool
    async def look(n: int) -> str:
        await turns(3)
        return f"{n} {who.get()}"

    board = Pegboard([look, sync])

    def work(n):
        who.set(f"thread {n}")
        batch = board.run_sync([*calls("look", n=n), *calls("sync")])
        return [result.text for result in batch]

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda n: contextvars.Context().run(work, n), range(100)))

    assert found == [[f"{n} thread {n}", "sync"] for n in range(100)]


def test_a_second_loop_may_use_a_board_once_the_first_has_closed():
    """B16: slots, resources, threads and streams of the first do not get in the way."""

    @tool(resources=["all"], timeout=60)
    async def work() -> str:
        await turns(3)
        return "worked"

    @tool(resources=["all"], timeout=60)
    async def stuck() -> str:
        await asyncio.get_running_loop().create_future()

    settings = {"max_concurrency": 1}
    board = Pegboard([work, stuck, sync], settings=settings)

    async def main():
        return codes(await board.run(calls("work", "sync", "work", "sync")))

    assert asyncio.run(main()) == ["success"] * 4
    assert asyncio.run(main()) == ["success"] * 4
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(board.call(name)) for name in ("stuck", "work")]
    loop.run_until_complete(turns())
    assert not any(task.done() for task in tasks)
    loop.close()  # with calls in flight that never ended

    assert asyncio.run(main()) == ["success"] * 4
    assert codes(board.run_sync(calls("work", "sync"))) == ["success"] * 2
    board.executor.door.close()
    for task in tasks:
        task._log_destroy_pending = False  # they are meant to be lost
        task.get_coro().close()


def test_another_running_loop_is_refused():
    """B16: a board belongs to one loop at a time, and says so."""
    board = Pegboard([quick])
    board.call_sync("quick")

    async def main():
        await board.call("quick")

    with pytest.raises(UsageError, match="belongs to another event loop"):
        asyncio.run(main())
    board.executor.door.close()

    asyncio.run(main())


def test_an_executor_alone_has_the_same_door():
    """B16: without a board."""
    executor = Executor(Registry([quick]))

    assert executor.call_sync("quick").text == "quick"
    with executor:
        assert codes(executor.run_sync(calls("quick"))) == ["success"]


def test_a_board_that_is_closed_under_a_call_ends_it():
    """B16: whoever waits for a call of a board that another thread closes is told."""
    begun = threading.Event()

    @tool(timeout=60)
    async def hang() -> str:
        begun.set()
        await asyncio.get_running_loop().create_future()

    board = Pegboard([hang])
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(board.call_sync, "hang")
        assert begun.wait(5)
        board.executor.door.close()
        error = waiting.exception(5)

    assert isinstance(error, (CancelledError, asyncio.CancelledError))


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_loop_that_ends_under_a_sync_call_is_noticed(is_closed, monkeypatch):
    """B16: a thread that waits for a loop which is gone gets an error, and no hang."""
    monkeypatch.setattr(door, "_LOOK", 0.01)
    board, loop = Pegboard([quick]), asyncio.new_event_loop()
    scheduled = threading.Event()
    schedule = loop.call_soon_threadsafe

    def note(*args, **options):
        schedule(*args, **options)
        scheduled.set()

    def last_turn():
        board.executor.door.enter()
        loop.call_soon_threadsafe = note
        waiting.append(pool.submit(board.call_sync, "quick"))
        assert scheduled.wait(5)
        loop.stop()

    waiting = []
    with ThreadPoolExecutor(1) as pool:
        loop.call_soon(last_turn)
        loop.run_forever()
        if is_closed:
            loop.close()
        error = waiting[0].exception(20)
    loop.close()

    assert isinstance(error, UsageError)
    assert "event loop ended before the call did" in str(error)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_reaches_who_waits(error):
    """B7, B16: what a hook lets out of the batch is raised in the waiting thread."""

    class Interrupting:
        name = "interrupting"

        @hookimpl
        def before_tool_call(self, call):
            if call.id == "c0":
                raise error

    board = Pegboard([quick], plugins=[Interrupting()])
    if error is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            board.call_sync("quick", id="c0")
    else:
        assert board.call_sync("quick", id="c0").code == "hook_failed"

    assert board.call_sync("quick").text == "quick"


FORKED = """
import asyncio, os, sys
from pegboard import Pegboard, ToolCall, tool

@tool
def sync() -> str:
    return "sync"

@tool
async def quick() -> str:
    return "quick"

board = Pegboard([sync, quick], settings={"max_concurrency": 2})
sent = [ToolCall("sync"), ToolCall("quick"), ToolCall("sync")]
if sys.argv[1] == "sync":
    board.run_sync(sent)
else:
    asyncio.run(board.run(sent))
child = os.fork()
if child == 0:
    if sys.argv[1] == "sync":
        batch = board.run_sync(sent)
    else:
        batch = asyncio.run(board.run(sent))
    ids = {result.call.id for result in batch}
    print([result.text for result in batch], len(ids), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print([result.text for result in board.run_sync(sent)])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_fork_begins_anew(way):
    """B16: a child takes no loop and no thread along, and makes its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", dedent(FORKED), way],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    texts = "['sync', 'quick', 'sync']"
    assert done.stdout == f"{texts} 3\n{texts}\n"
