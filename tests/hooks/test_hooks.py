"""Each hook does what its spec says: when, in what order, combined how."""

import asyncio
from contextlib import asynccontextmanager
from typing import Annotated

import pytest

from pegboard import (
    Block,
    Defer,
    Injected,
    Pegboard,
    PluginError,
    Respond,
    ToolCall,
    ToolResult,
    hookimpl,
    tool,
)
from pegboard.events import ToolEnd, ToolStart


@tool
async def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


def named(name, **hooks):
    """A plugin of that name with these hook implementations."""
    members = {key: staticmethod(hookimpl(value)) for key, value in hooks.items()}
    return type(name, (), {"name": name, **members})()


def test_register_tools_contributes_tools():
    """register_tools: a plugin's tools are offered under its name."""
    board = Pegboard(plugins=[named("maths", register_tools=lambda settings: [add])])

    assert [item.id for item in board.definitions()] == ["maths:add"]
    assert board.call_sync("add", {"a": 2}).data == 2


def test_lifespan_is_entered_outside_in_and_left_inside_out():
    """lifespan: opened once at first use, closed in reverse, host tools come and go."""
    seen = []

    def make(name):
        @asynccontextmanager
        async def hold(host):
            seen.append(f"{name} opens")
            host.add(tool(lambda: name, name=f"who_{name}"))
            yield
            seen.append(f"{name} closes")

        return named(name, lifespan=lambda host: hold(host))

    async def main():
        async with Pegboard(plugins=[make("a"), make("b")]) as board:
            seen.append((await board.call("who_a")).text)
            return [item.id for item in board.definitions()]

    offered = asyncio.run(main())

    assert seen == ["b opens", "a opens", "a", "a closes", "b closes"]
    assert offered == ["a:who_a", "b:who_b"]


def test_lifespan_that_fails_closes_the_board():
    """lifespan, D4: a policy that cannot open lets no call through, and says so."""

    @asynccontextmanager
    async def broken(host):
        raise OSError("no database")
        yield

    plugin = named("vault", lifespan=lambda host: broken(host))
    board = Pegboard([add], plugins=[plugin])
    result = board.call_sync("add", {"a": 1})

    assert (result.code, result.executed) == ("hook_failed", "no")
    assert "'vault'" in result.text
    assert "no database" in board.problems[0].message


def test_inject_gives_hidden_values_after_the_guards():
    """inject: the first that is not None counts; guards never see the value."""
    asked = []

    @tool
    def send(text: str, *, key: Annotated[str, Injected("KEY")]) -> str:
        return f"{text} with {key}"

    def give(tool, name):
        asked.append((tool.name, name))
        return "s3cret"

    board = Pegboard(
        [send],
        plugins=[
            named("a", inject=give),
            named("b", inject=lambda tool, name: None),
            named(
                "c", before_tool_call=lambda call: asked.append(dict(call.arguments))
            ),
        ],
    )
    result = board.call_sync("send", {"text": "hi"})

    assert result.text == "hi with ***"
    assert asked == [{"text": "hi"}, ("send", "KEY")]


def test_inject_that_nobody_answers_makes_the_tool_unavailable():
    """inject, V4: without a grant the body does not run."""

    @tool
    def send(*, key: Annotated[str, Injected("KEY")]) -> str:
        return key

    result = Pegboard([send]).call_sync("send", {})

    assert (result.code, result.executed) == ("tool_unavailable", "no")
    assert "'KEY'" in result.text


def test_prepare_arguments_is_a_waterfall_outside_in():
    """prepare_arguments: each sees what the one before returned; then validation."""
    board = Pegboard(
        [add],
        plugins=[
            named("a", prepare_arguments=lambda call: {**call.arguments, "b": 5}),
            named("b", prepare_arguments=lambda call: {"a": call.arguments["x"]}),
        ],
    )
    result = board.call_sync("add", {"x": "3"})

    assert result.data == 8
    assert result.repairs[0].path == ("a",)


def test_before_tool_call_decides_block_before_defer_before_respond():
    """before_tool_call: all are asked until one blocks; the strongest decision wins."""
    answer = Respond(ToolResult("cached"))
    cases = {
        (None, None): "success",
        (answer, None): "success",
        (answer, Defer("ask")): "approval_required",
        (Defer("ask"), Block("no")): "blocked",
        (answer, Block("no")): "blocked",
    }

    for decisions, expected in cases.items():
        first, second = (
            named(name, before_tool_call=lambda call, given=given: given)
            for name, given in zip("ba", decisions, strict=True)
        )
        result = Pegboard([add], plugins=[first, second]).call_sync("add", {"a": 1})

        assert (result.code or result.status) == expected
        if decisions[0] is answer and expected == "success":
            assert (result.text, result.by, result.executed) == ("cached", "b", "no")


