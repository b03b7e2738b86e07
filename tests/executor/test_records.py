"""What is kept of a call: JSON both ways (V6), codes (V7), log records (B18)."""

import asyncio
import json
import logging
import re
from pathlib import Path

from pegboard import (
    Block,
    Defer,
    ImageContent,
    Pegboard,
    Retry,
    TextContent,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    middleware,
    tool,
)
from pegboard.batches import BatchResult
from pegboard.results import CODES

from .parts import calls, forever, named

SOON = 0.05
PAGE = Path(__file__).resolve().parents[2] / "docs" / "executor.md"


@tool(timeout=SOON)
async def hang() -> str:
    await forever()


@tool(timeout=SOON)
async def stubborn() -> str:
    while True:
        try:
            await forever()
        except asyncio.CancelledError:
            continue


@tool
async def show(n: int = 1) -> ToolResult:
    content = [TextContent("text"), ImageContent(b"\x00", "image/png")]
    return ToolResult(content, data={"n": n, "big": 2**70}, details=[1])


@tool
async def fail() -> str:
    raise ToolError("no", code="not_found", details={"x": 1})


@tool
async def promise() -> int:
    return "no number"


@tool
async def lost() -> str:
    raise asyncio.CancelledError


async def broken(call, call_next):
    raise ValueError


def decide(call):
    return {
        "block": Block("no"),
        "deny": Block("no", code="denied"),
        "rate": Block("no", code="rate_limited"),
        "defer": Defer("ask"),
        "guard": "nonsense",
    }.get(call.id)


def one_of_each():
    """A batch that holds a result of nearly every code."""
    guard = named(
        "guard",
        before_tool_call=decide,
        tool_middleware=lambda tool: broken if tool.name == "lost_in_layers" else None,
    )
    tools = [hang, stubborn, show, fail, promise, lost]
    tools.append(tool(show.execute, name="lost_in_layers"))
    board = Pegboard(tools, plugins=[guard], settings={"grace": SOON, "timeout": SOON})
    sent = [
        ToolCall("show", {"n": "2"}, id="fine"),
        ToolCall("nope"),
        ToolCall("show", '{"n": 1, "n": 2}'),
        ToolCall("show", '{"n": '),
        ToolCall("show", '{"n": "x"}'),
        *(
            ToolCall("show", id=id_)
            for id_ in ("block", "deny", "rate", "defer", "guard")
        ),
        *calls("hang", "stubborn", "fail", "promise", "lost", "lost_in_layers"),
        ToolCall("show"),
    ]
    return board.run_sync(sent, max_calls=len(sent) - 1)


def test_a_batch_of_everything_goes_through_json():
    """V6: nothing but the exception is lost, and that is never written."""
    batch = one_of_each()
    text = batch.to_json()
    again = BatchResult.from_json(text)

    assert text.isascii()
    assert again.results == batch.results
    assert again.pending == batch.pending
    assert again.id == batch.id
    assert again.to_json() == text
    assert all("error" not in result for result in json.loads(text)["results"])
    assert all(result.error is None for result in again)


def test_every_result_keeps_the_table():
    """V7: a result's code says what its status is, and whether the body ran."""
    for result in one_of_each():
        if result.code in CODES:
            assert (result.status, result.executed) == CODES[result.code], result
        else:
            assert result.status in ("success", "error")
            assert result.executed == "yes"


def test_the_table_of_the_docs_is_the_table():
    """V7: docs/executor.md has each code with its status and executed."""
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", text, re.MULTILINE)

    assert {code: (status, executed) for code, status, executed in rows} == dict(CODES)


def test_repairs_times_and_arguments_are_kept():
    """V6: what was changed, when it began, how long it took, what was sent."""
    batch = one_of_each()
    result = batch[0]

    assert [(r.path, r.before, r.after) for r in result.repairs] == [(("n",), "2", 2)]
    assert result.started.tzinfo is not None
    assert 0 <= result.duration < 60
    assert result.call.arguments == {"n": "2"}


def test_exceptions_carry_no_arguments():
    """B18, W226: what refused them is not chained to something that quotes them."""

    @tool
    async def pay(card: int) -> str:
        return "paid"

    for arguments in ({"card": "4111-secret"}, '{"card": "4111-secret", "x": 1}'):
        error = Pegboard([pay]).call_sync("pay", arguments).error
        assert error.__cause__ is None
        assert error.__context__ is None
        assert error.__traceback__ is None


SECRETS = {"api_key": "sk-test-000", "to": "a@example.test"}


@tool(idempotent=True, retry=Retry(attempts=2, wait=0))
async def send(api_key: str, to: str, context: ToolContext, how: str = "") -> str:
    context.update(f"{api_key} {to}")
    if how == "fail":
        raise OSError(api_key)
    if how == "exit":
        raise SystemExit(to)
    return f"{api_key} {to}"


def test_log_records_hold_no_values(caplog):
    """B18: whatever happens, Pegboard logs names, codes, sizes and durations."""
    caplog.set_level(logging.DEBUG)

    def act(call, *result):
        if call.metadata["act"]:
            raise ValueError(str(dict(call.arguments)))

    async def layer(call, call_next):
        await call_next(call)
        raise ValueError(str(dict(call.arguments)))

    def observe(event):
        raise ValueError(repr(getattr(event, "call", None) and event.call.arguments))

    plugins = [
        named("a", before_tool_call=act, on_event=observe),
        named("b", after_tool_call=act, prepare_arguments=act),
    ]
    board = Pegboard([send], plugins=plugins, middlewares=[middleware.logging()])
    odd = Pegboard([send], middlewares=[layer])
    for how in ("", "fail", "exit"):
        for act_ in (True, False):
            sent = [ToolCall("send", {**SECRETS, "how": how})]
            board.run_sync(sent, metadata={"act": act_})
    board.run_sync([ToolCall("send", {**SECRETS, "extra": 1})], metadata={"act": False})
    odd.call_sync("send", SECRETS)

    said = caplog.text + "".join(record.getMessage() for record in caplog.records)
    assert "plugin b failed in prepare_arguments: ValueError" in said
    assert "plugin a failed in on_event: ValueError" in said
    assert "send success in" in said
    for value in SECRETS.values():
        assert value not in said
