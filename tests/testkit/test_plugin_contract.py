"""`assert_plugin_contract` finds what a plugin does not keep."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from pegboard import (
    Abort,
    Block,
    Defer,
    PreparedCall,
    Respond,
    ToolCall,
    ToolResult,
    hookimpl,
    tool,
)
from pegboard.events import ToolEnd
from pegboard.testing import ContractError, assert_plugin_contract

from . import promises

CHANGE = ToolCall("sample_change", {"path": "notes.txt"})


def broken(plugin: Any, **options: Any) -> list[str]:
    return promises.broken(assert_plugin_contract, plugin, **options)


class Freeze:
    """Refuses what destroys."""

    name = "freeze"

    @hookimpl
    def before_tool_call(self, call: PreparedCall) -> Block | None:
        return Block("frozen") if call.tool.destructive else None


class Everything:
    """Implements every hook as it should be."""

    name = "everything"

    def __init__(self):
        self.seconds = {}

    @hookimpl
    def register_tools(self):
        return [tool(lambda: "12:00", name="now", description="Tell the time.")]

    @hookimpl
    @asynccontextmanager
    async def lifespan(self, host):
        yield

    @hookimpl
    def inject(self, tool, name):
        return "k-123" if name == "WEATHER_KEY" else None

    @hookimpl
    async def prepare_arguments(self, call):
        return {**call.arguments, "path": "here"}

    @hookimpl
    def before_tool_call(self, call):
        if call.tool.name == "sample_open":
            return Respond(ToolResult("known"))
        return Defer("ask") if call.tool.destructive else None

    @hookimpl
    def tool_middleware(self, tool):
        async def middleware(call, call_next):
            start = time.monotonic()
            try:
                return await call_next(call)
            finally:
                self.seconds[call.id] = time.monotonic() - start

        return None if tool.read_only else [middleware]

    @hookimpl
    def after_tool_call(self, call, result):
        return result.replace(details={"seen": True})

    @hookimpl
    def on_event(self, event):
        if isinstance(event, ToolEnd):
            self.seconds.pop(event.call.id, None)


def test_a_good_plugin_keeps_its_promises():
    """Nothing is said of a plugin that is as it should be."""
    assert_plugin_contract(Everything())
    assert_plugin_contract(Freeze, refuses=[CHANGE])


def test_the_message_names_plugin_hook_and_cost():
    """One readable list: the plugin, the hook, what it costs, what to do."""

    class Careless:
        @hookimpl
        def before_tool_call(self, call):
            return call.arguments["path"] and None

    with pytest.raises(ContractError) as it:
        assert_plugin_contract(Careless())

    assert str(it.value).splitlines() == [
        "plugin 'Careless' breaks a promise:",
        "  closed: before_tool_call raised KeyError: 'path' for sample_open({}); every"
        " such call would be refused",
        "    Handle whatever a model may send and a tool may give.",
    ]


def test_a_misspelt_hook_is_found():
    """H1: a guard that would never be called is no guard."""

    class Guard:
        @hookimpl
        def befor_tool_call(self, call):
            return Block("no")

    with pytest.raises(
        ContractError, match=r"specs: .*Did you mean 'before_tool_call'"
    ):
        assert_plugin_contract(Guard())


@dataclass(frozen=True)
class Limits:
    """`[tool.pegboard.plugins.limited]`."""

    most: int


class Limited:
    name = "limited"
    Settings = Limits

    def __init__(self, settings: Limits):
        self.settings = settings


def test_settings_are_those_of_a_file():
    """H3: a class is made with its validated settings."""
    assert broken(Limited, settings={"most": 3}) == []
    assert broken(Limited, settings={"most": "many"}) == ["settings"]
    assert broken(Limited) == ["settings"]


@pytest.mark.parametrize(
    ("hook", "value"),
    [
        ("prepare_arguments", ["a"]),
        ("before_tool_call", False),
        ("after_tool_call", "rewritten"),
        ("tool_middleware", 5),
        ("tool_middleware", [5]),
    ],
)
def test_a_hook_returns_what_its_spec_says(hook, value):
    """H5: whoever returns something else than the table says has failed."""
    made = type("Odd", (), {hook: hookimpl(_taking(hook, lambda: value))})

    assert broken(made()) == ["specs"]


def _taking(hook, answer):
    """A method of the hook's own arguments."""
    if hook == "after_tool_call":
        return lambda self, call, result: answer()
    if hook in ("tool_middleware", "inject"):
        return lambda self, tool: answer()
    if hook == "on_event":
        return lambda self, event: answer()
    return lambda self, call: answer()


