"""What was guarded is what runs (H6)."""

import asyncio

import pytest

from pegboard import (
    Abort,
    Block,
    Defer,
    Executor,
    Pegboard,
    Registry,
    Respond,
    Tool,
    ToolCall,
    ToolContext,
    ToolResult,
    hookimpl,
    tool,
)

from .parts import Watcher, codes, named, turns


@tool
async def send(to: str, amount: int = 1) -> str:
    return f"{amount} to {to}"


def changing(**arguments):
    """A middleware that changes arguments."""

    async def change(call, call_next):
        return await call_next(call.replace(arguments={**call.arguments, **arguments}))

    return change


class Guard:
    """A guard that notes what it is shown, and decides over it."""

    name = "guard"

    def __init__(self, decide=lambda call: None):
        self.seen = []
        self.decide = decide

    @hookimpl
    def before_tool_call(self, call):
        self.seen.append(dict(call.arguments))
        return self.decide(call)


def run(middleware, *guards, tools=(send,), **settings):
    registry = Registry(tools, settings=settings)
    executor = Executor(registry, plugins=guards, middlewares=[middleware])
    return executor.call_sync("send", {"to": "ann"})


def test_changed_arguments_pass_every_guard_once_more():
    """H6: they are validated and guarded before the body gets them."""
    guard = Guard()
    result = run(changing(amount="5"), guard)

    assert result.text == "5 to ann"
    assert guard.seen == [{"to": "ann"}, {"to": "ann", "amount": 5}]


@pytest.mark.parametrize(
    "decision",
    [
        Block("not to bob"),
        Defer("ask"),
        Respond(ToolResult("cached")),
        "nonsense",
        RuntimeError("down"),
    ],
    ids=repr,
)
def test_any_answer_but_none_bars_the_changed_call(decision):
    """H6: changed arguments are run or blocked; there is nothing between."""
    ran = []

    @tool(name="send")
    async def body(to: str) -> str:
        ran.append(to)

    def decide(call):
        if call.arguments["to"] != "bob":
            return None
        if isinstance(decision, Exception):
            raise decision
        return decision

    guard = Guard(decide)
    registry = Registry([body])
    executor = Executor(registry, plugins=[guard], middlewares=[changing(to="bob")])
    batch = executor.run_sync([ToolCall("send", {"to": "ann"})])

    failed = isinstance(decision, (str, Exception))
    assert codes(batch) == ["hook_failed" if failed else "blocked"]
    assert (batch[0].by, batch[0].executed) == ("guard", "no")
    assert batch.pending == ()
    assert ran == []


def test_changed_arguments_that_do_not_fit_are_invalid():
    """H6: what a middleware made of them is validated like a model's."""
    guard = Guard()
    result = run(changing(amount="many"), guard)

    assert (result.code, result.executed) == ("invalid_arguments", "no")
    assert "amount" in result.text
    assert len(guard.seen) == 1


def test_equal_arguments_are_the_same_call():
    """H6: a copy that says the same needs no second check."""
    guard = Guard()
    result = run(changing(), guard)

    assert result.text == "1 to ann"
    assert len(guard.seen) == 1


def test_a_barred_call_cannot_be_made_a_success():
    """H6: neither by the middleware that changed it, nor by a rewriter."""

    async def insist(call, call_next):
        changed = call.replace(arguments={"to": "bob"})
        first = await call_next(changed)
        second = await call_next(call)
        assert (first.code, second.code) == ("blocked", "blocked")
        return ToolResult("fine")

    guard = Guard(lambda call: Block("no") if call.arguments["to"] == "bob" else None)
    fixer = named("fixer", after_tool_call=lambda call, result: ToolResult("fine"))
    result = run(insist, guard, fixer)

    assert (result.status, result.code, result.text) == ("blocked", "blocked", "no")


def test_a_call_that_was_changed_back_is_checked_again():
    """H6: whatever was guarded last is what may run; another one is guarded anew."""
    guard = Guard()

    async def wander(call, call_next):
        await call_next(call.replace(arguments={"to": "bob"}))
        return await call_next(call)

    result = run(wander, guard)

    assert result.text == "1 to ann"
    assert [seen["to"] for seen in guard.seen] == ["ann", "bob", "ann"]


def test_an_inner_middleware_sees_the_changed_call_and_the_body_the_checked_one():
    """H6: the check is the innermost step, so layers see what is passed to them."""
    seen = []

    async def look(call, call_next):
        seen.append(dict(call.arguments))
        return await call_next(call)

    executor = Executor(Registry([send]), middlewares=[look, changing(amount=2)])
    result = executor.call_sync("send", {"to": "ann"})

    assert seen == [{"to": "ann", "amount": 2}]
    assert result.text == "2 to ann"


