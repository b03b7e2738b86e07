"""Hooks that fail end their call, and never let it through (H5)."""

import asyncio
from typing import Annotated

import pytest

from pegboard import (
    Abort,
    Block,
    Defer,
    Injected,
    Pegboard,
    Respond,
    ToolCall,
    ToolResult,
    hookimpl,
    tool,
)

from .parts import calls, codes, forever, named, turns

SOON = 0.05
ran = []


@tool
async def work(key: Annotated[str, Injected("KEY")] = "") -> str:
    ran.append(key)
    return "worked"


@pytest.fixture(autouse=True)
def nothing_ran():
    ran.clear()


class Failing:
    """A plugin one of whose hooks does something."""

    name = "broken"

    def __init__(self, hook, act):
        self.hook, self.act = hook, act

    def _do(self, hook):
        return self.act() if hook == self.hook else None

    @hookimpl
    def prepare_arguments(self, call):
        return self._do("prepare_arguments")

    @hookimpl
    def before_tool_call(self, call):
        return self._do("before_tool_call")

    @hookimpl
    def inject(self, tool, name):
        return self._do("inject") if self.hook == "inject" else "value"

    @hookimpl
    def after_tool_call(self, call, result):
        return self._do("after_tool_call")


def raise_(error):
    raise error


async def raise_later(error):
    await asyncio.sleep(0)
    raise error


async def cancel_itself():
    raise asyncio.CancelledError


FAILURES = {
    "raises": lambda: raise_(RuntimeError("policy db down")),
    "raises later": lambda: raise_later(RuntimeError("policy db down")),
    "exits": lambda: raise_(SystemExit(1)),
    "exits later": lambda: raise_later(SystemExit(1)),
    "stops": lambda: raise_(StopIteration()),
    "is lost": cancel_itself,
    "closes": lambda: raise_(GeneratorExit()),
    "closes later": lambda: raise_later(GeneratorExit()),
    "hangs": forever,
}
BEFORE = ["prepare_arguments", "before_tool_call", "inject"]


@pytest.mark.parametrize("act", FAILURES)
@pytest.mark.parametrize("hook", BEFORE)
def test_a_hook_that_fails_before_the_body_stops_the_call(hook, act):
    """H5: hook_failed, by name; the tool does not run, and siblings do."""
    board = Pegboard(
        [work, tool(lambda: "fine", name="fine")],
        plugins=[Failing(hook, FAILURES[act])],
        settings={"hook_timeout": SOON, "grace": SOON},
    )
    batch = board.run_sync([ToolCall("work"), ToolCall("nope")])

    assert codes(batch) == ["hook_failed", "unknown_tool"]
    assert (batch[0].by, batch[0].executed) == ("broken", "no")
    assert f"plugin 'broken' failed in {hook}" in batch[0].text
    assert "policy db" not in batch[0].text
    assert ran == []


@pytest.mark.parametrize("act", FAILURES)
def test_a_rewriter_that_fails_withholds_the_result(act):
    """H5: the model reads that the tool ran, that nobody may see what it said."""
    board = Pegboard(
        [work],
        plugins=[Failing("after_tool_call", FAILURES[act])],
        settings={"hook_timeout": SOON, "grace": SOON},
    )
    result = board.call_sync("work")

    assert (result.code, result.by, result.executed) == ("hook_failed", "broken", "yes")
    assert "work ran, but its result is withheld" in result.text
    assert "Do not repeat the call" in result.text
    assert "worked" not in str(result.to_dict())


def test_a_rewriter_that_fails_on_an_answer_says_that_nothing_ran():
    """H5: of a Respond the model reads that it was answered."""
    cache = named("cache", before_tool_call=lambda call: Respond(ToolResult("kept")))
    failing = Failing("after_tool_call", FAILURES["raises"])
    result = Pegboard([work], plugins=[failing, cache]).call_sync("work")

    assert result.text.startswith("work was answered, but its result is withheld")
    assert result.executed == "no"


