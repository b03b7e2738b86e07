"""Values that the model never sees (V4)."""

from typing import Annotated

import pytest

from pegboard import (
    FileContent,
    Injected,
    Pegboard,
    ResourceLink,
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    schemas,
    tool,
)

from .parts import Watcher, calls, named

SECRET = 'sk-"quoted"\\é'
Key = Annotated[str, Injected("KEY")]


def keys(value=SECRET):
    """A plugin that gives the hidden value."""
    return named("keys", inject=lambda tool, name: value if name == "KEY" else None)


@tool
async def use(n: int, context: ToolContext, key: Key) -> str:
    return f"{n}: {len(key)}"


def test_hidden_parameters_are_filled_in_and_never_shown():
    """V4: neither the context nor an injected value is in the schema."""
    board = Pegboard([use], plugins=[keys()])
    (definition,) = board.definitions()

    assert set(definition.input_schema["properties"]) == {"n"}
    assert board.call_sync("use", {"n": 1}).text == f"1: {len(SECRET)}"


@pytest.mark.parametrize("name", ["key", "context"])
def test_a_model_cannot_set_them(name):
    """V4: an argument of that name is refused, and the value given stays."""
    result = Pegboard([use], plugins=[keys()]).call_sync("use", {"n": 1, name: "mine"})

    assert result.code == "invalid_arguments"
    assert name in result.text


@pytest.mark.parametrize("name", ["key", "context"])
def test_a_model_cannot_set_them_in_an_open_schema_either(name):
    """V4: `**kwargs` takes any argument but those."""

    @tool
    async def open_(context: ToolContext, key: Key, **more: str) -> str:
        return f"{type(context).__name__} {len(key)} {sorted(more)}"

    board = Pegboard([open_], plugins=[keys()])

    assert board.call_sync("open_", {name: "mine"}).code == "invalid_arguments"
    fine = board.call_sync("open_", {"other": "x"})
    assert fine.text == f"ToolContext {len(SECRET)} ['other']"


def test_a_schema_by_hand_hides_them_too():
    """V3, V4: beside the one parameter that takes the arguments."""

    def work(arguments, context: ToolContext, key: Key):
        return f"{arguments} {context.tool.name} {len(key)}"

    schema = schemas.object({"a": schemas.integer()})
    made = Tool.from_schema("work", "Works.", schema, work)
    result = Pegboard([made], plugins=[keys("abc")]).call_sync("work", {"a": 1})

    assert result.text == "{'a': 1} work 3"


def test_what_nobody_granted_makes_the_tool_unavailable():
    """V4: the model reads what is missing, not a failure of the tool."""
    result = Pegboard([use]).call_sync("use", {"n": 1})

    assert (result.code, result.executed) == ("tool_unavailable", "no")
    assert result.text == "use is unavailable: it needs 'KEY', which nobody has granted"


def test_a_default_makes_it_optional():
    """V4: a parameter with a default keeps it where nobody gives a value."""

    @tool
    async def lookup(key: Key = "none") -> str:
        return key

    assert Pegboard([lookup]).call_sync("lookup").text == "none"
    assert Pegboard([lookup], secrets={"KEY": "abc"}).call_sync("lookup").text == "***"


def test_a_hook_comes_before_what_settings_grant():
    """V4: the first hook that has it, outside in; else the granted place."""

    @tool
    async def length(key: Key) -> int:
        return len(key)

    inner, outer = keys("12"), keys("123")
    inner.__class__.name, outer.__class__.name = "a", "b"
    granted = {"KEY": "1"}

    def found(*plugins):
        board = Pegboard([length], plugins=plugins, secrets=granted)
        return board.call_sync("length").data

    assert (found(), found(inner), found(inner, outer)) == (1, 2, 3)


