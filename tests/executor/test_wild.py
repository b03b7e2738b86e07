"""What real models, tools and plugins did to executors, and what becomes of it here."""

import asyncio
import functools
import json
import threading

import pytest

from pegboard import (
    Block,
    Pegboard,
    ToolCall,
    ToolContext,
    ToolResult,
    UsageError,
    tool,
)
from pegboard.dialects import openai_chat

from .parts import Recorder, calls, codes, named, turns

SOON = 0.05


def call(made, arguments=None, **options):
    return Pegboard([made], **options).call_sync(made.name, arguments)


# -- execution


def test_unreadable_arguments_are_not_replaced_by_none_at_all():
    """W167: the tool is not run; the text is about the JSON, not a missing field."""
    ran = []

    @tool
    def delete_rows(where: str = "") -> str:
        ran.append(where)

    result = call(delete_rows, '{"where": "id=1')

    assert result.code == "truncated_arguments"
    assert "JSON" in result.text
    assert ran == []


def test_results_and_hooks_are_in_source_order():
    """W170: whatever body is first, results and after hooks are in call order."""
    recorder = Recorder()

    @tool
    async def wait(n: int) -> int:
        await turns(n)
        return n

    board = Pegboard([wait], plugins=[recorder])
    sent = [ToolCall("wait", {"n": n}, id=str(n)) for n in (30, 10, 20)]
    batch = board.run_sync(sent)

    assert [result.data for result in batch] == [30, 10, 20]
    assert [id_ for _, id_ in recorder.of("before")] == ["30", "10", "20"]
    assert [id_ for _, id_ in recorder.of("after")] == ["30", "10", "20"]


def test_one_sequential_tool_makes_the_batch_sequential():
    """W171: parallel_a, sequential_b, parallel_c run one by one."""
    running, most = [], []

    def make(name, execution):
        async def body():
            running.append(name)
            most.append(len(running))
            await turns(3)
            running.remove(name)

        return tool(body, name=name, execution=execution)

    tools = [make("a", "parallel"), make("b", "sequential"), make("c", "parallel")]
    Pegboard(tools).run_sync(calls("a", "b", "c"))

    assert max(most) == 1


def test_one_of_several_terminates_nothing():
    """W172: only if all results say so; an error does not."""

    @tool
    async def end(fail: bool = False) -> ToolResult:
        return ToolResult("x", terminate=True, status="error" if fail else None)

    board = Pegboard([end])

    ends, fails = ToolCall("end"), ToolCall("end", {"fail": True})

    assert board.run_sync([ends, ends]).terminate is True
    assert board.run_sync([ends, fails]).terminate is False


@pytest.mark.parametrize("id_", ["", None])
def test_a_missing_id_is_made_up(id_):
    """W174: unique, on the result, and not derived from the name."""

    @tool
    async def f() -> str:
        return "f"

    batch = Pegboard([f]).run_sync([ToolCall("f", "{}", id=id_) for _ in range(2)])

    assert len({result.call.id for result in batch}) == 2
    assert all(result.call.id for result in batch)


def test_every_call_is_answered():
    """W175: the provider's next request has an answer to each call."""

    @tool
    async def good() -> str:
        return "good"

    sent = [
        ToolCall("good", "{}", id="a"),
        ToolCall("good", "{bad", id="b"),
        ToolCall("nope", "{}", id="c"),
    ]
    messages = openai_chat.results(Pegboard([good]).run_sync(sent))

    assert [message["tool_call_id"] for message in messages] == ["a", "b", "c"]


def test_a_result_for_another_call_is_this_calls():
    """W176: the executor sets the call itself."""

    @tool
    async def f() -> ToolResult:
        return ToolResult("x", call=ToolCall("other", id="other"))

    assert call(f).call.name == "f"


def test_identical_calls_both_run():
    """W177: not to run one of them is a policy, and none is built in."""
    ran = []

    @tool
    async def f(x: int) -> int:
        ran.append(x)
        return x

    batch = Pegboard([f]).run_sync([ToolCall("f", {"x": 1}, id=i) for i in "ab"])

    assert [result.data for result in batch] == [1, 1]
    assert ran == [1, 1]


def test_blocking_bodies_leave_the_loop_alone():
    """W178: a heartbeat ticks while three of them block, all at once."""
    together = threading.Barrier(4)

    @tool
    def slow() -> str:
        together.wait(10)
        return "slow"

    async def main():
        board = Pegboard([slow])
        task = asyncio.create_task(board.run(calls("slow", "slow", "slow")))
        beats = 0
        while together.n_waiting < 3:
            beats += 1
            await asyncio.sleep(0)
        together.wait(10)
        return beats, await task

    beats, batch = asyncio.run(main())

    assert beats > 0
    assert codes(batch) == ["success"] * 3


def test_a_tool_may_ask_for_the_loops_own_thread():
    """W179: runner="inline" for libraries that are bound to a thread."""

    @tool(runner="inline")
    def com_tool() -> str:
        return threading.current_thread().name

    async def main():
        return await Pegboard([com_tool]).call("com_tool")

    assert asyncio.run(main()).text == threading.current_thread().name