@pytest.mark.parametrize(
    ("hook", "wrong"),
    [
        ("prepare_arguments", [("a", 1)]),
        ("prepare_arguments", "text"),
        ("prepare_arguments", {"a": object()}),
        ("prepare_arguments", {"a": float("nan")}),
        ("prepare_arguments", {1: 2}),
        ("before_tool_call", True),
        ("before_tool_call", "no"),
        ("before_tool_call", ToolResult("x")),
        ("before_tool_call", Respond("text")),
        ("before_tool_call", Respond(ToolResult("x", status="deferred"))),
        ("after_tool_call", "text"),
        ("after_tool_call", {"content": "x"}),
        ("after_tool_call", ToolResult("x", status="deferred")),
        ("after_tool_call", Block("no")),
    ],
    ids=repr,
)
def test_whoever_returns_something_else_has_failed(hook, wrong):
    """H5: what the table does not name is no decision, and no result."""
    result = Pegboard([work], plugins=[Failing(hook, lambda: wrong)]).call_sync("work")

    assert (result.code, result.by) == ("hook_failed", "broken")
    assert result.executed == ("yes" if hook == "after_tool_call" else "no")


def test_a_hook_has_its_time():
    """H5: an async hook that takes longer than hook_timeout has failed; it is ended."""
    cleaned = []

    async def slow():
        try:
            await forever()
        finally:
            cleaned.append(True)

    plugin = Failing("before_tool_call", slow)
    result = Pegboard(
        [work], plugins=[plugin], settings={"hook_timeout": SOON}
    ).call_sync("work")

    assert "TooLong: it took longer than 0.05 s" in result.text
    assert cleaned == [True]


def test_a_hook_timeout_of_zero_is_none():
    """H5: 0 means that a hook may take its time."""
    plugin = Failing("before_tool_call", lambda: turns(20))
    board = Pegboard([work], plugins=[plugin], settings={"hook_timeout": 0})

    assert board.call_sync("work").text == "worked"


@pytest.mark.parametrize("wrong", [[1], "text", {"a": object()}])
def test_a_tools_own_prepare_fails_like_a_hook(wrong):
    """A4, H5: something else than a mapping, and the call is not made."""
    made = tool(lambda: "ran", name="prepared", prepare=lambda arguments: wrong)
    result = Pegboard([made]).call_sync("prepared")

    assert (result.code, result.executed) == ("hook_failed", "no")
    assert "failed in prepare" in result.text


def test_a_tools_own_prepare_gets_a_private_copy():
    """A4: None leaves the arguments as they were, whatever became of the copy."""

    def prepare(arguments):
        arguments.pop("a")

    made = tool(lambda a: a, name="prepared", prepare=prepare)

    assert Pegboard([made]).call_sync("prepared", {"a": 1}).data == 1


def test_prepare_is_a_waterfall():
    """A4: each one sees what the one before it returned, the tool's own last."""
    seen = []

    def step(name):
        def prepare(call):
            seen.append((name, dict(call.arguments)))
            return {**call.arguments, name: 1}

        return named(name, prepare_arguments=prepare)

    def own(arguments):
        seen.append(("own", dict(arguments)))
        return {"n": len(arguments)}

    made = tool(lambda n: n, name="prepared", prepare=own)
    result = Pegboard([made], plugins=[step("a"), step("b")]).call_sync("prepared", {})

    assert seen == [("b", {}), ("a", {"b": 1}), ("own", {"b": 1, "a": 1})]
    assert result.data == 2


