"""One order a board: a function of names and settings alone."""

import itertools

import pytest

from pegboard import Abort, Pegboard, PluginError, ToolResult, hookimpl, tool
from pegboard._plugins import Plugin, PluginSet


@tool
async def ping() -> str:
    """Answer."""
    return "pong"


def recorder(name, seen, *, tryfirst=False, trylast=False):
    """A plugin that notes when each of its hooks is called."""

    class Recorder:
        def before_tool_call(self, call):
            seen.append(f"before {name}")

        def after_tool_call(self, call, result):
            seen.append(f"after {name}")

        def tool_middleware(self, tool):
            async def middleware(call, call_next):
                seen.append(f"into {name}")
                return await call_next(call)

            return middleware

    for function in list(vars(Recorder).values()):
        if callable(function):
            hookimpl(tryfirst=tryfirst, trylast=trylast)(function)
    made = Recorder()
    made.name = name
    return made


def order(settings, names=("a", "b", "c", "d"), **marks):
    """The order in which the plugins' guards are asked."""
    seen = []
    plugins = [recorder(name, seen, **marks.get(name, {})) for name in names]
    Pegboard([ping], plugins=plugins, settings=settings).call_sync("ping")
    before = [text[-1] for text in seen if text.startswith("before")]
    into = [text[-1] for text in seen if text.startswith("into")]
    after = [text[-1] for text in seen if text.startswith("after")]
    assert before == into == after[::-1]
    return "".join(before)


def test_the_last_name_stands_outermost():
    """H2: without settings plugins are ordered by name, the last one outermost."""
    for names in itertools.permutations("abcd"):
        assert order({}, names) == "dcba"


def test_required_then_order_then_the_rest():
    """H2: required plugins as listed, then `order`, then the rest by name."""
    assert order({"required": ["b", "d"]}) == "bdca"
    assert order({"order": ["a", "c"]}) == "acdb"
    assert order({"required": ["c"], "order": ["a", "c"]}) == "cadb"


def test_tryfirst_and_trylast_stay_inside_their_part():
    """H2: no mark moves an implementation out of its part."""
    first, last = {"tryfirst": True}, {"trylast": True}

    assert order({}, a=first, d=last) == "acbd"
    assert order({"required": ["b"]}, a=first, b=last) == "badc"
    assert order({"order": ["a", "b"]}, b=first, d=first) == "badc"


def test_a_misspelled_hook_names_the_nearest():
    """H1: an unknown hook is an error, and nothing of the plugin is left behind."""

    class Bad:
        name = "bad"

        @hookimpl
        def befor_tool_call(self, call): ...

    plugins = PluginSet()
    with pytest.raises(PluginError, match="Did you mean 'before_tool_call'") as caught:
        plugins.add(Plugin("bad", Bad()))

    assert caught.value.plugin == "bad"
    assert len(plugins) == 0
    assert plugins.implementations("before_tool_call") == ()


def wrong_argument(self, result): ...
async def asynchronous(self, tool): ...


@pytest.mark.parametrize(
    ("hook", "function", "message"),
    [
        ("before_tool_call", wrong_argument, "result"),
        ("tool_middleware", asynchronous, "make it a function"),
    ],
)
def test_a_hook_that_breaks_its_spec_is_refused(hook, function, message):
    """H1: a wrong argument, or async where nothing can await, names the plugin."""
    plugin = type("Bad", (), {hook: hookimpl(function)})()

    with pytest.raises(PluginError, match=message):
        Pegboard(plugins=[plugin])


def test_a_hook_wrapper_is_refused():
    """H1: hooks do not nest, and the error shows what does."""

    class Wrapping:
        @hookimpl(wrapper=True)
        def before_tool_call(self, call):
            return (yield)

    with pytest.raises(PluginError, match="tool_middleware"):
        Pegboard(plugins=[Wrapping()])


def test_a_forgotten_mark_is_an_error():
    """H1: a function named like a hook but not marked would silently never run."""

    class Forgot:
        def before_tool_call(self, call): ...

    with pytest.raises(PluginError, match="hookimpl"):
        Pegboard(plugins=[Forgot()])


def test_a_hook_may_take_fewer_parameters():
    """H1: an implementation takes what it needs."""
    seen = []

    class Small:
        @hookimpl
        def before_tool_call(self):
            seen.append("before")

        @hookimpl
        def after_tool_call(self, result):
            seen.append(result.text)

    Pegboard([ping], plugins=[Small()]).call_sync("ping")

    assert seen == ["before", "pong"]


def test_two_plugins_of_one_name_are_refused():
    """D8: two plugins passed in code under one name are told apart or refused."""
    with pytest.raises(PluginError, match="give one of them a `name`"):
        Pegboard(plugins=[recorder("a", []), recorder("a", [])])


def test_a_class_is_instantiated_with_its_settings():
    """H3: one instance a board, made of the plugin's own table."""
    from pydantic import BaseModel

    class Limit:
        name = "limit"

        class Settings(BaseModel):
            calls: int = 3

        def __init__(self, settings):
            self.calls = settings.calls

        @hookimpl
        def after_tool_call(self, result):
            return result.replace(content=str(self.calls))

    def answer(**settings):
        plugins = {"limit": settings} if settings else {}
        board = Pegboard([ping], plugins=[Limit], settings={"plugins": plugins})
        return board.call_sync("ping").text

    assert (answer(), answer(calls=7)) == ("3", "7")
    with pytest.raises(Exception, match="cals"):
        answer(cals=7)


def test_an_abort_on_purpose_leaves_with_one_result_a_call():
    """H5: Abort from a guard ends the batch and carries its results."""
    from pegboard import ToolCall

    class Stop:
        @hookimpl
        def before_tool_call(self, call):
            if call.index == 1:
                raise Abort("enough")

    board = Pegboard([ping], plugins=[Stop()])
    with pytest.raises(Abort, match="enough") as caught:
        board.run_sync([ToolCall("ping"), ToolCall("ping"), ToolCall("ping")])

    results = caught.value.batch
    assert [type(result) for result in results] == [ToolResult] * 3
    assert [result.code for result in results] == ["not_started"] * 3
