"""How many bodies are in flight (B11)."""

import asyncio
import threading

import pytest

from pegboard import Executor, Pegboard, Registry, ToolCall, ToolContext, tool
from pegboard.runners import ThreadRunner

from .parts import calls, codes, turns


class Gauge:
    """Tools that count how many of their bodies are in flight at once."""

    def __init__(self):
        self.now = self.most = 0
        self._lock = threading.Lock()

    def enter(self):
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def leave(self):
        with self._lock:
            self.now -= 1

    def tool(self, name, is_async=True):
        async def asynchronous() -> str:
            self.enter()
            await turns(5)
            self.leave()
            return name

        def synchronous() -> str:
            self.enter()
            threading.Event().wait(0.001)
            self.leave()
            return name

        return tool(asynchronous if is_async else synchronous, name=name)


@pytest.mark.parametrize("is_async", [True, False])
def test_the_board_bounds_bodies_in_flight(is_async):
    """B11: at most so many of all tools together, across batches."""
    gauge = Gauge()

    async def main():
        board = Pegboard(
            [gauge.tool("a", is_async), gauge.tool("b", is_async)],
            settings={"max_concurrency": 3},
        )
        batches = [board.run(calls("a", "b", "a", "b", "a", "b")) for _ in range(4)]
        return await asyncio.gather(*batches, board.call("a"))

    *batches, single = asyncio.run(main())

    assert all(codes(batch) == ["success"] * 6 for batch in batches)
    assert single.text == "a"
    assert gauge.most == 3


def test_a_tool_bounds_its_own_bodies():
    """B11: a tool's own bound holds it back, and nobody else."""
    gauge, barrier = Gauge(), asyncio.Barrier(6)

    @tool
    async def meet() -> None:
        await barrier.wait()

    settings = {"tools": {"a": {"max_concurrency": 2}}}
    board = Pegboard([gauge.tool("a"), meet], settings=settings)
    batch = board.run_sync(calls(*["a", "meet"] * 6))

    assert codes(batch) == ["success"] * 12
    assert gauge.most == 2


def test_who_waits_for_a_tools_slot_holds_no_place_of_the_boards():
    """B11: with one of two places free, another tool runs while the first queues."""
    gate = asyncio.Event()
    order = []

    @tool
    async def slow(n: int) -> None:
        order.append(n)
        await gate.wait()

    @tool
    async def quick() -> None:
        order.append("quick")
        gate.set()

    settings = {"max_concurrency": 2, "tools": {"slow": {"max_concurrency": 1}}}
    board = Pegboard([slow, quick], settings=settings)
    sent = [ToolCall("slow", {"n": n}) for n in range(3)]
    batch = board.run_sync([*sent, ToolCall("quick")])

    assert codes(batch) == ["success"] * 4
    assert order[:2] == [0, "quick"]


@pytest.mark.parametrize("depth", [1, 8])
@pytest.mark.parametrize("is_async", [True, False])
def test_a_nested_call_runs_in_its_callers_slot(depth, is_async):
    """B11: at a bound of one, tools that call tools end, however deep."""

    async def asynchronous(n: int, context: ToolContext) -> int:
        if n == 0:
            return 0
        return (await context.call("nest", {"n": n - 1})).data + 1

    def synchronous(n: int, context: ToolContext) -> int:
        if n == 0:
            return 0
        return context.call_sync("nest", {"n": n - 1}).data + 1

    nest = tool(asynchronous if is_async else synchronous, name="nest")
    settings = {"max_concurrency": 1, "tools": {"nest": {"max_concurrency": 1}}}
    board = Pegboard([nest], settings=settings)
    batch = board.run_sync([ToolCall("nest", {"n": depth}) for _ in range(3)])

    assert [result.data for result in batch] == [depth] * 3


def test_threads_are_bounded_and_waiting_for_one_is_nobodys_time():
    """B9, B11: more bodies than threads wait their turn before their clock starts."""
    gauge = Gauge()

    async def main():
        registry = Registry([gauge.tool("a", is_async=False)], settings={"timeout": 5})
        executor = Executor(registry, runners={"thread": ThreadRunner(limit=2)})
        return await executor.run(calls(*["a"] * 10))

    assert codes(asyncio.run(main())) == ["success"] * 10
    assert gauge.most == 2


def test_a_board_runs_so_many_calls_of_a_batch():
    """B11: the rest are not_started and say so."""
    board = Pegboard([Gauge().tool("a")], settings={"max_calls": 2})
    batch = board.run_sync(calls("a", "a", "a", "nope"))

    assert codes(batch) == ["success", "success", "not_started", "not_started"]
    assert batch[2].text == "a did not run: a batch runs 2 calls at most"


def test_the_default_is_128_calls_and_run_can_raise_it():
    """B11: run(max_calls=...) overrides the board's bound; 0 runs nothing."""
    board = Pegboard([Gauge().tool("a")])
    sent = calls(*["a"] * 130)

    assert codes(board.run_sync(sent)).count("not_started") == 2
    assert codes(board.run_sync(sent, max_calls=1_000)).count("success") == 130
    assert codes(board.run_sync(sent[:2], max_calls=0)) == ["not_started"] * 2


def test_an_executor_alone_has_no_bound():
    """B11: it runs whatever it is given."""
    executor = Executor(Registry([Gauge().tool("a")]))

    assert codes(executor.run_sync(calls(*["a"] * 130))) == ["success"] * 130


def test_a_body_without_a_thread_did_not_run(monkeypatch):
    """B1: where the system gives no more threads the call says so, and no more."""
    ran = []

    @tool
    def work() -> str:
        ran.append(1)
        return "worked"

    def refuse(self):
        raise RuntimeError("can't start new thread")

    async def main():
        board = Pegboard([work])
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            refused = await board.call("work")
        return refused, await board.call("work")

    refused, fine = asyncio.run(main())

    assert (refused.code, refused.executed) == ("tool_unavailable", "no")
    assert "can't start new thread" in refused.text
    assert fine.text == "worked"
    assert ran == [1]