@pytest.mark.parametrize(
    ("decisions", "code"),
    [
        ([Respond(ToolResult("r")), Defer("d"), Block("b")], "blocked"),
        ([Block("b"), Defer("d")], "blocked"),
        ([Respond(ToolResult("r")), Defer("d")], "approval_required"),
        ([Defer("d"), Respond(ToolResult("r"))], "approval_required"),
        ([Respond(ToolResult("r")), None], "success"),
        ([None, None], "success"),
    ],
)
def test_block_beats_defer_beats_respond(decisions, code):
    """H6: whatever their order; the first of a kind counts."""
    plugins = [
        named(f"p{9 - at}", before_tool_call=lambda call, found=found: found)
        for at, found in enumerate(decisions)
    ]
    batch = Pegboard([work], plugins=plugins).run_sync(calls("work"))

    assert codes(batch) == [code]
    assert len(batch.pending) == (code == "approval_required")


def test_the_first_of_a_kind_counts():
    """H6: outside in; the outermost answer is the answer."""
    plugins = [
        named("a", before_tool_call=lambda call: Respond(ToolResult("inner"))),
        named("z", before_tool_call=lambda call: Respond(ToolResult("outer"))),
    ]
    result = Pegboard([work], plugins=plugins).call_sync("work")

    assert (result.text, result.by) == ("outer", "z")


def test_all_guards_are_asked_until_one_blocks():
    """H6: a Defer or Respond stops nobody from blocking; a Block ends the asking."""
    asked = []

    def guard(name, decision):
        def decide(call):
            asked.append(name)
            return decision

        return named(name, before_tool_call=decide)

    plugins = [
        guard("d", Respond(ToolResult("r"))),
        guard("c", Defer("ask")),
        guard("b", Block("no")),
        guard("a", None),
    ]
    Pegboard([work], plugins=plugins).call_sync("work")

    assert asked == ["d", "c", "b"]


@pytest.mark.parametrize(
    ("block", "code", "text"),
    [
        (Block("too fast", code="rate_limited"), "rate_limited", "too fast"),
        (Block("not you", code="denied"), "denied", "not you"),
        (Block("no", code="timeout"), "blocked", "no"),
        (Block("no", code="made_up"), "blocked", "no"),
        (Block(""), "blocked", "work did not run: 'guard' said no"),
    ],
    ids=repr,
)
def test_a_block_says_what_it_is(block, code, text):
    """H6, V7: its code is one that means "did not run"; its text is the reason."""
    guard = named("guard", before_tool_call=lambda call: block)
    result = Pegboard([work], plugins=[guard]).call_sync("work")

    assert (result.status, result.code, result.text) == ("blocked", code, text)
    assert (result.by, result.executed) == ("guard", "no")


def test_nothing_makes_a_success_of_a_blocked_call():
    """H6: rewriters and middlewares never see it."""
    guard = named("guard", before_tool_call=lambda call: Block("no"))
    fixer = named(
        "fixer",
        after_tool_call=lambda call, result: ToolResult("fine"),
        tool_middleware=lambda tool: lambda call, call_next: call_next(call),
    )
    result = Pegboard([work], plugins=[guard, fixer]).call_sync("work")

    assert (result.status, result.text) == ("blocked", "no")


def test_observers_that_fail_are_logged_and_isolated(caplog):
    """H5: an observer's failure is nobody else's; the log names it, and no value."""
    seen = []

    def fail(event):
        raise RuntimeError("secret value")

    look = named("a", on_event=lambda event: seen.append(event))
    plugins = [named("z", on_event=fail), look]
    result = Pegboard([work], plugins=plugins).call_sync("work")

    assert result.text == "worked"
    assert len(seen) == 3
    assert "plugin z failed in on_event: RuntimeError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("error", [RuntimeError("disk full"), SystemExit(1)])
def test_no_audit_no_call(error):
    """H5: a required observer that fails ends the batch with an Abort that names it."""

    def fail(event):
        raise error

    board = Pegboard(
        [work],
        plugins=[named("audit", on_event=fail)],
        settings={"required": ["audit"]},
    )
    with pytest.raises(
        Abort, match="required plugin 'audit' failed in on_event"
    ) as info:
        board.run_sync(calls("work", "work"))

    assert codes(info.value.batch) == ["not_started"] * 2
    assert ran == []