class Callable:
    """Adds."""

    def __call__(self, a: int) -> int:
        return a + 1


async def coroutine_of(value):
    return value


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (tool(lambda: coroutine_of(7), name="f"), 7),
        (tool(functools.partial(lambda a, b: a + b, 3, 4), name="f"), 7),
        (tool(lambda: (n for n in (1, 7)), name="f"), 7),
    ],
    ids=["a sync function of an awaitable", "a partial", "a generator"],
)
def test_whatever_can_be_called_is_a_tool(made, expected):
    """W181: awaitables are awaited, generators consumed; none is shown as an object."""
    assert call(made).data == expected


def test_a_callable_object_is_a_tool():
    """W181: so is an object with `__call__`."""
    assert call(tool(Callable(), name="inc"), {"a": 6}).data == 7


def test_a_guard_that_raises_blocks():
    """W182: fail closed, by name; an observer that raises does not block."""

    @tool
    async def f() -> str:
        return "ran"

    def down(call):
        raise RuntimeError("policy db down")

    def noisy(event):
        raise RuntimeError("disk full")

    guarded = call(f, plugins=[named("policy", before_tool_call=down)])
    watched = call(f, plugins=[named("logger", on_event=noisy)])

    assert (guarded.code, guarded.by) == ("hook_failed", "policy")
    assert watched.text == "ran"


def test_a_middleware_that_forgets_its_result_has_failed():
    """W184: silence is never a success."""

    async def swallow(call, call_next):
        try:
            await call_next(call)
        except Exception:
            pass

    @tool
    async def f() -> str:
        return "f"

    result = call(f, plugins=[named("mw", tool_middleware=lambda tool: swallow)])

    assert (result.code, result.by) == ("middleware_failed", "mw")


def test_a_middleware_may_retry():
    """W185: a second run of the body is allowed; there is one result."""
    ran = []

    async def again(call, call_next):
        first = await call_next(call)
        return await call_next(call) if first.is_error else first

    @tool
    async def f() -> int:
        ran.append(1)
        if len(ran) == 1:
            raise OSError
        return len(ran)

    assert call(f, middlewares=[again]).data == 2


def test_a_guard_may_stop_a_loop_of_failures():
    """W187: a policy of ten lines refuses the next try; the run itself goes on."""

    class Patience:
        name = "patience"

        def __init__(self):
            self.failures = {}

        def before(self, call):
            known = self.failures.get(call.name, [])
            if len(known) > 2:
                return Block(f"it failed {len(known)} times: {known[-1]}")

        def event(self, event):
            if type(event).__name__ == "ToolEnd":
                known = self.failures.setdefault(event.call.name, [])
                if event.result.code == "tool_failed":
                    known.append(event.result.text)
                elif event.result.status == "success":
                    known.clear()

    policy = Patience()

    @tool
    async def f(x: int) -> str:
        raise ValueError("no such row")

    def before(call):
        return policy.before(call)

    def look(event):
        policy.event(event)

    plugin = named("patience", before_tool_call=before, on_event=look)
    board = Pegboard([f], plugins=[plugin])
    results = [board.call_sync("f", {"x": n}) for n in range(5)]

    assert [r.code for r in results] == ["tool_failed"] * 3 + ["blocked"] * 2
    assert "ValueError: no such row" in results[4].text


def test_what_ran_and_what_was_sent_are_both_kept():
    """W188: an adapter can replay valid JSON; the caller's call is not changed."""
    sent = ToolCall("f", "{'n': '3',}", id="a")
    ends = []

    @tool
    async def f(n: int) -> int:
        return n

    def look(event):
        if type(event).__name__ == "ToolEnd":
            ends.append(json.dumps(event.call.arguments))

    board = Pegboard([f], plugins=[named("look", on_event=look)])
    batch = board.run_sync([sent])

    assert ends == ['{"n": 3}']
    assert batch[0].call is sent
    assert sent.arguments == "{'n': '3',}"


def test_a_kept_update_goes_nowhere():
    """W189: late updates are neither raised nor shown with another call."""
    kept = []

    @tool
    async def t(context: ToolContext) -> str:
        kept.append(context.update)
        return "x"

    call(t)

    assert kept[0]("late") is None


@pytest.mark.parametrize("how", ["raises", "returns"])
def test_a_prepare_that_fails_runs_nothing(how):
    """W190: and None does not mean that there are no arguments."""

    def wrong(arguments):
        return arguments.pop("x") if how == "raises" else 7

    made = tool(lambda a: a, name="f", prepare=wrong)
    kept = tool(lambda a: a, name="f", prepare=lambda args: None)

    assert call(made, {"a": 1}).code == "hook_failed"
    assert call(kept, {"a": 1}).data == 1


def test_the_sync_form_inside_a_loop():
    """W191: it works beside a loop, or says how to await; no error from the depths."""

    @tool
    async def f() -> str:
        return "f"

    async def main():
        other, own = Pegboard([f]), Pegboard([f])
        await own.call("f")
        with pytest.raises(UsageError, match="await"):
            own.run_sync(calls("f"))
        return other.run_sync(calls("f"))

    assert codes(asyncio.run(main())) == ["success"]