def test_second_checks_of_a_batch_never_overlap():
    """H6, B4: one at a time; no update is shown while a guard is at work."""
    active, overlaps = [], []

    async def guard(call):
        if "amount" not in call.arguments:
            return
        overlaps.extend(active)
        active.append(call.id)
        await turns(3)
        active.remove(call.id)

    def look(event):
        overlaps.extend(active)

    @tool(name="send")
    async def body(to: str, context: ToolContext, amount: int = 1) -> str:
        for _ in range(5):
            context.update("working")
            await turns(2)
        return "sent"

    async def main():
        plugins = [named("guard", before_tool_call=guard, on_event=look)]
        executor = Executor(
            Registry([body]), plugins=plugins, middlewares=[changing(amount=2)]
        )
        return await executor.run([ToolCall("send", {"to": "ann"}) for _ in range(4)])

    assert codes(asyncio.run(main())) == ["success"] * 4
    assert overlaps == []


def test_events_kept_during_a_check_are_shown_after_it():
    """B4, B5: nothing is lost but what a thousand waiting updates push out."""
    watcher, gate = Watcher(), asyncio.Event()

    async def guard(call):
        if call.arguments.get("to") == "bob":
            await gate.wait()

    @tool
    async def speak(context: ToolContext) -> str:
        await turns()
        for n in range(1_500):
            context.update(str(n))
        gate.set()
        return "spoken"

    async def redirect(call, call_next):
        if call.name == "send":
            call = call.replace(arguments={"to": "bob"})
        return await call_next(call)

    async def main():
        executor = Executor(
            Registry([send, speak]),
            plugins=[watcher, named("guard", before_tool_call=guard)],
            middlewares=[redirect],
        )
        return await executor.run(
            [ToolCall("send", {"to": "ann"}), ToolCall("speak", id="s")]
        )

    batch = asyncio.run(main())

    assert codes(batch) == ["success", "success"]
    assert watcher.texts("s") == [str(n) for n in range(500, 1_500)]
    assert batch.dropped == 500


def test_an_abort_in_a_second_check_leaves_run():
    """H5, H6: no middleware that catches it keeps the batch going."""

    def decide(call):
        if call.arguments["to"] == "bob":
            raise Abort("bob is out of bounds")

    async def swallow(call, call_next):
        try:
            return await call_next(call.replace(arguments={"to": "bob"}))
        except Abort:
            return ToolResult("fine")

    executor = Executor(
        Registry([send]), plugins=[Guard(decide)], middlewares=[swallow]
    )
    with pytest.raises(Abort, match="out of bounds") as info:
        executor.run_sync([ToolCall("send", {"to": "ann"})] * 2)

    assert len(info.value.batch) == 2
    assert not any(result.status == "success" for result in info.value.batch)


def test_guards_change_nothing():
    """H6: what a guard is shown is read-only at every depth."""

    @tool
    async def count(items: dict[str, list[int]]) -> int:
        return sum(len(item) for item in items.values())

    def meddle(call):
        call.arguments["items"]["a"].append(1)

    result = Pegboard([count], plugins=[named("m", before_tool_call=meddle)]).call_sync(
        "count", {"items": {"a": [1]}}
    )

    assert result.code == "hook_failed"


@pytest.mark.parametrize("given", ['{"to": "ann", "amount": 1}', {"to": "ann"}])
def test_what_a_body_does_to_its_arguments_nobody_else_sees(given):
    """A8, H6: events and rewriters show what was guarded, not what became of it."""
    seen = []

    def spoil(arguments):
        arguments.clear()
        return "done"

    schema = {"type": "object", "properties": {"to": {"type": "string"}}}
    spoiling = Tool.from_schema("send", "", schema, spoil)
    rewriter = named(
        "r", after_tool_call=lambda call, result: seen.append(dict(call.arguments))
    )
    watcher = Watcher()
    Pegboard([spoiling], plugins=[rewriter, watcher]).call_sync("send", given)

    ends = [dict(event.call.arguments) for event in watcher.events if event.call.tool]
    assert seen[0]["to"] == "ann"
    assert all(arguments["to"] == "ann" for arguments in ends)


def test_a_check_holds_up_its_own_batch_only():
    """H6: the lock is one a batch; a batch on another task is not held up."""
    gate = asyncio.Event()

    async def guard(call):
        if call.arguments.get("amount") == 2 and call.metadata.get("slow"):
            await gate.wait()

    async def main():
        executor = Executor(
            Registry([send]),
            plugins=[named("guard", before_tool_call=guard)],
            middlewares=[changing(amount=2)],
        )
        sent = [ToolCall("send", {"to": "ann"})] * 2
        slow = asyncio.create_task(executor.run(sent, metadata={"slow": True}))
        await turns()
        quick = await executor.run(sent)
        gate.set()
        return quick, await slow

    quick, slow = asyncio.run(main())

    assert codes(quick) == codes(slow) == ["success"] * 2
