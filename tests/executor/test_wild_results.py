"""Cancellations, results and secrets as they went wrong elsewhere."""

import asyncio
import datetime as dt
import enum
import json
import logging
import threading
import uuid
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import PurePosixPath

import pytest

from pegboard import ImageContent, Pegboard, ToolCall, ToolResult, hookimpl, tool
from pegboard.dialects import openai_chat

from .parts import calls, codes, forever, named

SOON = 0.05


def call(made, arguments=None, **options):
    return Pegboard([made], **options).call_sync(made.name, arguments)


def gives(value):
    async def give():
        return value

    return call(tool(give))


@tool
async def fine() -> str:
    return "fine"


# -- cancellation


def test_a_cancelled_error_inside_a_tool_is_its_own():
    """W192: siblings finish, one result a call."""

    @tool
    async def t() -> str:
        raise asyncio.CancelledError

    batch = Pegboard([t, fine]).run_sync(calls("t", "fine"))

    assert codes(batch) == ["cancelled", "success"]


def test_a_cancelled_caller_is_cancelled():
    """W193: after the bodies were cancelled and awaited; nothing is swallowed."""
    ended = []

    @tool
    async def t() -> str:
        try:
            await forever()
        finally:
            ended.append(True)

    async def main():
        task = asyncio.create_task(Pegboard([t]).run(calls("t")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert ended == [True]


def test_sys_exit_ends_no_process():
    """W194: it is an error result, on the loop and in a thread."""

    @tool
    def t() -> str:
        raise SystemExit(3)

    assert call(t).text == "SystemExit: 3"


def test_a_hung_thread_blocks_nobody():
    """W197, W198: forty timed-out calls, then a quick one; their number can be seen."""
    over = threading.Event()
    tools = [
        tool(lambda: over.wait() and None, name=f"hang{n}", timeout=SOON)
        for n in range(5)
    ]

    @tool
    def quick() -> str:
        return "quick"

    with Pegboard([*tools, quick]) as board:
        batch = board.run_sync(calls(*[f"hang{n}" for n in range(5)] * 8))
        left = board.executor.runners["thread"].left
        assert board.call_sync("quick").text == "quick"
    over.set()

    assert codes(batch) == ["abandoned"] * 40
    assert sum(left.values()) == 40


def test_a_cancelled_call_leaves_what_a_plugin_holds_open():
    """W200: only the request is cancelled; the next call finds the server alive."""

    class Server:
        name = "server"

        def __init__(self):
            self.opened = 0

        @hookimpl
        def lifespan(self, host):
            @asynccontextmanager
            async def hold():
                self.opened += 1
                yield

            return hold()

        @hookimpl
        def register_tools(self, settings):
            @tool
            async def slow() -> str:
                await forever()

            return [slow, fine]

    server = Server()

    async def main():
        async with Pegboard(plugins=[server]) as board:
            task = asyncio.create_task(board.call("slow"))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            return await board.call("fine")

    assert asyncio.run(main()).text == "fine"
    assert server.opened == 1


def test_a_tools_timeout_error_is_no_timeout():
    """W201: it is the tool's, with its text."""

    @tool
    async def t() -> str:
        raise TimeoutError("db")

    result = call(t)

    assert (result.status, result.text) == ("error", "TimeoutError: db")


# -- results


class Kind(enum.Enum):
    A = "a"


def test_rich_values_are_readable_json():
    """W202: ISO times, decimals without rounding, plain ids."""
    id_ = uuid.uuid4()
    value = {
        "at": dt.datetime(2026, 1, 2, 3, 4, 5),
        "sum": Decimal("1.10"),
        "id": id_,
        "kind": Kind.A,
    }
    result = gives(value)

    assert result.data == {
        "at": "2026-01-02T03:04:05",
        "sum": "1.10",
        "id": str(id_),
        "kind": "a",
    }


def test_sets_bytes_and_paths_are_stable():
    """W203: sets in order, bytes as base64, paths as text; no library is needed."""
    value = {"s": {3, 1, 2}, "b": b"\xff", "p": PurePosixPath("a"), "t": (1, 2)}

    assert gives(value).data == {"s": [1, 2, 3], "b": "/w==", "p": "a", "t": [1, 2]}


def test_nan_never_gets_into_json():
    """W205: it is a text, in data and for the model."""
    result = gives({"mean": float("nan"), "top": float("inf")})

    assert result.text == '{"mean":"nan","top":"inf"}'
    json.loads(Pegboard([fine]).run_sync(calls("fine")).to_json())


def test_nothing_is_shown_as_something():
    """W206: None reads "done"; data stays None."""
    result = gives(None)

    assert (result.text, result.data) == ("done", None)


def test_ten_megabytes_are_bounded():
    """W207: head, tail and the true size; whole in data, cut between characters."""
    result = gives("\u00e4" * 11_000_000)

    assert len(result.text.encode()) <= 262_144
    assert "22,000,000 bytes" in result.text
    assert len(result.data) == 11_000_000


def test_binary_content_is_never_text():
    """W208: four megabytes of image are an image."""
    image = ImageContent(bytes(4_000_000), "image/png")

    assert gives(ToolResult([image])).content == (image,)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError(), "ValueError"),
        (KeyError("x"), "KeyError: 'x'"),
        (AssertionError(), "AssertionError"),
    ],
    ids=repr,
)
def test_an_error_always_says_something(error, text):
    """W211: the type at least."""

    @tool
    async def t() -> str:
        raise error

    assert call(t).text == text


