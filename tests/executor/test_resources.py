"""Calls that must not overlap (B12)."""

import asyncio

import pytest

from pegboard import (
    Block,
    Defer,
    Executor,
    Pegboard,
    Registry,
    ToolCall,
    ToolContext,
    ToolResult,
    tool,
)

from .parts import codes, named, turns


class Files:
    """A tool that edits files, and notes who has which one open."""

    def __init__(self):
        self.open = {}
        self.order = []
        self.overlaps = []
        self.most = 0

    def tool(self, **options):
        @tool(resources=["file:{path}"], **options)
        async def edit(path: str, n: int = 0) -> int:
            if self.open.get(path):
                self.overlaps.append((path, n))
            self.open[path] = True
            self.order.append((path, n))
            self.most = max(self.most, sum(self.open.values()))
            await turns(3)
            self.open[path] = False
            return n

        return edit


def edits(*paths):
    return [ToolCall("edit", {"path": path, "n": n}) for n, path in enumerate(paths)]


def test_calls_that_share_a_key_run_in_call_order_and_the_rest_overlap():
    """B12: in a batch each file is edited in call order, different ones together."""
    files = Files()
    batch = Pegboard([files.tool()]).run_sync(edits(*"abacbbac"))

    assert [result.data for result in batch] == list(range(8))
    assert files.overlaps == []
    assert files.most == 3
    for path, places in {"a": [0, 2, 6], "b": [1, 4, 5], "c": [3, 7]}.items():
        assert [n for p, n in files.order if p == path] == places


def test_batches_of_one_board_share_the_queues():
    """B12: whichever batch comes first goes first, whatever the batch."""
    files = Files()

    async def main():
        board = Pegboard([files.tool()])
        batches = [
            asyncio.create_task(board.run(edits("a", "b", "a"))) for _ in range(4)
        ]
        view = board.only("edit")
        batches.append(asyncio.create_task(view.call("edit", {"path": "a"})))
        await asyncio.wait(batches)

    asyncio.run(main())

    assert files.overlaps == []
    assert len(files.order) == 13
    assert files.order[-1] == ("a", 0)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_slots_and_resources_together_do_not_deadlock(limit):
    """B11, B12: who waits for a resource holds no slot that its holder could need."""
    files = Files()
    board = Pegboard([files.tool()], settings={"max_concurrency": limit})
    batch = board.run_sync(edits(*"aabbabab"))

    assert codes(batch) == ["success"] * 8
    assert files.overlaps == []


def test_several_keys_are_taken_at_once():
    """B12: calls that need two files in opposite orders do not wait for each other."""
    running, overlaps = set(), []

    @tool(resources=["file:{src}", "file:{dst}"])
    async def move(src: str, dst: str) -> str:
        overlaps.extend({src, dst} & running)
        running.update((src, dst))
        await turns(3)
        running.difference_update((src, dst))
        return "moved"

    pairs = ["ab", "ba", "bc", "ca", "ab", "cb"]
    sent = [ToolCall("move", {"src": s, "dst": d}) for s, d in pairs]
    batch = Pegboard([move]).run_sync(sent)

    assert codes(batch) == ["success"] * 6
    assert overlaps == []


def test_a_key_that_the_arguments_lack_binds_nothing():
    """B12: a template over an argument that was not given makes no key."""
    gate = asyncio.Barrier(2)

    @tool(resources=["file:{path}"])
    async def edit(path: str | None = None) -> str:
        if path is None:
            await gate.wait()
        return "edited"

    batch = Pegboard([edit]).run_sync([ToolCall("edit"), ToolCall("edit")])

    assert codes(batch) == ["success", "success"]


def test_keys_come_from_the_guarded_arguments():
    """B12: what a middleware changed, and the guards passed, is what is locked."""
    files = Files()

    async def redirect(call, call_next):
        return await call_next(call.replace(arguments={**call.arguments, "path": "x"}))

    executor = Executor(Registry([files.tool()]), middlewares=[redirect])
    batch = executor.run_sync(edits("a", "b", "c"))

    assert codes(batch) == ["success"] * 3
    assert files.overlaps == []
    assert [path for path, _ in files.order] == ["x"] * 3