def test_tool_middleware_wraps_in_order_and_may_decline():
    """tool_middleware: asked once a tool; the last name stands outermost."""
    seen = []

    def layer(name):
        async def middleware(call, call_next):
            seen.append(f"{name} in")
            result = await call_next(call)
            seen.append(f"{name} out")
            return result

        return middleware

    def for_add(tool):
        seen.append(f"asked for {tool.name}")
        return [layer("a1"), layer("a2")] if tool.name == "add" else None

    board = Pegboard(
        [add],
        plugins=[
            named("a", tool_middleware=for_add),
            named("b", tool_middleware=lambda tool: layer("b")),
        ],
        middlewares=[layer("inner"), layer("outer")],
    )
    board.call_sync("add", {"a": 1})
    board.call_sync("add", {"a": 1})

    once = ["b in", "a1 in", "a2 in", "outer in", "inner in"]
    out = ["inner out", "outer out", "a2 out", "a1 out", "b out"]
    assert seen == ["asked for add", *once, *out, *once, *out]


def test_after_tool_call_is_a_waterfall_inside_out():
    """after_tool_call: the outermost plugin has the last word."""

    def append(text):
        return lambda call, result: result.replace(content=f"{result.text}{text}")

    board = Pegboard(
        [add],
        plugins=[
            named("a", after_tool_call=append(" a")),
            named("b", after_tool_call=append(" b")),
        ],
    )

    assert board.call_sync("add", {"a": 1}).text == "1 a b"


def test_on_event_sees_every_call_and_is_isolated():
    """on_event: a failing observer disturbs neither the call nor the next observer."""
    seen = []

    def broken(event):
        raise RuntimeError("full disk")

    board = Pegboard(
        [add],
        plugins=[
            named("z", on_event=broken),
            named("a", on_event=lambda event: seen.append(event)),
        ],
    )
    batch = board.run_sync([ToolCall("add", {"a": 1}), ToolCall("nothing")])

    assert [result.status for result in batch] == ["success", "error"]
    assert [event.call.index for event in seen if isinstance(event, ToolStart)] == [
        0,
        1,
    ]
    assert [event.result for event in seen if isinstance(event, ToolEnd)] == list(batch)


def test_register_runners_adds_a_place_to_run():
    """register_runners: a tool names the runner, and its bodies run there."""

    class Shouting:
        remote = False

        async def run(self, body):
            return str(body()).upper()

        async def close(self):
            self.closed = True

    shouting = Shouting()
    greet = tool(lambda: "hello", name="greet", runner="shout")
    plugin = named("loud", register_runners=lambda: {"shout": shouting})
    with Pegboard([greet], plugins=[plugin]) as board:
        result = board.call_sync("greet")

    assert result.text == "HELLO"
    assert shouting.closed


def test_register_runners_refuses_a_taken_name():
    """register_runners: a name that is taken is an error that names the plugin."""
    plugin = named("mine", register_runners=lambda: {"thread": object()})

    with pytest.raises(PluginError, match="'mine'"):
        Pegboard(plugins=[plugin])


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("hook", "wrong"),
    [
        ("prepare_arguments", 3),
        ("before_tool_call", True),
        ("before_tool_call", Respond("no result")),
        ("after_tool_call", "text"),
        ("prepare_arguments", SystemExit(1)),
        ("before_tool_call", ValueError("x")),
        ("after_tool_call", StopIteration()),
    ],
)
def test_hooks_fail_closed(hook, wrong, is_async):
    """H5: a hook that raises or returns nonsense ends the call and is named."""
    ran = []
    body = tool(lambda: ran.append(1), name="body")

    def implementation(call, result=None):
        if isinstance(wrong, BaseException):
            raise wrong
        return wrong

    async def later(call, result=None):
        return implementation(call)

    function = later if is_async else implementation
    if hook != "after_tool_call":
        plugin = named("bad", **{hook: lambda call: function(call)})
    else:
        plugin = named("bad", **{hook: lambda call, result: function(call, result)})
    result = Pegboard([body], plugins=[plugin]).call_sync("body")
    after = hook == "after_tool_call"

    assert (result.code, result.by) == ("hook_failed", "bad")
    assert result.executed == ("yes" if after else "no")
    assert f"failed in {hook}" in result.text
    assert len(ran) == after