def test_the_error_path_does_not_fail():
    """W212: an exception that cannot be shown is a result all the same."""

    class E(Exception):
        def __str__(self):
            raise RuntimeError

    @tool
    async def t() -> str:
        raise E({"a": 1}, 3)

    assert call(t).text.startswith("E")


def test_details_and_tracebacks_stay_out_of_messages():
    """W213: the model reads content; an error is one line."""

    @tool
    async def t(fail: bool = False) -> ToolResult:
        if fail:
            raise ValueError("no")
        return ToolResult("ok", details={"sql": "SELECT secret"})

    batch = Pegboard([t]).run_sync([ToolCall("t"), ToolCall("t", {"fail": True})])
    messages = openai_chat.results(batch)

    assert [message["content"] for message in messages] == ["ok", "ValueError: no"]


# -- security


def test_secrets_are_in_no_log(caplog):
    """W226: neither of arguments, of results, nor of what refused them."""
    caplog.set_level(logging.DEBUG)

    @tool
    async def send(api_key: str, to: str) -> str:
        return f"{api_key} {to}"

    secrets = {"api_key": "sk-test-000", "to": "a@example.test"}
    call(send, secrets)
    refused = call(send, {**secrets, "to": 7, "extra": "sk-test-000"})

    assert refused.code == "invalid_arguments"
    for value in secrets.values():
        assert value not in caplog.text
    assert "sk-test-000" not in repr(refused.error.__context__)


@pytest.mark.parametrize(
    "text",
    ['{"a": ' + '"\\' * 50_000, "```json" * 20_000, "{," * 50_000],
    ids=["escapes", "fences", "commas"],
)
def test_hostile_arguments_stall_nothing(text):
    """W229: linear in their size; the call is refused (the time is the suite's)."""

    @tool
    async def t(a: str = "") -> str:
        return "ran"

    assert call(t, text).executed == "no"


def test_a_guard_reads_what_runs():
    """W230: repaired and validated, the same that the body gets."""
    seen = []

    @tool
    async def t(n: int) -> int:
        return n

    guard = named("g", before_tool_call=lambda call: seen.append(dict(call.arguments)))
    result = call(t, "{n: '3'}", plugins=[guard])

    assert (seen, result.data) == ([{"n": 3}], 3)


def test_a_pack_takes_nothing_over():
    """W231: of two tools of one name each is its owner's; schemas are read-only."""

    def pack(name):
        made = tool(lambda: name, name="read_file")
        return named(name, register_tools=lambda settings: [made])

    board = Pegboard(plugins=[pack("trusted"), pack("evil")])
    offered = {item.name: item.id for item in board.definitions()}

    assert offered == {
        "evil__read_file": "evil:read_file",
        "trusted__read_file": "trusted:read_file",
    }
    assert board.call_sync("read_file").code == "ambiguous_tool"
    with pytest.raises(TypeError, match="read-only"):
        board.definitions()[0].input_schema["properties"] = {}
