"""In which order calls, hooks and events happen (B2, B3, B4, B6)."""

import asyncio
import threading

import pytest

from pegboard import (
    Block,
    Defer,
    Executor,
    Pegboard,
    Registry,
    Respond,
    ToolCall,
    ToolResult,
    tool,
)

from .parts import Recorder, calls, codes, named, quick


@tool(execution="sequential")
async def alone() -> str:
    return "alone"


def meeting(size):
    """A tool whose calls end only when so many of them have begun."""
    barrier = asyncio.Barrier(size)

    @tool(timeout=5)
    async def meet() -> str:
        await barrier.wait()
        return "met"

    return meet


def test_bodies_of_a_batch_overlap():
    """B2: parallel is the default; three bodies that wait for each other all end."""

    async def main():
        return await Pegboard([meeting(3)]).run(calls("meet", "meet", "meet"))

    assert codes(asyncio.run(main())) == ["success"] * 3


def test_sync_bodies_of_a_batch_overlap():
    """B2: so do sync bodies, each in a thread of its own: 64 as well as three."""
    barrier = threading.Barrier(64)

    @tool(timeout=30)
    def meet() -> str:
        barrier.wait()
        return "met"

    batch = Pegboard([meet]).run_sync(calls(*["meet"] * 64))

    assert codes(batch) == ["success"] * 64


@pytest.mark.parametrize(
    ("names", "settings", "options"),
    [
        (["quick", "alone", "quick"], {}, {}),
        (["quick", "quick"], {"execution": "sequential"}, {}),
        (["quick", "quick"], {"tools": {"quick": {"execution": "sequential"}}}, {}),
        (["quick", "quick"], {}, {"sequential": True}),
    ],
    ids=["a sequential tool", "the settings", "a tool's settings", "the caller"],
)
def test_a_sequential_batch_runs_each_call_in_turn(names, settings, options):
    """B2, B3: each call ends before the next one starts, all phases of it."""
    recorder = Recorder()
    board = Pegboard([quick, alone], plugins=[recorder], settings=settings)
    board.run_sync(calls(*names), **options)

    assert recorder.of("ToolStart", "before", "enter", "after", "ToolEnd") == [
        (kind, f"c{at}")
        for at in range(len(names))
        for kind in ("ToolStart", "before", "enter", "after", "ToolEnd")
    ]


def test_an_unknown_tool_makes_no_batch_sequential():
    """B2: only a known tool can; a name nobody offers is just that call's problem."""

    async def main():
        board = Pegboard([meeting(2)])
        return await board.run(calls("meet", "nope", "meet"))

    assert codes(asyncio.run(main())) == ["success", "unknown_tool", "success"]


def test_a_parallel_batch_has_three_phases():
    """B3: all are admitted in call order, all run, all are finished in order."""
    recorder = Recorder()

    async def main():
        board = Pegboard([meeting(2)], plugins=[recorder])
        await board.run(calls("meet", "meet"))

    asyncio.run(main())

    assert recorder.of("ToolStart", "before", "enter", "leave", "after", "ToolEnd") == [
        ("ToolStart", "c0"),
        ("before", "c0"),
        ("ToolStart", "c1"),
        ("before", "c1"),
        ("enter", "c0"),
        ("enter", "c1"),
        *recorder.of("leave"),
        ("after", "c0"),
        ("ToolEnd", "c0"),
        ("after", "c1"),
        ("ToolEnd", "c1"),
    ]


def test_results_and_ends_are_in_call_order_however_bodies_end():
    """B3, B4: which body ends first is told by ToolReturned, and by nothing else."""
    recorder = Recorder()
    gates = [asyncio.Event() for _ in range(3)]

    @tool
    async def wait(n: int) -> int:
        if n < 2:
            await gates[n + 1].wait()
        gates[n].set()
        return n

    async def main():
        board = Pegboard([wait], plugins=[recorder])
        sent = [ToolCall("wait", {"n": n}, id=f"c{n}") for n in range(3)]
        return await board.run(sent)

    batch = asyncio.run(main())

    assert [result.data for result in batch] == [0, 1, 2]
    assert [id_ for _, id_ in recorder.of("ToolReturned")] == ["c2", "c1", "c0"]
    assert [id_ for _, id_ in recorder.of("ToolEnd")] == ["c0", "c1", "c2"]