def test_a_middleware_that_does_not_go_on_frees_the_resource():
    """B12: a call that is answered on the way holds nothing for longer."""
    files = Files()

    async def cache(call, call_next):
        if call.arguments["n"] == 0:
            return ToolResult("cached")
        return await call_next(call)

    executor = Executor(Registry([files.tool()]), middlewares=[cache])

    assert codes(executor.run_sync(edits("a", "a", "a"))) == ["success"] * 3


def test_a_middleware_may_run_the_body_twice_under_one_lease():
    """B12, H4: a second `call_next` has the resource still."""
    files = Files()

    async def twice(call, call_next):
        await call_next(call)
        return await call_next(call)

    executor = Executor(Registry([files.tool()]), middlewares=[twice])
    batch = executor.run_sync(edits("a", "a"))

    assert codes(batch) == ["success"] * 2
    assert files.order == [("a", 0), ("a", 0), ("a", 1), ("a", 1)]
    assert files.overlaps == []


def test_a_nested_call_shares_what_its_callers_hold():
    """B12, V11: a tool that edits its file through another one waits for nobody."""
    files = Files()

    @tool(resources=["file:{path}"])
    async def outer(path: str, context: ToolContext) -> int:
        return (await context.call("edit", {"path": path, "n": 7})).data

    batch = Pegboard([files.tool(), outer]).run_sync(
        [ToolCall("outer", {"path": "a"}), ToolCall("outer", {"path": "a"})]
    )

    assert [result.data for result in batch] == [7, 7]
    assert files.overlaps == []


def test_nested_calls_of_one_caller_do_not_overlap_either():
    """B12: what a body calls at once, on one file, runs one after the other."""
    files = Files()

    @tool
    async def both(context: ToolContext) -> str:
        found = await asyncio.gather(
            *(context.call("edit", {"path": "a", "n": n}) for n in range(3))
        )
        return str([result.data for result in found])

    result = Pegboard([files.tool(), both]).call_sync("both")

    assert result.text == "[0, 1, 2]"
    assert files.overlaps == []


def test_a_nested_call_overtakes_those_that_wait_for_its_callers_slot():
    """B11, B12: with one slot, a waiting call keeps no resource from who runs."""
    files = Files()

    @tool
    async def outer(context: ToolContext) -> int:
        await turns()
        return (await context.call("edit", {"path": "a", "n": 5})).data

    board = Pegboard([files.tool(), outer], settings={"max_concurrency": 1})
    batch = board.run_sync([ToolCall("outer"), *edits("a", "a")])

    assert [result.data for result in batch] == [5, 0, 1]
    assert files.order[0] == ("a", 5)
    assert files.overlaps == []


def test_a_circle_is_an_error_for_the_call_that_would_close_it():
    """B12: two calls that each hold what the other's nested call needs do not hang."""

    @tool(resources=["{own}"])
    async def work(own: str, other: str, context: ToolContext) -> str:
        await turns()
        inner = await context.call("take", {"key": other})
        return inner.code or inner.text

    @tool(resources=["{key}"])
    async def take(key: str) -> str:
        return f"took {key}"

    board = Pegboard([work, take])
    batch = board.run_sync(
        [
            ToolCall("work", {"own": "a", "other": "b"}),
            ToolCall("work", {"own": "b", "other": "a"}),
        ]
    )

    texts = sorted(result.text for result in batch)
    assert texts in (["took a", "tool_unavailable"], ["took b", "tool_unavailable"])


def test_a_circle_of_three_is_found():
    """B12: however many calls it takes."""

    @tool(resources=["{own}"])
    async def work(own: str, other: str, context: ToolContext) -> str:
        await turns()
        inner = await context.call("take", {"key": other})
        return inner.code or inner.text

    @tool(resources=["{key}"])
    async def take(key: str) -> str:
        return "took it"

    sent = [ToolCall("work", {"own": o, "other": t}) for o, t in ("ab", "bc", "ca")]
    batch = Pegboard([work, take]).run_sync(sent)

    texts = sorted(result.text for result in batch)
    assert texts == ["took it", "took it", "tool_unavailable"]


def test_refused_and_deferred_calls_hold_no_resource():
    """B12: a call that does not run is in nobody's way."""
    files = Files()
    guard = named(
        "guard",
        before_tool_call=lambda call: {0: Block("no"), 1: Defer("ask")}.get(
            call.arguments["n"]
        ),
    )
    batch = Pegboard([files.tool()], plugins=[guard]).run_sync(edits("a", "a", "a"))

    assert codes(batch) == ["blocked", "approval_required", "success"]
