"""One result a call, whatever happens (B1, B7, B8, B14)."""

import asyncio

import pytest

from pegboard import (
    Pegboard,
    Respond,
    ToolCall,
    ToolError,
    ToolResult,
    UsageError,
    tool,
)
from pegboard.results import CODES

from .parts import Recorder, calls, codes, named


@tool
async def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


@tool
def fail() -> str:
    raise ValueError("no such row")


def test_one_result_a_call_in_call_order():
    """B1: good, unknown, unreadable and failing calls each get their own result."""
    board = Pegboard([add, fail])
    batch = board.run_sync(
        [
            ToolCall("add", '{"a": 1}', id="x"),
            ToolCall("nope", "{}", id="y"),
            ToolCall("add", '{"a": ', id="z"),
            ToolCall("fail", "{}", id="w"),
            ToolCall("add", '{"a": "one"}', id="v"),
        ]
    )

    assert [result.call.id for result in batch] == ["x", "y", "z", "w", "v"]
    assert codes(batch) == [
        "success",
        "unknown_tool",
        "truncated_arguments",
        "tool_failed",
        "invalid_arguments",
    ]


def test_an_empty_batch_is_empty():
    """B1, B8: no calls, no results, and no wish to terminate."""
    batch = Pegboard([add]).run_sync([])

    assert len(batch) == 0
    assert batch.terminate is False


def raise_(error):
    raise error


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no"), "ValueError: no"),
        (ValueError(), "ValueError"),
        (KeyError("x"), "KeyError: 'x'"),
        (SystemExit(3), "SystemExit: 3"),
        (StopIteration(7), "StopIteration: 7"),
        (StopAsyncIteration("over"), "StopAsyncIteration: over"),
        (GeneratorExit(), "GeneratorExit"),
        (TimeoutError("db"), "TimeoutError: db"),
        (BaseException("bare"), "BaseException: bare"),
        (RecursionError("deep"), "RecursionError: deep"),
        (
            ExceptionGroup(
                "both", [ValueError("a"), ExceptionGroup("in", [OSError("b")])]
            ),
            "ValueError: a; OSError: b",
        ),
    ],
    ids=repr,
)
def test_any_exception_out_of_a_body_is_its_own_failure(error, text, is_async):
    """B7: whatever a body raises, its call has failed and nobody else's has."""

    async def asynchronous():
        raise_(error)

    def synchronous():
        raise_(error)

    broken = tool(asynchronous if is_async else synchronous, name="broken")
    batch = Pegboard([broken, add]).run_sync(
        [ToolCall("broken"), ToolCall("add", {"a": 1})]
    )

    assert (batch[0].code, batch[0].executed) == ("tool_failed", "yes")
    assert batch[0].text == text
    assert batch[1].data == 1


def test_the_leaves_of_a_group_are_bounded():
    """B7: of very many leaves the first eight are shown, and how many there are."""

    @tool
    async def many() -> str:
        raise ExceptionGroup("all", [ValueError(str(n)) for n in range(20)])

    result = Pegboard([many]).call_sync("many")

    assert result.text.count("ValueError") == 8
    assert result.text.endswith("and 12 more")


def test_the_message_of_an_exception_is_bounded():
    """B7: a model reads the head and the tail of a very long message."""

    @tool
    async def wordy() -> str:
        raise ValueError("x" * 1_000_000)

    result = Pegboard([wordy]).call_sync("wordy")

    assert len(result.text) <= 2_000
    assert "1,000,012 bytes" in result.text


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, None])
def test_a_broken_message_does_no_harm(error):
    """B7: an exception whose `__str__` fails, or gives no text, is still one result."""

    class Broken(Exception):
        def __str__(self):
            if error:
                raise error
            return {"no": "text"}

    @tool
    async def broken() -> str:
        raise Broken({"a": 1}, 3)

    result = Pegboard([broken]).call_sync("broken")

    assert result.code == "tool_failed"
    assert result.text == "Broken (its message cannot be shown)"


def test_error_detail_type_keeps_messages_from_the_model():
    """B7: with error_detail = "type" the model reads the exception's type alone."""
    result = Pegboard([fail], settings={"error_detail": "type"}).call_sync("fail")

    assert result.text == "ValueError"
    assert str(result.error) == "no such row"


def test_a_cancelled_error_that_nobody_asked_for_is_cancelled():
    """B7: a body that raises CancelledError ends its own call and no sibling."""

    @tool
    async def lost() -> str:
        raise asyncio.CancelledError

    batch = Pegboard([lost, add]).run_sync(
        [ToolCall("lost"), ToolCall("add", {"a": 1})]
    )

    assert codes(batch) == ["cancelled", "success"]
    assert batch[0].executed == "unknown"


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_body_that_cancels_its_task_ends_alone(count):
    """B1, B7: in a batch a body that cancels the task it runs in harms nobody."""

    @tool
    async def suicidal(suspend: bool) -> str:
        asyncio.current_task().cancel()
        if suspend:
            await asyncio.sleep(0)
        return "still here"

    sent = [ToolCall("suicidal", {"suspend": n % 2 == 0}) for n in range(count)]
    batch = Pegboard([suicidal, add]).run_sync([*sent, ToolCall("add", {"a": 1})])

    assert batch[0].code == "cancelled"
    assert batch[-1].data == 1


