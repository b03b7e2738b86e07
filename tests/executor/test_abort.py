"""Abort: what ends a whole batch on purpose (H5)."""

import asyncio

import pytest

from pegboard import (
    Abort,
    Executor,
    Pegboard,
    Registry,
    ToolCall,
    ToolContext,
    ToolResult,
    hookimpl,
    tool,
)

from .parts import Recorder, calls, codes, forever, hang, named, quick, turns


class Aborting:
    """A plugin that aborts in one place, at one call."""

    name = "a_aborting"

    def __init__(self, place, at="c1"):
        self.place, self.at = place, at

    def _maybe(self, place, call):
        if place == self.place and call is not None and call.id == self.at:
            raise Abort(f"aborted in {place}")

    async def _later(self, place, call):
        await turns(2)
        self._maybe(place, call)

    @hookimpl
    def prepare_arguments(self, call):
        self._maybe("prepare", call)

    @hookimpl
    def before_tool_call(self, call):
        self._maybe("before", call)
        return self._later("before later", call)

    @hookimpl
    def tool_middleware(self, tool):
        async def layer(call, call_next):
            self._maybe("enter", call)
            result = await call_next(call)
            self._maybe("leave", call)
            return result

        return layer

    @hookimpl
    def after_tool_call(self, call, result):
        self._maybe("after", call)
        return self._later("after later", call)

    @hookimpl
    def on_event(self, event):
        self._maybe(type(event).__name__, getattr(event, "call", None))


PLACES = {
    "ToolStart": ["not_started", "not_started", "not_started"],
    "prepare": ["not_started", "not_started", "not_started"],
    "before": ["not_started", "not_started", "not_started"],
    "before later": ["not_started", "not_started", "not_started"],
    "enter": ["success", "not_started", "not_started"],
    "leave": ["success", "cancelled", "not_started"],
    "ToolReturned": ["success", "success", "not_started"],
    "after": ["success", "hook_failed", "success"],
    "after later": ["success", "hook_failed", "success"],
    "ToolEnd": ["success", "success", "success"],
}
IN_PHASE_3 = ("after", "after later", "ToolEnd")


@pytest.mark.parametrize("way", ["run", "stream"])
@pytest.mark.parametrize("place", PLACES)
def test_an_abort_ends_the_batch_wherever_it_is_raised(place, way):
    """H5: it leaves run() with one result a call; each has one start and one end."""
    recorder = Recorder()
    last = "quick" if place in IN_PHASE_3 else "hang"

    async def main():
        board = Pegboard([quick, hang], plugins=[recorder, Aborting(place)])
        sent = calls("quick", "quick", last)
        if way == "run":
            await board.run(sent)
        else:
            async for _ in board.stream(sent):
                pass

    with pytest.raises(Abort, match=f"aborted in {place}") as info:
        asyncio.run(main())

    assert codes(info.value.batch) == PLACES[place]
    for kind in ("ToolStart", "ToolEnd"):
        assert [id_ for _, id_ in recorder.of(kind)] == ["c0", "c1", "c2"]


@pytest.mark.parametrize("place", PLACES)
def test_an_abort_leaves_a_single_call_too(place):
    """H5: with the one result it has come to."""
    recorder = Recorder()

    async def main():
        board = Pegboard([quick], plugins=[recorder, Aborting(place, at="c0")])
        try:
            await board.call("quick", id="c0")
        finally:
            assert asyncio.all_tasks() == {asyncio.current_task()}
            assert asyncio.current_task().cancelling() == 0
            await asyncio.sleep(0)

    with pytest.raises(Abort, match=f"aborted in {place}") as info:
        asyncio.run(main())

    assert len(info.value.batch) == 1
    assert recorder.of("ToolStart", "ToolEnd") == [
        ("ToolStart", "c0"),
        ("ToolEnd", "c0"),
    ]


@pytest.mark.parametrize("place", ["before", "enter", "after", "ToolEnd"])
def test_a_sequential_batch_keeps_what_came_before(place):
    """H5, B10: finished calls keep their results, the rest is not started."""
    board = Pegboard([quick], plugins=[Aborting(place)])
    with pytest.raises(Abort) as info:
        board.run_sync(calls("quick", "quick", "quick"), sequential=True)

    found = codes(info.value.batch)
    assert (found[0], found[2]) == ("success", "not_started")


def test_a_result_that_was_not_rewritten_is_read_by_nobody():
    """H5: where a rewriter aborts, what the tool said is withheld."""

    @tool
    async def leak() -> str:
        return "secret"

    recorder = Recorder()
    board = Pegboard([leak], plugins=[recorder, Aborting("after", at="c0")])
    with pytest.raises(Abort) as info:
        board.run_sync(calls("leak"))

    assert "secret" not in info.value.batch.to_json()
    assert "secret" not in str(recorder.ends["c0"].to_dict())


def test_calls_that_ran_pass_the_rewriters_all_the_same():
    """H5, B10: the others' results are rewritten before anybody reads them."""
    redact = named(
        "redact", after_tool_call=lambda call, result: result.replace(content="***")
    )
    board = Pegboard([quick], plugins=[redact, Aborting("ToolReturned")])
    with pytest.raises(Abort) as info:
        board.run_sync(calls("quick", "quick"))

    assert [result.text for result in info.value.batch] == ["***", "***"]


