import asyncio
import logging

import pytest

from pegboard import (
    Abort,
    Approve,
    Block,
    Defer,
    Deny,
    Pegboard,
    Respond,
    SettingsError,
    ToolCall,
    ToolError,
    ToolResult,
    hookimpl,
    tool,
)
from pegboard_audit import Audit, AuditSettings
from pegboard_audit.verification import verify


@tool(read_only=True)
def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


@tool
def fail() -> str:
    """Fail."""
    raise ToolError("no")


@tool(timeout=0.01)
async def sleep() -> None:
    """Sleep for longer than allowed."""
    await asyncio.sleep(60)


@tool
async def wait() -> None:
    """Wait for ever."""
    await asyncio.Event().wait()


class Guard:
    """Decides by the name of the tool."""

    name = "guard"

    @hookimpl
    def before_tool_call(self, call):
        decisions = {
            "blocked": Block("no"),
            "limited": Block("later", code="rate_limited"),
            "deferred": Defer("ask"),
            "answered": Respond(ToolResult("from the cache")),
        }
        if call.name == "broken":
            raise ValueError("broken guard")
        return decisions.get(call.name)


def named(name):
    return tool(lambda: name, name=name)


TOOLS = [add, fail, sleep, wait] + [
    named(name) for name in ("blocked", "limited", "deferred", "answered", "broken")
]


def make_board(log, *plugins, **settings):
    audit = Audit(AuditSettings(path=log))
    return Pegboard(tools=TOOLS, plugins=[audit, *plugins], settings=settings)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (ToolCall("add", '{"a": 1}'), ("success", None, "yes", None)),
        (ToolCall("fail", "{}"), ("error", "tool_failed", "yes", None)),
        (ToolCall("nope", "{}"), ("error", "unknown_tool", "no", None)),
        (ToolCall("add", '{"a":'), ("error", "truncated_arguments", "no", None)),
        (ToolCall("add", "[]"), ("error", "malformed_arguments", "no", None)),
        (ToolCall("add", '{"a": "x"}'), ("error", "invalid_arguments", "no", None)),
        (ToolCall("blocked"), ("blocked", "blocked", "no", "guard")),
        (ToolCall("limited"), ("blocked", "rate_limited", "no", "guard")),
        (ToolCall("deferred"), ("deferred", "approval_required", "no", "guard")),
        (ToolCall("answered"), ("success", None, "no", "guard")),
        (ToolCall("broken"), ("error", "hook_failed", "no", "guard")),
        (ToolCall("sleep"), ("timeout", "timeout", "unknown", None)),
    ],
)
def test_every_call_is_recorded_whatever_became_of_it(log, read_log, call, expected):
    """B6: refused, blocked, deferred and failed calls have their line as well."""
    with make_board(log, Guard()) as board:
        board.run_sync([call])

    [record] = read_log()
    assert record["name"] == call.name
    found = tuple(record[key] for key in ("status", "code", "executed", "by"))
    assert found == expected


def test_cancelled_and_unstarted_calls_are_recorded(log, read_log):
    """B6, B10: a batch that is ended early leaves one line a call."""

    async def run():
        cancel = asyncio.Event()

        @tool
        async def hang() -> None:
            """Wait until cancelled, and let it be so."""
            cancel.set()
            await asyncio.Event().wait()

        plugins = [Audit(AuditSettings(path=log))]
        async with Pegboard([hang], plugins=plugins) as board:
            calls = [ToolCall("hang", id="1"), ToolCall("hang", id="2")]
            await board.run(calls, cancel=cancel, sequential=True)

    asyncio.run(run())

    assert [(r["call"], r["status"], r["code"]) for r in read_log()] == [
        ("1", "cancelled", "cancelled"),
        ("2", "cancelled", "not_started"),
    ]


def test_a_call_that_nobody_waits_for_is_recorded(log, read_log):
    """B10: cancelling the task that awaits the batch still leaves a line a call."""

    async def run():
        started = asyncio.Event()

        @tool
        async def hang() -> None:
            started.set()
            await asyncio.Event().wait()

        async with make_board(log) as board:
            board.add(hang)
            calls = [ToolCall("hang", id="1"), ToolCall("add", id="2")]
            task = asyncio.create_task(board.run(calls))
            await started.wait()
            task.cancel()
            await task

    with pytest.raises(asyncio.CancelledError, match=r"^$"):
        asyncio.run(run())

    assert sorted(record["call"] for record in read_log()) == ["1", "2"]


