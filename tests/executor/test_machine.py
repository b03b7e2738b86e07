"""Random batches of random tools and plugins always keep the rules (B1 to B8)."""

import asyncio
import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pegboard import Abort, Approve, BatchResult, Deny
from pegboard.events import BatchEnd

from .acting import (
    ABORTS,
    AFTERS,
    BODIES,
    GUARDS,
    LAYERS,
    PREPARES,
    SLOW_BODIES,
    Act,
    Spec,
)
from .checker import check, places
from .parts import codes, turns

DANGEROUS = ("suicide", *SLOW_BODIES)  # not for threads: those tests are elsewhere


def specs(bodies=tuple(BODIES), aborts=("",)):
    return st.builds(
        Spec,
        body=st.sampled_from(bodies),
        guard=st.sampled_from(["", "", "", *GUARDS]),
        prepare=st.sampled_from(["", "", "", "", *PREPARES]),
        layer=st.sampled_from(["", "", *LAYERS]),
        after=st.sampled_from(["", "", *AFTERS]),
        is_async=st.booleans(),
        abort=st.sampled_from(aborts),
    ).filter(lambda spec: spec.is_async or spec.body not in DANGEROUS)


batches = st.lists(specs(), max_size=6)
slow_batches = st.lists(specs((*BODIES, *SLOW_BODIES)), min_size=1, max_size=4)
aborted_batches = st.lists(specs(aborts=("", *ABORTS)), min_size=1, max_size=5)


class Board(RuleBasedStateMachine):
    """One board, used for batch after batch in every way there is."""

    def __init__(self):
        super().__init__()
        self.runner = asyncio.Runner()
        self.pending = []
        self.act = None

    @initialize(limit=st.sampled_from([None, 1, 2, 5]))
    def build(self, limit):
        self.act = Act(max_concurrency=limit)

    def teardown(self):
        if self.act is not None:
            self.runner.run(self.act.board.close())
        self.runner.close()

    def run(self, main):
        """Run on the board's loop; no task and no cancellation is left."""

        async def checked():
            value = await main
            assert asyncio.all_tasks() == {asyncio.current_task()}
            assert asyncio.current_task().cancelling() == 0
            return value

        return self.runner.run(checked())

    def check(self, batch, batch_specs, *, sequential=False):
        """The log, the results and the codes are as they must be."""
        log = self.act.log
        check(log, len(batch_specs), sequential=sequential)
        ids = [call.id for call in self.sent]
        assert [result.call.id for result in batch] == ids
        for at, result in enumerate(batch):
            ran = bool(places(log, "body", call=at))
            assert (
                result.executed != "no"
            ) == ran or result.code == "middleware_failed"
        assert batch.terminate == (
            bool(batch) and all(result.terminate for result in batch)
        )
        assert BatchResult.from_json(batch.to_json()).results == batch.results
        return batch

    @rule(given=st.one_of(batches, slow_batches))
    def parallel(self, given):
        sent = self.sent = self.act.calls(given)
        batch = self.run(self.act.board.run(sent))
        self.check(batch, given)

        assert codes(batch) == [spec.expected() for spec in given]
        waits = [
            at for at, code in enumerate(codes(batch)) if code == "approval_required"
        ]
        assert [call.position for call in batch.pending] == waits
        self.pending.append((batch, given, self.act.plugin.batch))

    @rule(given=st.one_of(batches, slow_batches))
    def in_turn(self, given):
        sent = self.sent = self.act.calls(given)
        batch = self.run(self.act.board.run(sent, sequential=True))
        self.check(batch, given, sequential=True)

        expected = [spec.expected() for spec in given]
        if "approval_required" in expected:
            first = expected.index("approval_required")
            expected[first:] = ["approval_required"] * (len(expected) - first)
        assert codes(batch) == expected

    @rule(given=batches, leave=st.integers(0, 30) | st.none())
    def stream(self, given, leave):
        sent = self.sent = self.act.calls(given)

        async def main():
            stream, last = self.act.board.stream(sent), None
            async for last in stream:
                leave_now = leave is not None and len(self.act.plugin.log) > leave
                if leave_now and not isinstance(last, BatchEnd):
                    break
            await stream.aclose()
            return last

        last = self.run(main())
        if isinstance(last, BatchEnd):
            self.check(last.batch, given)
        else:
            check(self.act.log, len(given), whole=False)

    @rule(
        given=st.lists(specs((*BODIES, "hang")), min_size=1, max_size=5),
        after=st.integers(0, 12),
        sequential=st.booleans(),
    )
    def cancelled_by_event(self, given, after, sequential):
        sent = self.sent = self.act.calls(given)

        async def main():
            cancel = asyncio.Event()

            async def soon():
                await turns(after)
                cancel.set()

            beside = asyncio.create_task(soon())
            batch = await self.act.board.run(sent, cancel=cancel, sequential=sequential)
            await beside
            return batch

        batch = self.run(main())
        log = self.act.log
        check(log, len(given), whole=False)
        assert len(places(log, "end")) == len(given)
        for spec, code in zip(given, codes(batch), strict=True):
            ended = ("cancelled", "not_started", "approval_required")
            assert code in (spec.expected(), *ended) or "hook_failed" == code

    @rule(
        given=st.lists(specs((*BODIES, "hang")), min_size=1, max_size=5),
        after=st.integers(0, 12),
        sequential=st.booleans(),
        again=st.booleans(),
    )
    def cancelled_by_its_task(self, given, after, sequential, again):
        sent = self.sent = self.act.calls(given)

        async def main():
            task = asyncio.create_task(self.act.board.run(sent, sequential=sequential))
            await turns(after)
            task.cancel()
            await turns(1)
            if again:
                task.cancel()
            await asyncio.wait([task])
            return task.cancelled()

        cancelled = self.run(main())
        check(self.act.log, len(given), whole=not cancelled and not sequential)

    @rule(given=aborted_batches, sequential=st.booleans())
    def aborted(self, given, sequential):
        sent = self.sent = self.act.calls(given)
        try:
            batch = self.run(self.act.board.run(sent, sequential=sequential))
        except Abort as abort:
            batch = abort.batch
            assert any(spec.abort for spec in given)
        log = self.act.log
        check(log, len(given), whole=False)
        assert len(batch) == len(given)
        assert len(places(log, "end")) == len(given)

    @rule(approve=st.booleans())
    def resume(self, approve):
        if not self.pending:
            return
        batch, given, self.act.plugin.batch = self.pending.pop()
        self.act.plugin.log = []
        decision = Approve() if approve else Deny()
        decisions = {call.position: decision for call in batch.pending}
        saved = BatchResult.from_json(batch.to_json())
        done = self.run(self.act.board.resume(saved, decisions))
        log = self.act.log

        assert {entry[1] for entry in log} == set(decisions)
        assert done.pending == ()
        for at, spec in enumerate(given):
            if at not in decisions:
                assert done[at] == saved[at]
            elif not approve:
                assert done[at].code == "denied"
            else:
                settled = Spec(spec.body, layer=spec.layer, after=spec.after)
                assert (done[at].code or done[at].status) in (
                    settled.expected(),
                    "blocked",
                )

    @invariant()
    def the_board_works(self):
        if self.act is None:
            return
        batch = self.run(self.act.board.run(self.act.calls([Spec()] * 6)))
        assert codes(batch) == ["success"] * 6
        assert self.act.log.count(("end", 5)) == 1


TestBoard = Board.TestCase
TestBoard.settings = settings(
    max_examples=int(
        os.environ.get("MACHINE_EXAMPLES", "150")
    ),  # more in `nox -s soak`
    stateful_step_count=15,
    deadline=None,
)