def test_every_call_starts_and_ends_once():
    """B6: refused, deferred, answered, left out or run: one ToolStart, one ToolEnd."""
    recorder = Recorder()

    def decide(call):
        return {
            "c0": Block("no"),
            "c1": Defer("ask"),
            "c2": Respond(ToolResult("cached")),
        }.get(call.id)

    board = Pegboard(
        [quick], plugins=[recorder, named("guard", before_tool_call=decide)]
    )
    sent = calls("quick", "quick", "quick", "nope", "quick", "quick")
    batch = board.run_sync(sent, max_calls=5)

    assert codes(batch) == [
        "blocked",
        "approval_required",
        "success",
        "unknown_tool",
        "success",
        "not_started",
    ]
    expected = [f"c{n}" for n in range(6)]
    assert [id_ for _, id_ in recorder.of("ToolStart")] == expected
    assert [id_ for _, id_ in recorder.of("ToolEnd")] == expected


def test_refused_calls_skip_middleware_and_rewriters():
    """B6: what did not run passes no middleware and no after_tool_call."""
    recorder = Recorder()

    def decide(call):
        return {"c0": Block("no"), "c1": Defer("ask")}.get(call.id)

    board = Pegboard(
        [quick], plugins=[recorder, named("guard", before_tool_call=decide)]
    )
    board.run_sync(calls("quick", "quick", "nope", "quick"))

    assert recorder.of("enter", "after") == [("enter", "c3"), ("after", "c3")]
    assert set(recorder.ends) == {"c0", "c1", "c2", "c3"}


def test_an_answered_call_skips_the_chain_and_is_rewritten():
    """H6: a Respond runs nothing, and passes after_tool_call like any result."""
    recorder = Recorder()
    ran = []

    @tool
    async def count() -> int:
        ran.append(1)
        return len(ran)

    answer = named(
        "cache", before_tool_call=lambda call: Respond(ToolResult("kept", data=7))
    )
    board = Pegboard([count], plugins=[recorder, answer])
    result = board.call_sync("count", id="c0")

    assert (result.text, result.data, result.by) == ("kept", 7, "cache")
    assert (result.status, result.executed) == ("success", "no")
    assert recorder.of("enter", "after") == [("after", "c0")]
    assert ran == []


def test_hooks_of_a_batch_never_overlap():
    """B4: async guards and rewriters of one batch run one at a time, in call order."""
    active, seen, overlaps = [], [], []

    async def hook(call, *result):
        overlaps.extend(active)
        active.append(call.id)
        await asyncio.sleep(0)
        active.remove(call.id)
        seen.append(("after" if result else "before", call.id))

    async def guard(call):
        await hook(call)

    async def rewrite(call, result):
        await hook(call, result)

    plugins = [
        named("a", before_tool_call=guard, after_tool_call=rewrite),
        named("b", before_tool_call=guard),
    ]

    async def main():
        await Pegboard([meeting(3)], plugins=plugins).run(calls("meet", "meet", "meet"))

    asyncio.run(main())

    assert overlaps == []
    assert seen == [
        *(("before", f"c{n}") for n in range(3) for _ in plugins),
        *(("after", f"c{n}") for n in range(3)),
    ]


def test_chains_are_built_in_call_order():
    """B4: tool_middleware is asked in the order of the batch, not of a set's hashes."""
    recorder = Recorder()
    names = [f"tool_{n}" for n in range(20)]
    board = Pegboard([tool(lambda: 1, name=name) for name in names], plugins=[recorder])
    board.run_sync(calls(*reversed(names)))

    assert [name for _, name in recorder.of("middleware")] == names[::-1]


def test_executor_and_board_are_the_same_path():
    """B1: an Executor alone runs calls as a board does."""
    recorder, other = Recorder(), Recorder()
    Pegboard([quick], plugins=[recorder]).run_sync(calls("quick", "nope"))
    Executor(Registry([quick]), plugins=[other]).run_sync(calls("quick", "nope"))

    assert recorder.seen == other.seen