@pytest.mark.parametrize(
    "hook",
    [
        "prepare_arguments",
        "before_tool_call",
        "after_tool_call",
        "tool_middleware",
        "on_event",
        "inject",
    ],
)
def test_a_hook_that_raises_is_found(hook):
    """H5: what raises stops calls, and the message says which."""

    def fail():
        raise ValueError("not this one")

    made = type("Odd", (), {hook: hookimpl(_taking(hook, fail))})

    with pytest.raises(ContractError, match=f"closed: {hook} raised ValueError"):
        assert_plugin_contract(made())


def test_an_abort_on_purpose_is_no_fault():
    """H5: Abort is what a hook may raise."""

    class Stop:
        @hookimpl
        def before_tool_call(self, call):
            raise Abort("the budget is spent")

    assert broken(Stop()) == []


def test_observers_meet_calls_that_were_never_understood():
    """B6: a refused call has a start and an end too, without tool and arguments."""

    class Careless:
        @hookimpl
        def on_event(self, event):
            return event.call.tool.name

    assert broken(Careless()) == ["closed"]


def test_an_observer_that_is_async_is_found():
    """H1: on_event is called where nothing can be awaited, however it hides that."""

    class Late:
        @hookimpl
        def on_event(self, event):
            return asyncio.sleep(0)

    assert broken(Late()) == ["closed"]


def test_inject_gives_only_what_is_its_own():
    """V4: a plugin that answers for every name gives secrets away."""

    class Generous:
        @hookimpl
        def inject(self, tool, name):
            return "k-123"

    assert broken(Generous()) == ["granted"]


def test_what_a_hook_is_shown_stays_as_it_is():
    """H6: a result is changed by returning another one."""

    class Marker:
        @hookimpl
        def after_tool_call(self, call, result):
            if isinstance(result.data, dict):
                result.data["seen"] = True

    assert broken(Marker()) == ["unchanged"]


def test_a_hook_that_blocks_the_loop_is_found():
    """The sync part of a hook has a budget of time."""

    class Slow:
        @hookimpl
        def before_tool_call(self, call):
            time.sleep(0.02)

    assert broken(Slow(), budget=0.01) == ["budget"]
    assert broken(Slow(), budget=30) == []


def test_a_refusal_holds_whichever_way_a_call_comes():
    """H7: a call that is let through in one way is named with that way."""

    class OncePerBatch:
        name = "once"

        @hookimpl
        def before_tool_call(self, call):
            return Block("no") if call.index == 0 else None

    with pytest.raises(ContractError, match="not refused in a batch") as it:
        assert_plugin_contract(OncePerBatch(), refuses=[CHANGE])

    assert [item.promise for item in it.value.broken] == ["refuses"]


def test_a_call_that_another_fault_stops_is_not_refused():
    """A refusal counts only if it is the plugin's own."""
    wrong = ToolCall("sample_change", {"paht": "notes.txt"})

    assert set(broken(Freeze(), refuses=[wrong])) == {"refuses"}


class Shout:
    name = "shout"

    @hookimpl
    def after_tool_call(self, call, result):
        return result.replace(content=result.text.upper())


def test_order_independence_is_tried_both_ways():
    """H2: a plugin that says that its place does not matter is held to it."""

    class Greet:
        name = "greet"

        @hookimpl
        def after_tool_call(self, call, result):
            return result.replace(content=f"hello, {result.text}")

    class Count:
        name = "count"
        calls = 0

        @hookimpl
        def on_event(self, event):
            self.calls += isinstance(event, ToolEnd)

    assert broken(Shout(), beside=[Count()]) == []
    assert set(broken(Shout(), beside=[Greet()])) == {"order"}


def test_the_tools_of_a_pack_are_checked_too():
    """A pack's tools are held to the contract of tools, and listed the same twice."""

    class Pack:
        name = "pack"

        def __init__(self):
            self.names = self.make_names()

        def make_names(self) -> Iterator[str]:
            yield from ("one", "two", "three")

        @hookimpl
        def register_tools(self):
            return [tool(lambda: None, name=next(self.names), description="Do it.")]

    with pytest.raises(ContractError, match="listed: register_tools brings other"):
        assert_plugin_contract(Pack())


def test_a_lifespan_that_fails_is_found():
    """A plugin whose lifespan cannot be entered is left out, so it is named."""

    class Offline:
        name = "offline"

        @hookimpl
        @asynccontextmanager
        async def lifespan(self, host):
            raise ConnectionError("no network")
            yield

    assert broken(Offline()) == ["loads"]
