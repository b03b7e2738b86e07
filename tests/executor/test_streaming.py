"""A batch as an asynchronous iterator of events (B16)."""

import asyncio
import threading
from contextlib import aclosing

import pytest

from pegboard import Pegboard, Tool, ToolCall, ToolContext, UsageError, tool
from pegboard._execution.backlog import MAX_WAITING, Backlog
from pegboard.events import BatchEnd, ToolEnd, ToolReturned, ToolStart, ToolUpdate

from .parts import Recorder, calls, codes, forever, hang, named, quick, turns


async def collect(board, sent, **options):
    return [event async for event in board.stream(sent, **options)]


def test_a_stream_ends_with_the_batch():
    """B16: the same calls, the same events, and then the whole batch."""
    recorder = Recorder()
    board = Pegboard([quick], plugins=[recorder])
    events = asyncio.run(collect(board, calls("quick", "nope")))

    kinds = [(type(e).__name__, e.call.id) for e in events[:-1]]
    assert kinds == recorder.of("ToolStart", "ToolReturned", "ToolEnd")
    assert isinstance(events[-1], BatchEnd)
    assert codes(events[-1].batch) == ["success", "unknown_tool"]


def test_events_come_as_they_happen():
    """B16: a consumer sees a call start before its body ends."""
    gate = asyncio.Event()
    seen = []

    @tool
    async def wait() -> str:
        await gate.wait()
        return "waited"

    async def main():
        async for event in Pegboard([wait]).stream(calls("wait")):
            seen.append(type(event))
            gate.set()

    asyncio.run(main())

    assert seen == [ToolStart, ToolReturned, ToolEnd, BatchEnd]


def test_no_plugin_is_needed_to_see_updates():
    """B5, B16: the stream itself listens."""

    @tool
    def speak(context: ToolContext) -> str:
        for n in range(3):
            context.update(str(n))
        return "spoken"

    events = asyncio.run(collect(Pegboard([speak]), calls("speak")))

    texts = [e.content[0].text for e in events if isinstance(e, ToolUpdate)]
    assert texts == ["0", "1", "2"]


def speaking(count, is_async):
    """Return a tool that sends so many updates."""

    def synchronous(context: ToolContext) -> str:
        for n in range(count):
            context.update(str(n))
        return "spoken"

    async def asynchronous(context: ToolContext) -> str:
        return synchronous(context)

    return tool(asynchronous if is_async else synchronous, name="speak")


@pytest.mark.parametrize("is_async", [True, False])
def test_a_slow_consumer_loses_nothing_but_old_updates(is_async):
    """B16: of each call the latest thousand updates wait, and everything else."""
    count = 5_000
    speak = speaking(count, is_async)
    ended = asyncio.Event()

    async def main():
        observer = named("o", on_event=lambda event: note(event, ended))
        board = Pegboard([speak, quick], plugins=[observer])
        events = []
        sent = calls("speak", "quick", "speak")
        async with aclosing(board.stream(sent)) as stream:
            async for event in stream:
                events.append(event)
                await ended.wait()  # the whole batch, before the second event is read
        return events

    events = asyncio.run(main())

    batch = events[-1].batch
    updates = {
        id_: [e for e in events if isinstance(e, ToolUpdate) and e.call.id == id_]
        for id_ in ("c0", "c2")
    }
    for shown in updates.values():
        assert [e.content[0].text for e in shown[-1000:]] == [
            str(n) for n in range(count - 1000, count)
        ]
    total = sum(len(shown) for shown in updates.values())
    assert total + batch.dropped == 2 * count
    assert total <= 2_000
    others = [type(e) for e in events if not isinstance(e, ToolUpdate)]
    assert others.count(ToolStart) == others.count(ToolEnd) == 3


def note(event, ended):
    if isinstance(event, BatchEnd):
        ended.set()


