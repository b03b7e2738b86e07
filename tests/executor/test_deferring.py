"""Calls that wait for a person (B13)."""

import asyncio

import pytest

from pegboard import (
    Approve,
    Block,
    Defer,
    Deny,
    Pegboard,
    ToolCall,
    ToolContext,
    UsageError,
    hookimpl,
    tool,
)

from .parts import Recorder, codes, named, quick


class Sends:
    """A tool that notes what it sent, and a guard that asks about it."""

    name = "asks"

    def __init__(self, about=lambda call: call.name == "send"):
        self.sent = []
        self.keys = []
        self.about = about

        @tool
        async def send(to: str, context: ToolContext, amount: int = 1) -> str:
            self.sent.append((to, amount))
            self.keys.append(context.idempotency_key)
            return f"sent {amount} to {to}"

        self.tool = send

    @hookimpl
    def before_tool_call(self, call):
        return Defer("big money") if self.about(call) else None


@tool(execution="sequential")
async def alone() -> str:
    return "alone"


def send(to, id="", **more):
    return ToolCall("send", {"to": to, **more}, id=id)


@pytest.fixture
def sends():
    return Sends()


@pytest.fixture
def board(sends):
    return Pegboard([sends.tool, quick, alone], plugins=[sends])


def test_a_deferred_call_waits_while_others_run(board, sends):
    """B13: its result says so to the model; `pending` says all to a person."""
    batch = board.run_sync([ToolCall("quick"), send("ann", id="x"), ToolCall("quick")])

    assert codes(batch) == ["success", "approval_required", "success"]
    result, (pending,) = batch[1], batch.pending
    assert (result.status, result.executed, result.by) == ("deferred", "no", "asks")
    assert result.text == "send has not run: it waits for approval. big money"
    assert (pending.position, pending.call.id) == (1, "x")
    assert (pending.tool, pending.reason) == ("code:send", "big money")
    assert pending.arguments == {"to": "ann"}
    assert pending.by == "asks"
    assert sends.sent == []


def test_an_approved_call_runs_and_finished_ones_do_not_again(board, sends):
    """B13: the resumed batch has all results, the rest as they were."""
    batch = board.run_sync([ToolCall("quick"), send("ann")])
    done = board.resume_sync(batch, {1: Approve()})

    assert [result.text for result in done] == ["quick", "sent 1 to ann"]
    assert done[0] is batch[0]
    assert done.pending == ()
    assert done.id == batch.id
    assert sends.sent == [("ann", 1)]


def test_a_denied_call_tells_the_model_why(board, sends):
    """B13: it is blocked, with the person's words."""
    batch = board.run_sync([send("ann", id="x")])
    done = board.resume_sync(batch, {"x": Deny("not on my watch")})

    assert (done[0].status, done[0].code) == ("blocked", "denied")
    assert done[0].text == "send did not run: not on my watch"
    assert done.pending == ()
    assert sends.sent == []


def test_decisions_go_by_position_or_unique_id(board, sends):
    """B13: both may be mixed; what nobody decided stays deferred."""
    batch = board.run_sync([send("a", id="x"), send("b", id="y"), send("c", id="z")])
    done = board.resume_sync(batch, {0: Approve(), "z": Deny()})

    assert codes(done) == ["success", "approval_required", "denied"]
    assert [call.position for call in done.pending] == [1]
    last = board.resume_sync(done, {"y": Approve()})
    assert codes(last) == ["success", "success", "denied"]
    assert sends.sent == [("a", 1), ("b", 1)]


@pytest.mark.parametrize(
    ("decisions", "match"),
    [
        ({"same": Approve()}, r"decision 'same' names several pending calls"),
        ({"nobody": Approve()}, r"names no pending call; pending are 0, 1"),
        ({7: Approve()}, r"decision 7 names no pending call"),
        ({2: Approve()}, r"decision 2 names no pending call"),
        ({-1: Approve()}, r"decision -1 names no pending call"),
        ({0: "yes"}, r"a decision is Approve or Deny, not 'str'"),
        ({0: Block("no")}, r"a decision is Approve or Deny, not 'Block'"),
    ],
)
def test_a_decision_that_decides_nothing_is_refused(board, sends, decisions, match):
    """B13: before anything runs, and with what is pending."""
    batch = board.run_sync(
        [send("a", id="same"), send("b", id="same"), ToolCall("quick")]
    )
    with pytest.raises(UsageError, match=match):
        board.resume_sync(batch, decisions)

    assert sends.sent == []


def test_a_call_cannot_be_decided_twice(board):
    """B13: by its position and by its id is once too often."""
    batch = board.run_sync([send("a", id="x")])
    with pytest.raises(UsageError, match="call 0 is decided twice"):
        board.resume_sync(batch, {0: Approve(), "x": Deny()})


def test_a_person_may_approve_other_arguments(board, sends):
    """B13: they are read as a model's are; what runs is exactly what was approved."""
    batch = board.run_sync([send("ann", amount=100)])
    done = board.resume_sync(
        batch, {0: Approve(arguments={"to": "ann", "amount": "5"})}
    )

    assert done[0].text == "sent 5 to ann"
    assert sends.sent == [("ann", 5)]