def say(how):
    """A tool that says its secret in some way."""

    async def content(key: Key):
        return f"the key is {key}, yes {key}"

    async def data(key: Key):
        return {"key": [key], key: 1}

    async def blocks(key: Key):
        return [
            FileContent(key.encode(), "text/plain", name=key),
            ResourceLink(f"https://e.test/{key}"),
        ]

    async def result(key: Key):
        return ToolResult(key, details={"k": key}, data=key)

    async def error(key: Key):
        raise ValueError(f"cannot use {key}")

    async def long_error(key: Key):
        raise ValueError("x" * (1_000 - len(key) // 2) + key + "y" * 5_000)

    async def tool_error(key: Key):
        raise ToolError(key, details={"k": [key]})

    async def group(key: Key):
        raise ExceptionGroup("", [KeyError(key), OSError(key)])

    async def broken(key: Key) -> int:
        return key

    return tool(locals()[how], name="say")


def is_in(secret, value):
    """Whether a secret occurs anywhere in a JSON value, whole or in good part."""
    if isinstance(value, dict):
        return any(is_in(secret, item) for pair in value.items() for item in pair)
    if isinstance(value, (list, tuple)):
        return any(is_in(secret, item) for item in value)
    return secret[:8] in str(value)


HOWS = "content data blocks result error long_error tool_error group broken".split()


@pytest.mark.parametrize("how", HOWS)
def test_a_secret_in_a_result_becomes_stars(how):
    """V4: in content, details, data and error text; a cut leaves no part of it."""
    watcher = Watcher()
    secret = "sk-test-0123456789"
    board = Pegboard([say(how)], plugins=[keys(secret), watcher])
    batch = board.run_sync(calls("say"))

    assert not is_in(secret, batch[0].to_dict())
    assert secret not in repr(batch[0])
    assert not any(is_in(secret, repr(event)) for event in watcher.events)
    if how != "blocks" and how != "long_error":
        assert "***" in str(batch[0].to_dict())


def test_a_secret_is_found_as_json_writes_it():
    """V4: quotes and escapes in a value do not save it from the stars."""

    @tool
    async def say(key: Key) -> dict[str, str]:
        return {"k": key}

    result = Pegboard([say], plugins=[keys(SECRET)]).call_sync("say")

    assert result.text == '{"k":"***"}'
    assert result.data == {"k": "***"}


@pytest.mark.parametrize("is_async", [True, False])
def test_a_secret_in_an_update_becomes_stars(is_async):
    """V4, B5: what a body shows on the way is treated as its result is."""

    async def asynchronous(key: Key, context: ToolContext):
        context.update(key, details={"k": key})

    def synchronous(key: Key, context: ToolContext):
        context.update(key, details={"k": key})

    watcher = Watcher()
    made = tool(asynchronous if is_async else synchronous, name="say")
    Pegboard([made], plugins=[keys("abc123"), watcher]).call_sync("say")

    assert watcher.texts() == ["***"]
    assert "abc123" not in repr(watcher.events)


def test_the_longest_secret_is_taken_out_first():
    """V4: one value may be a part of another."""

    @tool
    async def say(a: Annotated[str, Injected("A")], b: Annotated[str, Injected("B")]):
        return f"{a} {b}"

    board = Pegboard([say], secrets={"A": "abc", "B": "abcdef"})

    assert board.call_sync("say").text == "*** ***"


def test_an_empty_value_hides_nothing():
    """V4: an empty text is in every text."""

    @tool
    async def say(key: Key) -> str:
        return f"[{key}]"

    assert Pegboard([say], secrets={"KEY": ""}).call_sync("say").text == "[]"


def test_hooks_and_middlewares_never_see_them():
    """V4: what others get of the call are the model's arguments."""
    seen = []

    async def look(call, call_next):
        seen.append(repr(call) + repr(call.arguments))
        return await call_next(call)

    def before(call):
        seen.append(repr(call) + repr(call.arguments))

    def after(call, result):
        seen.append(repr(call) + repr(call.arguments) + repr(result))

    plugin = named(
        "look",
        before_tool_call=before,
        after_tool_call=after,
        tool_middleware=lambda tool: look,
    )
    Pegboard([use], plugins=[keys("abc123"), plugin]).call_sync("use", {"n": 1})

    assert len(seen) == 3
    assert "abc123" not in "".join(seen)
