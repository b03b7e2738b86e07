"""Partial results on their way to whoever watches (B5)."""

import asyncio
import threading

import pytest

from pegboard import ImageContent, Pegboard, ToolContext, tool
from pegboard.events import ToolEnd, ToolReturned, ToolStart, ToolUpdate

from .parts import Watcher, calls

ANY = (ToolStart, ToolUpdate, ToolReturned, ToolEnd)


@pytest.fixture
def watcher():
    return Watcher()


def test_updates_come_between_start_and_end_in_the_order_sent(watcher):
    """B5: each call's updates are in order, after its start and before its end."""

    @tool
    async def count(context: ToolContext) -> str:
        for n in range(5):
            context.update(str(n), details={"n": n})
            await asyncio.sleep(0)
        return "done"

    Pegboard([count], plugins=[watcher]).run_sync(calls("count", "count"))

    for id_ in ("c0", "c1"):
        kinds = [type(event) for event in watcher.of(ANY, id_)]
        assert kinds == [ToolStart, *[ToolUpdate] * 5, ToolReturned, ToolEnd]
        assert watcher.texts(id_) == list("01234")
    assert watcher.of(ToolUpdate)[0].details == {"n": 0}


@pytest.mark.parametrize("count", [1, 16])
def test_updates_from_threads_keep_their_order(watcher, count):
    """B5: a thread's updates are in order, and all of them before its call ends."""

    @tool
    def speak(context: ToolContext) -> str:
        for n in range(50):
            context.update(str(n))
        return "done"

    Pegboard([speak], plugins=[watcher]).run_sync(calls(*["speak"] * count))

    for n in range(count):
        assert watcher.texts(f"c{n}") == [str(at) for at in range(50)]


def test_threads_of_an_async_body_may_send_too(watcher):
    """B5: what another thread sent before the body goes on is shown before, too."""

    @tool
    async def both(context: ToolContext) -> str:
        for n in range(10):
            await asyncio.to_thread(context.update, f"thread {n}")
            context.update(f"loop {n}")
        return "done"

    Pegboard([both], plugins=[watcher]).call_sync("both")

    assert watcher.texts() == [
        text for n in range(10) for text in (f"thread {n}", f"loop {n}")
    ]


@pytest.mark.parametrize("is_thread", [True, False])
def test_late_updates_are_dropped_and_harm_nobody(watcher, is_thread):
    """B5: after the body ended an update is dropped, never shown with another call."""
    kept = []

    @tool
    async def keep(context: ToolContext) -> str:
        kept.append(context)
        return "kept"

    @tool
    async def use() -> str:
        if is_thread:
            await asyncio.to_thread(kept[0].update, "late")
        else:
            kept[0].update("late")
        return "used"

    board = Pegboard([keep, use], plugins=[watcher])
    batch = board.run_sync(calls("keep", "use"), sequential=True)

    assert [result.text for result in batch] == ["kept", "used"]
    assert watcher.texts() == []
    assert batch.dropped == 1


def test_beyond_a_thousand_waiting_updates_the_oldest_are_dropped(watcher):
    """B5: a flood while the loop is busy keeps the latest thousand, and is counted."""
    sent = threading.Event()

    @tool
    def flood(context: ToolContext) -> str:
        for n in range(2_500):
            context.update(str(n))
        sent.set()
        return "done"

    @tool
    async def hold_the_loop() -> str:
        assert sent.wait(10)
        return "done"

    board = Pegboard([flood, hold_the_loop], plugins=[watcher])
    batch = board.run_sync(calls("flood", "hold_the_loop"))

    shown = watcher.texts("c0")
    assert shown[-1000:] == [str(n) for n in range(1_500, 2_500)]
    assert len(shown) + batch.dropped == 2_500


def test_a_flood_leaves_the_loop_its_time(watcher):
    """B5: a thread that never stops sending keeps no sibling from its work."""
    over = threading.Event()

    @tool(timeout=20)
    def flood(context: ToolContext) -> str:
        while not over.is_set():
            context.update("x")
        return "over"

    @tool
    async def work() -> str:
        for _ in range(100):
            await asyncio.sleep(0)
        over.set()
        return "worked"

    board = Pegboard([flood, work], plugins=[watcher])
    batch = board.run_sync(calls("flood", "work"))

    assert [result.text for result in batch] == ["over", "worked"]


@pytest.mark.parametrize(
    "settings", [{"updates": False}, {"tools": {"speak": {"updates": False}}}]
)
def test_updates_can_be_emptied(watcher, settings):
    """B5: `updates = false` drops content and details; that something came is seen."""

    @tool
    async def speak(context: ToolContext) -> str:
        context.update("secret", details={"secret": 1})
        return "done"

    board = Pegboard([speak], plugins=[watcher], settings=settings)
    board.call_sync("speak")

    (update,) = watcher.of(ToolUpdate)
    assert (update.content, update.details) == ((), None)


def test_an_update_is_a_snapshot_that_can_be_shown(watcher):
    """B5, V8: details are JSON by then; no later change of theirs is seen."""

    @tool
    async def speak(context: ToolContext) -> str:
        details = {"rows": [1], "odd": object()}
        context.update(ImageContent(b"x", "image/png"), details=details)
        context.update("a\ud800b")
        details["rows"].append(2)
        return "done"

    Pegboard([speak], plugins=[watcher]).call_sync("speak")

    first, second = watcher.of(ToolUpdate)
    assert first.content == (ImageContent(b"x", "image/png"),)
    assert first.details == {"rows": [1], "odd": "<object>"}
    assert second.content[0].text == "a\ufffdb"


def test_tool_returned_tells_status_and_duration_only(watcher):
    """B5: a UI learns that a body ended, not what it said."""

    @tool
    async def speak() -> str:
        return "secret"

    Pegboard([speak], plugins=[watcher]).call_sync("speak")

    (returned,) = watcher.of(ToolReturned)
    assert returned.status == "success"
    assert returned.duration >= 0
    assert not hasattr(returned, "result")


def test_an_update_must_be_content(watcher):
    """B5: what is no content is the body's own mistake, said to it at once."""

    @tool
    async def speak(context: ToolContext) -> str:
        context.update([1])
        return "done"

    result = Pegboard([speak], plugins=[watcher]).call_sync("speak")

    assert result.code == "tool_failed"
    assert "content must be texts or content blocks" in result.text
