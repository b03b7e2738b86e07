"""Tools that call tools, and what else a body may know and do (V11, B17)."""

import asyncio
import contextvars
import threading

import pytest

from pegboard import (
    Block,
    Defer,
    Executor,
    Pegboard,
    Registry,
    Retry,
    ToolCall,
    ToolContext,
    UsageError,
    tool,
)

from .parts import Recorder, calls, codes, named, turns

who = contextvars.ContextVar("who", default="nobody")


@tool
async def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


@tool
async def outer(context: ToolContext) -> str:
    inner = await context.call("add", {"a": 1, "b": 2})
    return f"{inner.code or inner.status}: {inner.text}"


@tool
def outer_sync(context: ToolContext) -> str:
    inner = context.call_sync("add", '{"a": 1, "b": 2}')
    return f"{inner.code or inner.status}: {inner.text}"


@pytest.mark.parametrize("name", ["outer", "outer_sync"])
def test_a_nested_call_takes_the_whole_path(name):
    """V11, H7: every hook, middleware and event sees it, inside its caller's."""
    recorder = Recorder()
    board = Pegboard([add, outer, outer_sync], plugins=[recorder])
    result = board.call_sync(name, id="outer")

    assert result.text == "success: 3"
    inner = next(id_ for _, id_ in recorder.of("ToolStart") if id_ != "outer")
    kinds = ("ToolStart", "prepare", "before", "enter", "leave", "after", "ToolEnd")
    assert [entry for entry in recorder.of(*kinds) if entry[1] == inner] == [
        (kind, inner) for kind in kinds
    ]
    whole = recorder.of("enter", "leave")
    assert whole == [
        ("enter", "outer"),
        ("enter", inner),
        ("leave", inner),
        ("leave", "outer"),
    ]


def test_a_nested_call_is_guarded_like_any_other():
    """V11: what may not be called may not be called from inside either."""
    guard = named(
        "guard",
        before_tool_call=lambda call: Block("no") if call.name == "add" else None,
    )
    result = Pegboard([add, outer], plugins=[guard]).call_sync("outer")

    assert result.text == "blocked: no"


def test_a_nested_call_that_waits_for_a_person_is_deferred_to_its_caller():
    """B13, V11: the body reads that it waits; the batch has nothing to resume."""
    guard = named(
        "guard",
        before_tool_call=lambda call: Defer("ask") if call.name == "add" else None,
    )
    batch = Pegboard([add, outer], plugins=[guard]).run_sync(calls("outer"))

    assert batch[0].text.startswith("approval_required: ")
    assert batch.pending == ()


def test_tools_call_each_other_eight_deep():
    """V11: one deeper is blocked, and says so."""

    @tool
    async def nest(n: int, context: ToolContext) -> str:
        return (await context.call("nest", {"n": n + 1})).text

    result = Pegboard([nest]).call_sync("nest", {"n": 0})

    assert result.text == "nest did not run: tools call each other 8 deep at most"


def test_a_nested_result_can_be_returned_as_it_is():
    """V8, V11: the outer call takes it over, as its own error if it was no success."""

    @tool
    async def forward(name: str, context: ToolContext) -> str:
        return await context.call(name, {"a": 1})

    board = Pegboard([add, forward])
    fine = board.call_sync("forward", {"name": "add"}, id="mine")
    unknown = board.call_sync("forward", {"name": "nope"}, id="mine")

    assert (fine.data, fine.call.id, fine.executed) == (1, "mine", "yes")
    assert (unknown.status, unknown.code) == ("error", "tool_failed")
    assert unknown.text == "There is no tool 'nope'."


def test_nested_calls_have_keys_of_their_own():
    """V11: the nth call of a body has the same idempotency key at each attempt."""
    keys = []

    @tool
    async def leaf(context: ToolContext) -> str:
        keys.append(context.idempotency_key)
        return "leaf"

    @tool(idempotent=True, retry=Retry(attempts=2, wait=0))
    async def twice(context: ToolContext) -> str:
        await context.call("leaf")
        await context.call("leaf")
        raise OSError

    Pegboard([leaf, twice]).run_sync(calls("twice", "twice"))

    assert len(keys) == 8
    assert len(set(keys)) == 4
    assert all(keys.count(key) == 2 for key in keys)


def test_a_context_that_outlives_its_call_calls_nothing():
    """V11: after the body has ended there is no slot and no scope to call in."""
    kept = []

    @tool
    async def keep(context: ToolContext) -> str:
        kept.append(context)
        return "kept"

    async def main():
        await Pegboard([add, keep]).call("keep")
        with pytest.raises(
            UsageError, match="keep has ended: it can call nothing more"
        ):
            await kept[0].call("add", {"a": 1})

    asyncio.run(main())


def test_call_sync_on_the_loop_is_refused():
    """V11: it would stop the loop it waits for."""

    @tool
    async def wrong(context: ToolContext) -> str:
        return context.call_sync("add", {"a": 1}).text

    result = Pegboard([add, wrong]).call_sync("wrong")

    assert result.code == "tool_failed"
    assert "await call()" in result.text