@pytest.mark.parametrize("is_batch", [True, False])
@pytest.mark.parametrize("is_async", [True, False])
def test_keyboard_interrupt_passes(is_async, is_batch):
    """B7: KeyboardInterrupt is no failure of a tool: it leaves, and every call ends."""

    async def asynchronous():
        raise KeyboardInterrupt

    def synchronous():
        raise KeyboardInterrupt

    recorder = Recorder()
    stop = tool(asynchronous if is_async else synchronous, name="stop")
    board = Pegboard([stop], plugins=[recorder])
    sent = calls("stop", "stop") if is_batch else calls("stop")

    async def main():
        if is_batch:
            await board.run(sent)
        else:
            await board.call("stop", id="c0")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())

    assert sorted(recorder.ends) == [call.id for call in sent]


def test_what_a_tool_says_reaches_the_model():
    """B7: a ToolError's message is the text; its code and details are kept."""

    @tool
    async def find() -> str:
        raise ToolError("No such file.", code="not_found", details={"tried": ["a"]})

    result = Pegboard([find]).call_sync("find")

    assert (result.status, result.code, result.executed) == (
        "error",
        "not_found",
        "yes",
    )
    assert result.text == "No such file."
    assert result.details == {"tried": ["a"]}
    assert isinstance(result.error, ToolError)


@pytest.mark.parametrize("code", [*CODES, "", None])
def test_a_body_cannot_say_that_it_did_not_run(code):
    """V7: codes of calls that did not run, or may not have, are the executor's own."""

    @tool
    async def liar() -> str:
        raise ToolError("no", code=code)

    result = Pegboard([liar]).call_sync("liar")

    assert (result.status, result.executed) == ("error", "yes")
    assert CODES[result.code] == ("error", "yes")


def test_terminate_needs_every_result():
    """B8: the batch terminates only when each of its results asks for it."""

    @tool
    async def done() -> ToolResult:
        return ToolResult("bye", terminate=True)

    board = Pegboard([done, add])
    alone = board.run_sync(calls("done", "done"))
    mixed = board.run_sync([ToolCall("done"), ToolCall("add", {"a": 1})])
    failed = board.run_sync([ToolCall("done"), ToolCall("nope")])

    assert (alone.terminate, mixed.terminate, failed.terminate) == (True, False, False)


def test_missing_ids_are_made_up():
    """B14: a call without an id gets one of its own, not made of its name."""
    batch = Pegboard([add]).run_sync([ToolCall("add", {"a": n}) for n in range(3)])
    ids = [result.call.id for result in batch]

    assert len(set(ids)) == 3
    assert all(ids)
    assert not any("add" in id_ for id_ in ids)


def test_equal_calls_both_run():
    """B14: two calls of one id and the same arguments both run, in their places."""
    board = Pegboard([add])
    batch = board.run_sync(
        [ToolCall("add", {"a": n}, id="same") for n in (1, 2)]
        + [ToolCall("add", {"a": 2}, id="same")]
    )

    assert [result.data for result in batch] == [1, 2, 2]
    assert [result.call.id for result in batch] == ["same"] * 3


def test_a_truncated_call_is_not_run():
    """B14: the model hit its limit, so even arguments that parse are sent back."""
    batch = Pegboard([add]).run_sync([ToolCall("add", '{"a": 1}', truncated=True)])

    assert batch[0].code == "truncated_arguments"
    assert "again in full" in batch[0].text


def test_the_host_passes_calls():
    """V9: what is no ToolCall is the host's mistake, said before anything runs."""
    with pytest.raises(UsageError, match=r"a batch takes ToolCalls, not 'dict'"):
        Pegboard([add]).run_sync([{"name": "add"}])
    with pytest.raises(UsageError, match="put this one into a list"):
        Pegboard([add]).run_sync(ToolCall("add"))


def test_a_tool_cannot_answer_for_another_call():
    """B1: whose result it is the executor says, whatever the body claims."""

    @tool
    async def impostor() -> ToolResult:
        return ToolResult("ok", call=ToolCall("other", id="theirs"))

    result = Pegboard([impostor]).call_sync("impostor", id="mine")

    assert (result.call.id, result.call.name) == ("mine", "impostor")


def test_a_plugin_cannot_answer_for_another_call():
    """B1: nor can a guard, a middleware or a rewriter."""
    theirs = ToolResult("ok", call=ToolCall("other", id="theirs"))

    async def answer(call, call_next):
        return theirs

    for plugin in (
        named("guard", before_tool_call=lambda call: Respond(theirs)),
        named("layer", tool_middleware=lambda tool: answer),
        named("rewriter", after_tool_call=lambda call, result: theirs),
    ):
        result = Pegboard([add], plugins=[plugin]).call_sync("add", {"a": 1}, id="mine")

        assert result.call.id == "mine"
        assert result.text == "ok"
