"""Code that wraps calls (H4, H5)."""

import asyncio

import pytest

from pegboard import (
    Executor,
    Pegboard,
    PreparedCall,
    Registry,
    ToolCall,
    ToolResult,
    hookimpl,
    tool,
)

from .parts import calls, codes, named, turns


@tool
async def add(a: int = 0, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


def layered(*middlewares, tools=(add,), plugins=(), **settings):
    registry = Registry(tools, settings=settings)
    return Executor(registry, middlewares=middlewares, plugins=plugins)


def test_the_first_middleware_passed_in_code_is_the_innermost():
    """H2, H4: a plugin's layers stand outside, the first of the code's inside."""
    order = []

    def layer(name):
        async def note(call, call_next):
            order.append(name)
            return await call_next(call)

        return note

    plugin = named("p", tool_middleware=lambda tool: [layer("p1"), layer("p2")])
    layered(layer("inner"), layer("outer"), plugins=[plugin]).call_sync("add")

    assert order == ["p1", "p2", "outer", "inner"]


def test_a_middleware_may_skip_the_body():
    """H4: its own result is the call's; nothing ran, and it says who answered."""
    ran = []

    @tool
    async def work() -> None:
        ran.append(1)

    async def cache(call, call_next):
        return ToolResult("cached", data=7, details={"age": 3})

    plugin = named("cache", tool_middleware=lambda tool: cache)
    result = layered(tools=[work], plugins=[plugin]).call_sync("work", id="mine")

    assert (result.text, result.data, result.details) == ("cached", 7, {"age": 3})
    assert (result.status, result.executed, result.by) == ("success", "no", "cache")
    assert result.call.id == "mine"
    assert ran == []


def test_a_middleware_may_change_the_result():
    """H4: what it returns instead is what rewriters and the caller see."""
    seen = []

    async def double(call, call_next):
        result = await call_next(call)
        return result.replace(content=f"{result.text}{result.text}")

    plugin = named(
        "look", after_tool_call=lambda call, result: seen.append(result.text)
    )
    result = layered(double, plugins=[plugin]).call_sync("add", {"a": 4})

    assert result.text == "44"
    assert seen == ["44"]
    assert (result.executed, result.by) == ("yes", None)


def test_a_middleware_may_call_again():
    """H4: a retry by hand runs the body once more, with the arguments as they were."""
    seen = []

    @tool
    async def spoil(items: list[int]) -> int:
        seen.append(list(items))
        items.append(9)
        if len(seen) == 1:
            raise OSError
        return len(items)

    async def again(call, call_next):
        result = await call_next(call)
        return await call_next(call) if result.is_error else result

    result = layered(again, tools=[spoil]).call_sync("spoil", {"items": [1]})

    assert result.data == 2
    assert seen == [[1], [1]]


def test_a_middleware_overlaps_with_itself():
    """H4: in a parallel batch it is in several calls at once."""
    barrier = asyncio.Barrier(3)

    async def meet(call, call_next):
        await barrier.wait()
        return await call_next(call)

    assert codes(layered(meet).run_sync(calls("add", "add", "add"))) == ["success"] * 3


async def raises(call, call_next):
    raise ValueError("secret detail")


async def raises_after(call, call_next):
    await call_next(call)
    raise ValueError("secret detail")


async def forgets(call, call_next):
    await call_next(call)


async def invents(call, call_next):
    return {"content": "x"}


async def exits(call, call_next):
    raise SystemExit(1)


async def swallows(call, call_next):
    raise GeneratorExit


def not_async(call, call_next):
    return ToolResult("sync")


async def defers(call, call_next):
    return ToolResult("wait", status="deferred", code="approval_required")


async def lost(call, call_next):
    raise asyncio.CancelledError


async def passes_nothing(call, call_next):
    return await call_next(None)


async def passes_another(call, call_next):
    return await call_next(ToolCall("add"))


@pytest.mark.parametrize(
    ("middleware", "executed"),
    [
        (raises, "no"),
        (raises_after, "yes"),
        (forgets, "yes"),
        (invents, "no"),
        (exits, "no"),
        (swallows, "no"),
        (not_async, "no"),
        (defers, "no"),
        (lost, "no"),
        (passes_nothing, "no"),
        (passes_another, "no"),
    ],
)
def test_a_middleware_that_fails_fails_its_call_by_name(middleware, executed):
    """H5: middleware_failed names the plugin and says whether the tool ran."""
    plugin = named("broken", tool_middleware=lambda tool: middleware)
    quiet = named("quiet", tool_middleware=lambda tool: passes_on)
    board = Pegboard([add], plugins=[plugin, quiet])
    batch = board.run_sync([ToolCall("add", {"a": 1}), ToolCall("nope")])

    assert codes(batch) == ["middleware_failed", "unknown_tool"]
    assert (batch[0].by, batch[0].executed) == ("broken", executed)
    ran = "ran" if executed == "yes" else "did not run"
    assert batch[0].text.startswith(
        f"add {ran}: a middleware of plugin 'broken' failed"
    )
    assert "secret" not in batch[0].text


async def passes_on(call, call_next):
    return await call_next(call)


@pytest.mark.parametrize("outer", ["a", "z"])
def test_the_layer_that_fails_is_the_one_that_is_named(outer):
    """H5: wherever it stands; who passes on nonsense is to blame, not who gets it."""
    broken = named(outer, tool_middleware=lambda tool: passes_nothing)
    fine = named("m", tool_middleware=lambda tool: passes_on)
    result = Pegboard([add], plugins=[broken, fine]).call_sync("add")

    assert (result.code, result.by) == ("middleware_failed", outer)


def test_a_failing_inner_layer_can_be_mended_outside():
    """H4: an outer middleware may catch what an inner one raised, and answer."""

    async def mend(call, call_next):
        try:
            return await call_next(call)
        except ValueError:
            return ToolResult("mended")

    assert layered(raises, mend).call_sync("add").text == "mended"


def test_an_error_with_slots_is_still_one_result():
    """H5: an exception that takes no attribute fails its call like any other."""

    class Slotted(BaseException):
        __slots__ = ()

        def __setattr__(self, name, value):
            raise AttributeError(name)

    async def fail(call, call_next):
        raise Slotted

    result = layered(fail).call_sync("add")

    assert (result.code, result.by) == ("middleware_failed", "code")


def test_call_next_after_the_end_is_refused():
    """H4: a middleware that kept it finds that its call is over."""
    kept = []

    async def keep(call, call_next):
        kept.append((call, call_next))
        return await call_next(call)

    async def main():
        executor = layered(keep)
        await executor.call("add")
        call, call_next = kept[0]
        with pytest.raises(
            Exception, match="call_next was used after its call had ended"
        ):
            await call_next(call)

    asyncio.run(main())


def test_a_chain_is_built_once_a_tool():
    """H1: tool_middleware is asked once, not at each call; None costs nothing."""
    asked = []

    def contribute(tool):
        asked.append(tool.name)

    board = Pegboard([add], plugins=[named("p", tool_middleware=contribute)])
    for _ in range(3):
        board.call_sync("add")

    assert asked == ["add"]
    assert board.executor.plan("add").layers == ()


@pytest.mark.parametrize("wrong", [7, [7], "text"])
def test_what_is_no_middleware_fails_each_call_of_the_tool(wrong):
    """H5: tool_middleware's mistake is hook_failed, by name, and stays so."""
    board = Pegboard([add], plugins=[named("odd", tool_middleware=lambda tool: wrong)])
    results = [board.call_sync("add") for _ in range(2)]

    assert [(r.code, r.by, r.executed) for r in results] == [
        ("hook_failed", "odd", "no")
    ] * 2


def test_a_chain_that_cannot_be_built_takes_one_tool_down():
    """H5: what tool_middleware raises for one tool harms no other."""

    def contribute(tool):
        if tool.name == "add":
            raise KeyError("x")

    @tool
    async def other() -> str:
        return "other"

    board = Pegboard([add, other], plugins=[named("odd", tool_middleware=contribute)])
    batch = board.run_sync(calls("add", "other"))

    assert codes(batch) == ["hook_failed", "success"]
    assert batch[0].text == (
        "add did not run: plugin 'odd' failed in tool_middleware (KeyError)"
    )


def test_the_call_a_middleware_gets_is_read_only():
    """H4: it says what it wants by what it passes on, not by changing its call."""
    seen = []

    async def meddle(call, call_next):
        for change in (
            lambda: setattr(call, "name", "other"),
            lambda: call.arguments.update(a=9),
            lambda: call.arguments["items"].append(9),
        ):
            with pytest.raises((AttributeError, TypeError), match="read-only"):
                change()
        seen.append(isinstance(call, PreparedCall))
        return await call_next(call)

    @tool
    async def count(items: list[int]) -> int:
        return len(items)

    result = layered(meddle, tools=[count]).call_sync("count", {"items": [1]})

    assert (result.data, seen) == (1, [True])


def test_a_middleware_sees_what_the_body_will_get():
    """A8: repaired and coerced, as the guards saw it."""

    class Look:
        name = "look"

        def __init__(self):
            self.seen = []

        @hookimpl
        def before_tool_call(self, call):
            self.seen.append(call.arguments)

        @hookimpl
        def tool_middleware(self, tool):
            async def look(call, call_next):
                self.seen.append(call.arguments)
                return await call_next(call)

            return look

    plugin = Look()
    result = layered(plugins=[plugin]).call_sync("add", '{"a": "3",}')

    assert plugin.seen == [{"a": 3}, {"a": 3}]
    assert result.data == 3
    assert {repair.path for repair in result.repairs} >= {("a",)}


def test_a_middleware_may_run_the_rest_in_a_task_of_its_own():
    """H4: `call_next` works in a task of the middleware's, with a timeout around it."""

    async def race(call, call_next):
        async with asyncio.timeout(60):
            task = asyncio.create_task(call_next(call))
            await turns(2)
            return await task

    assert layered(race).call_sync("add", {"a": 2}).data == 2