def test_call_on_a_loop_of_ones_own_is_refused():
    """V11: a thread that runs a loop of its own uses call_sync."""

    @tool
    def wrong(context: ToolContext) -> str:
        return asyncio.run(context.call("add", {"a": 1})).text

    result = Pegboard([add, wrong]).call_sync("wrong")

    assert result.code == "tool_failed"
    assert "use call_sync()" in result.text


@pytest.mark.parametrize("how", ["timeout", "cancel"])
def test_calls_of_a_left_thread_end_with_it(how):
    """V11, B9: what an abandoned body waits for is cancelled, and no task is left."""
    recorder, ended = Recorder(), threading.Event()

    @tool(timeout=60)
    async def hang() -> str:
        await asyncio.get_running_loop().create_future()

    @tool
    def wait(context: ToolContext) -> str:
        try:
            return context.call_sync("hang").text
        finally:
            ended.set()

    async def main():
        settings = {"tools": {"wait": {"timeout": 0.05 if how == "timeout" else 60}}}
        board = Pegboard([wait, hang], plugins=[recorder], settings=settings)
        cancel = asyncio.Event()
        task = asyncio.create_task(board.run(calls("wait"), cancel=cancel))
        while how == "cancel" and len(recorder.of("enter")) < 2:
            await asyncio.sleep(0)
        if how == "cancel":
            cancel.set()
        batch = await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return batch

    batch = asyncio.run(main())

    assert codes(batch) == ["abandoned" if how == "timeout" else "cancelled"]
    assert ended.wait(5)
    assert len(recorder.of("ToolEnd")) == 2


def test_the_context_says_what_there_is_to_know():
    """V11: ids, tool, metadata, time left; metadata is read-only for everybody."""
    seen = {}

    @tool(timeout=30)
    async def look(context: ToolContext) -> str:
        seen.update(
            id=context.call_id,
            tool=context.tool.id,
            attempt=context.attempt,
            metadata=dict(context.metadata),
            deadline=context.deadline,
            cancelled=context.cancelled,
            log=context.log.name,
        )
        with pytest.raises(TypeError, match="read-only"):
            context.metadata["user"]["name"] = "root"
        return context.idempotency_key

    board = Pegboard([look])
    metadata = {"user": {"name": "ann"}}
    batch = board.run_sync([ToolCall("look", id="x")], metadata=metadata)

    left = seen.pop("deadline")
    assert 29 < left <= 30
    assert seen == {
        "id": "x",
        "tool": "code:look",
        "attempt": 1,
        "metadata": {"user": {"name": "ann"}},
        "cancelled": False,
        "log": "pegboard.tools.look",
    }
    assert batch[0].text == f"{batch.id}:0"


@pytest.mark.parametrize("is_async", [True, False])
def test_contextvars_reach_bodies(is_async):
    """B17: on the loop and in a thread, in a call and in a batch."""

    async def asynchronous() -> str:
        return who.get()

    def synchronous() -> str:
        return who.get()

    board = Pegboard([tool(asynchronous if is_async else synchronous, name="look")])

    async def main():
        who.set("ann")
        return await board.call("look"), await board.run(calls("look", "look"))

    single, batch = asyncio.run(main())

    assert single.text == "ann"
    assert [result.text for result in batch] == ["ann", "ann"]


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("suspends", [True, False])
def test_calls_of_a_batch_are_isolated_from_each_other(suspends, sequential):
    """B4: what one body does to a context variable no other call and no caller sees."""

    @tool
    async def leak(name: str) -> str:
        before = who.get()
        who.set(name)
        if suspends:
            await turns(3)
        return f"{before} {who.get()}"

    async def main():
        sent = [ToolCall("leak", {"name": name}) for name in "abc"]
        batch = await Pegboard([leak]).run(sent, sequential=sequential)
        return [result.text for result in batch], who.get()

    texts, after = asyncio.run(main())

    assert texts == ["nobody a", "nobody b", "nobody c"]
    assert after == "nobody"


def test_a_variable_that_cannot_be_compared_leaks_no_more():
    """B4: whatever a body leaves behind, the next call starts from a clean context."""

    class Odd:
        def __eq__(self, other):
            raise ValueError("neither yes nor no")

        __hash__ = None

    @tool
    async def leak() -> str:
        found = type(who.get()).__name__
        who.set(Odd())
        return found

    batch = Pegboard([leak]).run_sync(calls("leak", "leak", "leak"))

    assert [result.text for result in batch] == ["str"] * 3


def test_a_single_call_runs_in_its_callers_context():
    """B4: as a plain `await` does; what the body sets, the caller finds."""

    @tool
    async def set_it() -> str:
        who.set("set by the body")
        return "set"

    async def main():
        await Pegboard([set_it]).call("set_it")
        return who.get()

    assert asyncio.run(main()) == "set by the body"


def test_a_middleware_sets_variables_for_its_call_alone():
    """H4: they hold before and inside the body; the next call knows nothing of them."""

    @tool
    async def look() -> str:
        await turns(3)
        return who.get()

    async def name_it(call, call_next):
        token = who.set(call.id)
        try:
            return await call_next(call)
        finally:
            who.reset(token)

    executor = Executor(Registry([look]), middlewares=[name_it])
    batch = executor.run_sync(calls("look", "look", "look"))

    assert [result.text for result in batch] == ["c0", "c1", "c2"]