def test_memory_stays_bounded_while_nobody_reads():
    """B16: twenty thousand updates leave at most a thousand waiting."""
    dropped = []
    backlog = Backlog(lambda: dropped.append(1))

    async def main():
        @tool
        async def speak(context: ToolContext) -> str:
            for n in range(20_000):
                context.update(str(n))

        observer = named("o", on_event=lambda event: backlog.put(event))
        board = Pegboard([speak], plugins=[observer])
        await board.call("speak")

    asyncio.run(main())

    assert len(backlog) == MAX_WAITING + 3
    assert len(dropped) == 20_000 - MAX_WAITING


@pytest.mark.parametrize("way", ["break", "raise", "close"])
def test_leaving_a_stream_early_cancels_its_batch(way):
    """B16: bodies are cancelled and clean up, each call ends, no task is left."""
    recorder, cleaned = Recorder(), []

    @tool(timeout=60)
    async def work() -> str:
        try:
            await forever()
        finally:
            await turns(3)
            cleaned.append(True)

    async def main():
        board = Pegboard([work, quick], plugins=[recorder])
        stream = board.stream(calls("work", "quick", "work"))
        try:
            async with aclosing(stream):
                async for event in stream:
                    if isinstance(event, ToolReturned):
                        if way == "raise":
                            raise KeyError("consumer")
                        break
        except KeyError:
            assert way == "raise"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())

    assert cleaned == [True, True]
    assert {result.code for result in recorder.ends.values()} == {"cancelled"}
    assert len(recorder.ends) == 3


def test_a_cancelled_consumer_cancels_the_batch():
    """B10, B16: and its own cancellation goes on."""

    async def main():
        board = Pegboard([hang])
        task = asyncio.create_task(collect(board, calls("hang")))
        await turns()
        task.cancel()
        await turns(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_stream_takes_what_run_takes():
    """B16: sequential, cancel, dry_run, metadata and max_calls mean the same."""
    seen = []
    guard = named("g", before_tool_call=lambda call: seen.append(dict(call.metadata)))
    board = Pegboard([quick], plugins=[guard])

    async def main():
        cancel = asyncio.Event()
        cancel.set()
        sent = calls("quick", "quick")
        return [
            codes((await collect(board, sent, **options))[-1].batch)
            for options in (
                {"max_calls": 1},
                {"cancel": cancel},
                {"dry_run": True},
                {"sequential": True, "metadata": {"who": "ann"}},
            )
        ]

    assert asyncio.run(main()) == [
        ["success", "not_started"],
        ["not_started", "not_started"],
        ["dry_run", "dry_run"],
        ["success", "success"],
    ]
    assert seen[-1] == {"who": "ann"}


def test_a_mistake_of_the_host_is_raised_by_the_stream():
    """V9, B16: as run() would."""
    with pytest.raises(UsageError, match="a batch takes ToolCalls"):
        asyncio.run(collect(Pegboard([quick]), [{"name": "quick"}]))


def test_what_a_stream_shows_of_a_call_no_body_can_change():
    """A8, B16: though nobody else takes part, the arguments of events are their own."""

    def spoil(arguments):
        arguments.clear()
        return "done"

    schema = {"type": "object", "properties": {"to": {"type": "string"}}}
    spoiling = Tool.from_schema("send", "", schema, spoil)
    sent = [ToolCall("send", {"to": "ann"})]
    events = asyncio.run(collect(Pegboard([spoiling]), sent))

    end = next(event for event in events if isinstance(event, ToolEnd))
    assert end.call.arguments == {"to": "ann"}


def test_a_stream_on_another_loop_is_refused():
    """B16: a board belongs to one loop while that one runs."""
    board = Pegboard([quick])
    found = []

    def elsewhere():
        try:
            asyncio.run(collect(board, calls("quick")))
        except UsageError as error:
            found.append(str(error))

    async def main():
        await board.call("quick")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        await asyncio.to_thread(thread.join)

    asyncio.run(main())

    assert "belongs to another event loop" in found[0]
