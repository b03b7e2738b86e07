"""Bodies that are tried again (B9)."""

import asyncio

import pytest

from pegboard import (
    Pegboard,
    Retry,
    Tool,
    ToolAnnotations,
    ToolContext,
    ToolError,
    tool,
)

SOON = 0.05
SAFE = ToolAnnotations(idempotent=True)
TWICE = Retry(attempts=3, wait=0)
ON_VALUE = Retry(attempts=2, wait=0, on=(ValueError,))


def flaky(error, *, failures=1, retry=TWICE, **options):
    """A tool that fails so often with an error, then says how often it was tried."""
    tries = []

    @tool(retry=retry, **options)
    async def work() -> int:
        tries.append(1)
        if len(tries) <= failures:
            raise error
        return len(tries)

    return work, tries


@pytest.mark.parametrize("hint", ["idempotent", "read_only"])
def test_a_safe_tool_is_tried_again(hint):
    """B9: an idempotent or read-only tool is, after the errors its policy names."""
    work, tries = flaky(OSError("net"), failures=2, **{hint: True})
    result = Pegboard([work]).call_sync("work")

    assert (result.status, result.data, len(tries)) == ("success", 3, 3)


def test_the_last_error_is_the_result():
    """B9: after the last attempt the model reads what that one said."""
    work, tries = flaky(OSError("net"), failures=9, idempotent=True)
    result = Pegboard([work]).call_sync("work")

    assert (result.code, result.text) == ("tool_failed", "OSError: net")
    assert len(tries) == 3


@pytest.mark.parametrize(
    ("error", "options", "tried"),
    [
        (OSError("net"), {}, 1),
        (ValueError("mine"), {"idempotent": True}, 1),
        (
            ValueError("mine"),
            {"idempotent": True, "retry": Retry(2, 0, on=(ValueError,))},
            2,
        ),
        (ToolError("no such city"), {"idempotent": True}, 1),
        (ToolError("busy", retryable=True), {}, 2),
        (ToolError("busy", retryable=True), {"retry": None}, 1),
        (SystemExit(1), {"idempotent": True}, 1),
    ],
    ids=[
        "not safe",
        "not named",
        "named",
        "a final answer",
        "retryable",
        "no policy",
        "no Exception",
    ],
)
def test_only_what_is_worth_it_is_tried_again(error, options, tried):
    """B9: it needs a policy, and a safe tool with an error it names, or `retryable`."""
    work, tries = flaky(error, **options)
    Pegboard([work]).call_sync("work")

    assert len(tries) == tried


def test_settings_can_change_a_policy():
    """B9: `[tool.pegboard.tools.NAME.retry]` overrides single parts of it."""
    work, tries = flaky(OSError("net"), failures=9, idempotent=True)
    board = Pegboard([work], settings={"tools": {"work": {"retry": {"attempts": 5}}}})
    board.call_sync("work")

    assert len(tries) == 5


def test_no_retry_follows_a_timeout():
    """B9: the deadline ends the last attempt, and none follows."""
    tries = []

    @tool(idempotent=True, timeout=SOON, retry=TWICE)
    async def hang() -> str:
        tries.append(1)
        await asyncio.get_running_loop().create_future()

    result = Pegboard([hang]).call_sync("hang")

    assert result.code == "timeout"
    assert len(tries) == 1


def test_attempts_share_the_deadline():
    """B9: a further attempt has the time that is left, not the whole once more."""
    left = []

    @tool(idempotent=True, timeout=60, retry=TWICE)
    async def work(context: ToolContext) -> str:
        left.append(context.deadline)
        await asyncio.sleep(0.01)
        raise OSError

    Pegboard([work]).call_sync("work")

    assert 60 >= left[0] > left[1] > left[2]


def test_each_attempt_gets_the_arguments_as_they_were():
    """B9, A8: what one attempt did to its copy the next one does not see."""
    seen = []

    @tool(idempotent=True, retry=TWICE)
    def spoil(items: list[int], more: dict[str, list[int]]) -> int:
        seen.append((list(items), {k: list(v) for k, v in more.items()}))
        items.clear()
        more["a"].append(9)
        if len(seen) < 3:
            raise OSError
        return len(seen)

    Pegboard([spoil]).call_sync("spoil", {"items": [1, 2], "more": {"a": [1]}})

    assert seen == [([1, 2], {"a": [1]})] * 3


def test_a_dict_body_gets_the_arguments_as_they_were():
    """B9, A8: so does a body that takes the whole dict, though nobody else looks."""
    seen = []

    def spoil(arguments):
        seen.append(dict(arguments))
        arguments.clear()
        if len(seen) < 2:
            raise OSError
        return "done"

    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    made = Tool.from_schema("spoil", "", schema, spoil, retry=TWICE, annotations=SAFE)
    Pegboard([made]).call_sync("spoil", {"a": 1})

    assert seen == [{"a": 1}, {"a": 1}]


def test_attempts_are_numbered_under_one_key():
    """V11: the context says which attempt it is; the idempotency key is the same."""
    seen = []

    @tool(idempotent=True, retry=TWICE)
    async def work(context: ToolContext) -> int:
        seen.append((context.attempt, context.idempotency_key))
        raise OSError

    Pegboard([work]).call_sync("work")

    assert [attempt for attempt, _ in seen] == [1, 2, 3]
    assert len({key for _, key in seen}) == 1
    assert seen[0][1]


def test_sync_bodies_are_tried_again_too():
    """B9: each attempt of a sync body runs in a thread, as the first did."""
    tries = []

    @tool(read_only=True, retry=TWICE)
    def work() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError
        return len(tries)

    assert Pegboard([work]).call_sync("work").data == 3
