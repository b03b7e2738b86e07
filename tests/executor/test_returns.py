"""Results, awaitables and generators that a body may return (V8)."""

import asyncio
import datetime as dt

import pydantic
import pytest

from pegboard import ImageContent, Pegboard, TextContent, ToolResult, tool
from pegboard.events import ToolUpdate

from .parts import calls

IMAGE = ImageContent(b"\x89PNG", "image/png")


def result_of(value, is_async=True):
    """The result of a tool whose body returns a value."""

    async def asynchronous():
        return value

    def synchronous():
        return value

    made = tool(asynchronous if is_async else synchronous, name="give")
    return Pegboard([made]).call_sync("give")


class Reply(pydantic.BaseModel):
    n: int


@pytest.mark.parametrize(
    ("value", "code"),
    [({"n": 1}, "success"), ({"n": "x"}, "invalid_result"), (None, "invalid_result"),
     (ToolResult("x", data={"n": 2}), "success"), (ToolResult("x"), "invalid_result"),
     (ToolResult("x", status="error"), "tool_failed")],
    ids=repr,
)  # fmt: skip
def test_data_must_be_what_was_promised(value, code):
    """V8: data that fails the output schema is invalid_result; the tool has run."""

    @tool
    async def give() -> Reply:
        return value

    result = Pegboard([give]).call_sync("give")

    assert (result.code or result.status) == code
    assert result.executed == "yes"


def test_a_tool_may_return_a_whole_result():
    """V8: content, details, data, terminate are its own; the rest the executor's."""
    given = ToolResult(
        "shown", details={"at": dt.date(2026, 1, 2)}, data={1}, terminate=True, by="me",
        executed="no", duration=99.0,
    )  # fmt: skip
    result = result_of(given)

    assert (result.text, result.details, result.data) == (
        "shown",
        {"at": "2026-01-02"},
        [1],
    )
    assert result.terminate is True
    assert (result.executed, result.by, result.status) == ("yes", None, "success")
    assert result.duration < 99


def test_a_result_without_content_shows_its_data():
    """V8: the model never reads nothing."""
    assert result_of(ToolResult(data={"a": 1})).text == '{"a":1}'
    assert result_of(ToolResult()).text == "done"


@pytest.mark.parametrize(
    "status", ["blocked", "timeout", "cancelled", "deferred", "error"]
)
def test_a_tool_cannot_block_or_defer_itself(status):
    """V8: what is no success of a body's is its error, with what it had to say."""
    result = result_of(ToolResult("my words", status=status, terminate=True))

    assert (result.status, result.code) == ("error", "tool_failed")
    assert (result.text, result.terminate) == ("my words", False)


def test_an_error_of_a_tool_keeps_its_own_code():
    """V7, V8: a code that the table does not have is the tool's own."""
    result = result_of(ToolResult("gone", status="error", code="not_found"))

    assert (result.status, result.code) == ("error", "not_found")


# -- awaitables and generators


async def later(value):
    await asyncio.sleep(0)
    return value


@pytest.mark.parametrize("is_async", [True, False])
def test_an_awaitable_is_awaited(is_async):
    """V8: on the loop, whatever returned it; also one that gives another."""
    assert result_of(later("value"), is_async).text == "value"
    assert result_of(later(later(3)), is_async).data == 3


def test_a_sync_generator_streams_and_returns():
    """V8: each value is an update; its `return` value, else the last, is the result."""

    @tool
    def count(stop: int, say: str = ""):
        yield from range(stop)
        if say:
            return say

    board = Pegboard([count])

    assert board.call_sync("count", {"stop": 3}).data == 2
    assert board.call_sync("count", {"stop": 3, "say": "end"}).text == "end"
    assert board.call_sync("count", {"stop": 0}).text == "done"


@pytest.mark.parametrize("runner", ["inline", "thread"])
def test_a_generator_that_fails_has_failed(runner):
    """V8: what it had said is shown; its exception is the result."""

    @tool(runner=runner)
    def count():
        yield 1
        raise ValueError("two")

    assert Pegboard([count]).call_sync("count").text == "ValueError: two"


def test_an_async_generator_streams():
    """V8: the last value is the result."""

    @tool
    async def count(stop: int):
        for n in range(stop):
            yield n

    board = Pegboard([count])

    assert board.call_sync("count", {"stop": 3}).data == 2
    assert board.call_sync("count", {"stop": 0}).text == "done"


@pytest.mark.parametrize("is_async", [True, False])
def test_a_returned_generator_is_streamed_too(is_async):
    """V8: whatever returns it, a generator never shows up as one."""

    def count():
        yield 1
        yield 2

    async def acount():
        yield 1
        yield 3

    assert result_of(count(), is_async).data == 2
    assert result_of(acount(), is_async).data == 3


def test_generators_show_their_values_at_once():
    """V8, B5: an update for each value, in order, of whatever kind it is."""

    @tool
    async def show():
        yield "one"
        yield {"n": 2}
        yield IMAGE
        yield ToolResult("four")

    async def main():
        return [event async for event in Pegboard([show]).stream(calls("show"))]

    shown = [e.content for e in asyncio.run(main()) if isinstance(e, ToolUpdate)]
    assert shown == [
        (TextContent("one"),),
        (TextContent('{"n":2}'),),
        (IMAGE,),
        (TextContent("four"),),
    ]