def test_what_a_person_decided_is_recorded(log, read_log):
    """B13: an approved call is marked, a denied one has its code."""

    async def run():
        async with make_board(log, Guard()) as board:
            calls = [ToolCall("deferred", id="1"), ToolCall("deferred", id="2")]
            batch = await board.run(calls)
            await board.resume(batch, {0: Approve(), 1: Deny("no")})

    asyncio.run(run())

    lines = [(r["call"], r["code"], r.get("approved")) for r in read_log()]
    assert lines == [
        ("1", "approval_required", None),
        ("2", "approval_required", None),
        ("1", None, True),
        ("2", "denied", None),
    ]


def test_both_lines_of_a_resumed_call_have_one_key(log, read_log):
    """V11: a call's idempotency key joins what was deferred and what then ran."""

    async def run():
        async with make_board(log, Guard()) as board:
            batch = await board.run([ToolCall("deferred"), ToolCall("deferred")])
            await board.resume(batch, {0: Approve(), 1: Approve()})

    asyncio.run(run())

    keys = [record["key"] for record in read_log()]
    assert keys[:2] == keys[2:]
    assert len(set(keys)) == 2


def test_identity_repairs_and_metadata_are_the_boards(log, read_log):
    """A record has the tool's identity, what was repaired, and who asked."""
    settings = AuditSettings(path=log, arguments="redacted", metadata=["user"])
    with Pegboard(tools=TOOLS, plugins=[Audit(settings)]) as board:
        board.run_sync([ToolCall("add", '{"a": "3"}')], metadata={"user": "eve"})

    [record] = read_log()
    assert (record["tool"], record["pack"]) == ("code:add", "code")
    assert record["arguments"] == {"a": 3}
    assert [(r["path"], r["before"], r["after"]) for r in record["repairs"]] == [
        (["a"], "3", 3)
    ]
    assert record["metadata"] == {"user": "eve"}


def test_a_dry_run_says_so(log, read_log):
    """B15: a call that was only previewed is recorded as such."""
    with make_board(log) as board:
        board.run_sync([ToolCall("fail")], dry_run=True)

    assert [(r["code"], r["executed"]) for r in read_log()] == [("dry_run", "no")]


def test_a_large_batch_is_one_line_a_call(log, read_log):
    """A batch of a hundred calls, in order, with nothing in between."""
    with make_board(log) as board:
        board.run_sync([ToolCall("add", {"a": n}, id=str(n)) for n in range(100)])

    assert [record["call"] for record in read_log()] == [str(n) for n in range(100)]
    assert verify(log).problems == []


def test_a_required_audit_that_fails_ends_the_batch(log):
    """H5: no audit, no call."""
    log.mkdir()
    ran = []
    touch = tool(lambda: ran.append(1), name="touch")
    audit = Audit(AuditSettings(path=log))
    required = {"required": ["audit"]}
    with Pegboard(tools=[touch], plugins=[audit], settings=required) as board:
        with pytest.raises(Abort, match="required plugin 'audit' failed") as caught:
            board.run_sync([ToolCall("touch"), ToolCall("touch")])

    assert [result.executed for result in caught.value.batch] == ["no", "no"]
    assert ran == []


def test_another_audit_that_fails_is_logged(log, caplog):
    """H5: an audit that nobody requires disturbs no call."""
    log.mkdir()
    with caplog.at_level(logging.WARNING), make_board(log) as board:
        result = board.call_sync("add", {"a": 1})

    assert result.data == 1
    assert "plugin audit failed in on_event" in caplog.text


def test_the_boards_settings_are_the_audits(log, read_log):
    """H3: a class is made with its validated settings."""
    settings = {"plugins": {"audit": {"path": str(log), "arguments": "none"}}}
    with Pegboard(tools=TOOLS, plugins=[Audit], settings=settings) as board:
        board.call_sync("add", {"a": 1})

    assert "arguments_sha256" not in read_log()[0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"pth": "/tmp/a.jsonl"}, "did you mean 'path'"),
        ({"path": "a.jsonl"}, "'plugins.audit.path' should be absolute"),
        ({"keep": "5"}, "'plugins.audit.keep' should be a valid integer"),
    ],
)
def test_a_wrong_setting_names_the_key(values, message):
    """A board says which of the audit's settings is wrong."""
    with pytest.raises(SettingsError, match=message):
        Pegboard(plugins=[Audit], settings={"plugins": {"audit": values}})