@pytest.mark.parametrize("is_watched", [True, False])
def test_a_body_cannot_swallow_a_nested_calls_abort(is_watched):
    """H5, V11: the policy that aborted a nested call ends the outer batch, too."""

    @tool
    async def outer(context: ToolContext) -> str:
        try:
            await context.call("quick")
        except Exception:
            await forever()
        return "fine"

    class Policy:
        name = "policy"

        @hookimpl
        def before_tool_call(self, call):
            if call.name == "quick":
                raise Abort("out of bounds")

    plugins = [Policy(), Recorder()] if is_watched else [Policy()]
    board = Pegboard([outer, quick], plugins=plugins)
    for run in (
        lambda: board.run_sync(calls("outer", "outer")),
        lambda: board.call_sync("outer"),
    ):
        with pytest.raises(Abort, match="out of bounds") as info:
            run()
        assert {result.status for result in info.value.batch} == {"cancelled"}


def test_a_thread_cannot_swallow_it_either():
    """H5, V11: nor can a sync body that calls through its thread."""

    @tool
    def outer(context: ToolContext) -> str:
        try:
            context.call_sync("quick")
        except Exception:
            return "fine"

    policy = named("policy", before_tool_call=lambda call: abort_quick(call))
    with pytest.raises(Abort, match="out of bounds"):
        Pegboard([outer, quick], plugins=[policy]).run_sync(calls("outer"))


def abort_quick(call):
    if call.name == "quick":
        raise Abort("out of bounds")


def test_a_middleware_cannot_swallow_an_inner_ones_abort():
    """H5: whatever the layers outside make of it."""

    async def abort(call, call_next):
        raise Abort("out of bounds")

    async def swallow(call, call_next):
        try:
            return await call_next(call)
        except Abort:
            return ToolResult("fine")

    executor = Executor(Registry([quick]), middlewares=[abort, swallow])
    with pytest.raises(Abort, match="out of bounds"):
        executor.run_sync(calls("quick"))


def test_a_body_that_raises_abort_has_failed():
    """H5: only hooks and middlewares end a batch; a tool's Abort is its own error."""

    @tool
    async def presumptuous() -> str:
        raise Abort("everybody out")

    batch = Pegboard([presumptuous, quick]).run_sync(calls("presumptuous", "quick"))

    assert codes(batch) == ["tool_failed", "success"]


@pytest.mark.parametrize("is_batch", [True, False])
def test_an_observer_that_aborts_on_an_update_ends_the_batch(is_batch):
    """H5, B5: the body that sent it is cancelled, as by the host's event."""

    @tool(timeout=60)
    async def speak(context: ToolContext) -> str:
        context.update("bad news")
        await forever()

    board = Pegboard([speak, hang], plugins=[Aborting("ToolUpdate", at="c0")])

    async def main():
        if is_batch:
            await board.run(calls("speak", "hang"))
        else:
            await board.call("speak", id="c0")

    with pytest.raises(Abort) as info:
        asyncio.run(main())

    assert codes(info.value.batch) == ["cancelled", "not_started"][: 1 + is_batch]


def test_an_abort_that_the_body_never_notices_leaves_no_cancellation_behind():
    """H5: a body that ends without waiting is done; nobody is cancelled later."""

    @tool
    async def speak(context: ToolContext) -> str:
        context.update("bad news")
        return "spoken"

    async def main():
        board = Pegboard([speak], plugins=[Aborting("ToolUpdate", at="c0")])
        with pytest.raises(Abort):
            await board.call("speak", id="c0")
        await asyncio.sleep(0)
        return asyncio.current_task().cancelling()

    assert asyncio.run(main()) == 0


def test_an_abort_at_the_end_of_the_batch_carries_it():
    """H5: an observer that fails on BatchEnd still hands the whole batch over."""

    def fail(event):
        if type(event).__name__ == "BatchEnd":
            raise RuntimeError("disk full")

    board = Pegboard(
        [quick],
        plugins=[named("audit", on_event=fail)],
        settings={"required": ["audit"]},
    )
    with pytest.raises(Abort) as info:
        board.run_sync(calls("quick", "quick"))

    assert codes(info.value.batch) == ["success", "success"]


def test_an_abort_while_a_chain_is_built():
    """H5: tool_middleware may abort, too."""

    def contribute(tool):
        raise Abort("no chain")

    recorder = Recorder()
    board = Pegboard(
        [quick], plugins=[recorder, named("a", tool_middleware=contribute)]
    )
    with pytest.raises(Abort) as info:
        board.run_sync([ToolCall("quick", id="c0"), ToolCall("quick", id="c1")])

    assert codes(info.value.batch) == ["not_started"] * 2
    assert [id_ for _, id_ in recorder.of("ToolEnd")] == ["c0", "c1"]


def test_the_board_works_after_an_abort():
    """H5: it ends one batch, not the board."""
    board = Pegboard([quick], plugins=[Aborting("before")])
    with pytest.raises(Abort):
        board.run_sync(calls("quick", "quick"))

    assert codes(board.run_sync(calls("quick"))) == ["success"]