def test_other_arguments_that_do_not_fit_are_invalid(board, sends):
    """B13: a person's slip is told like a model's."""
    batch = board.run_sync([send("ann")])
    done = board.resume_sync(batch, {0: Approve(arguments={"amount": 5})})

    assert codes(done) == ["invalid_arguments"]
    assert sends.sent == []


def test_a_guard_sees_the_approval_and_may_still_block(sends):
    """B13: an approval is input, not authority: Block wins."""
    seen = []

    def veto(call):
        seen.append(call.approval)
        return Block("never") if call.approval else None

    board = Pegboard(
        [sends.tool], plugins=[sends, named("veto", before_tool_call=veto)]
    )
    batch = board.run_sync([send("ann")])
    done = board.resume_sync(batch, {0: Approve()})

    assert codes(done) == ["blocked"]
    assert seen == [None, Approve()]
    assert sends.sent == []


def test_an_approval_is_for_exactly_these_arguments(sends):
    """B13: if a hook has made something else of them by now, it is asked anew."""
    amounts = iter([1, 2])

    def prepare(call):
        return {**call.arguments, "amount": next(amounts)}

    board = Pegboard(
        [sends.tool], plugins=[sends, named("p", prepare_arguments=prepare)]
    )
    batch = board.run_sync([send("ann")])
    done = board.resume_sync(batch, {0: Approve()})

    assert codes(done) == ["approval_required"]
    assert done.pending[0].arguments["amount"] == 2
    assert sends.sent == []


def test_an_approval_settles_the_defer_of_every_guard(sends):
    """B13: two guards that ask are answered by one person, once."""
    other = named("other", before_tool_call=lambda call: Defer("me too"))
    board = Pegboard([sends.tool], plugins=[sends, other])
    batch = board.run_sync([send("ann")])

    assert len(batch.pending) == 1
    assert codes(board.resume_sync(batch, {0: Approve()})) == ["success"]


def test_the_idempotency_key_is_the_same_however_often_a_batch_is_resumed(sends):
    """B13: made of the batch and the position."""
    board = Pegboard([sends.tool, quick], plugins=[sends])
    batch = board.run_sync([ToolCall("quick"), send("a"), send("b")])
    done = board.resume_sync(board.resume_sync(batch, {2: Approve()}), {1: Approve()})

    assert sends.keys == [f"{batch.id}:2", f"{batch.id}:1"]
    assert codes(done) == ["success"] * 3


def test_a_sequential_batch_defers_what_follows(board, sends):
    """B13: no call overtakes one that waits; after the decision they run in order."""
    names = ["quick", "send", "alone", "send", "quick"]
    sent = [
        ToolCall(n, {"to": n} if n == "send" else {}, id=f"c{i}")
        for i, n in enumerate(names)
    ]
    batch = board.run_sync(sent)
    waits = ["approval_required"]

    assert codes(batch) == ["success", *waits * 4]
    assert [call.position for call in batch.pending] == [1]
    assert "comes after call 2, which waits for approval" in batch[2].text

    second = board.resume_sync(batch, {1: Approve()})
    assert codes(second) == ["success", "success", "success", *waits * 2]
    assert [call.position for call in second.pending] == [3]
    last = board.resume_sync(second, {3: Deny()})
    assert codes(last) == ["success", "success", "success", "denied", "success"]


def test_an_undecided_sequential_batch_stays_as_it_is(board, sends):
    """B13: without a decision nothing that follows may run."""
    batch = board.run_sync([send("a"), ToolCall("alone")])
    done = board.resume_sync(batch, {})

    assert codes(done) == ["approval_required"] * 2
    assert sends.sent == []


def test_resumed_calls_have_their_start_and_end_and_place(sends):
    """B6, B13: one each a run; the end of the batch has it all."""
    recorder = Recorder()
    board = Pegboard([sends.tool, quick], plugins=[sends, recorder])
    batch = board.run_sync([ToolCall("quick", id="c0"), send("a", id="c1")])
    recorder.seen.clear()
    done = board.resume_sync(batch, {1: Approve()})

    assert recorder.of("ToolStart", "ToolEnd", "BatchEnd") == [
        ("ToolStart", "c1"),
        ("ToolEnd", "c1"),
        ("BatchEnd", None),
    ]
    assert codes(done) == ["success", "success"]


def test_resuming_can_be_cancelled(board, sends):
    """B10, B13: an event that is set leaves the approved calls out."""

    async def main():
        batch = await board.run([send("a"), send("b")])
        cancel = asyncio.Event()
        cancel.set()
        return await board.resume(batch, {0: Approve()}, cancel=cancel)

    assert codes(asyncio.run(main())) == ["not_started", "approval_required"]
    assert sends.sent == []


def test_a_big_batch_is_resumed_whole(sends):
    """B11, B13: the bound on calls held when they were made, and not once more."""
    board = Pegboard([sends.tool], plugins=[sends], settings={"max_calls": 3})
    batch = board.run_sync([send(str(n)) for n in range(6)], max_calls=6)
    done = board.resume_sync(batch, {n: Approve() for n in range(6)})

    assert codes(done) == ["success"] * 6


def test_deferred_results_are_no_errors(board):
    """B8, B13: a batch that waits does not terminate, and nothing failed."""
    batch = board.run_sync([send("a")])

    assert batch[0].is_error is False
    assert batch.terminate is False
