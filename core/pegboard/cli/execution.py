"""A batch run for a person: progress to see, questions to answer, a way to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pegboard.cli.approval import Approval, decide
from pegboard.cli.progress import Progress, showing, waiting
from pegboard.decisions import Abort, Approve, Deny
from pegboard.events import BatchEnd

if TYPE_CHECKING:
    from pegboard.batches import BatchResult
    from pegboard.board import Pegboard
    from pegboard.calls import ToolCall


@dataclass(frozen=True, slots=True)
class Options:
    """How a batch is run.

    Attributes:
        approve: What becomes of deferred calls.
        dry_run: Whether only read-only bodies execute.
        sequential: Whether each call ends before the next starts.
        max_calls: How many run at most; None means what the settings say.
    """

    approve: Approval
    dry_run: bool = False
    sequential: bool = False
    max_calls: int | None = None


@dataclass(slots=True)
class Outcome:
    """What a batch came to.

    Attributes:
        batch: The results, whatever happened.
        aborted: What a policy that ended the batch said, "" if none did.
        interrupted: Whether the person did not want to wait.
    """

    batch: BatchResult
    aborted: str = ""
    interrupted: bool = False

    @property
    def is_final(self) -> bool:
        """Whether there is nothing to ask a person."""
        return bool(self.aborted) or self.interrupted or not self.batch.pending

    @property
    def code(self) -> int:
        """The exit code: 0 if no result is an error."""
        if self.interrupted:
            return 130
        return int(bool(self.aborted) or any(r.is_error for r in self.batch))


def execute(board: Pegboard, calls: Sequence[ToolCall], options: Options) -> Outcome:
    """Run calls and ask about those that wait for a person.

    Ctrl-C ends the batch with what there is; a second one ends at once.
    """
    with asyncio.Runner() as runner:
        try:
            with showing(calls) as progress:
                outcome = runner.run(_stream(board, calls, options, progress))
            # A decision lets the calls after it run, which may need the next one.
            for _ in calls:
                if options.dry_run or outcome.is_final:
                    break
                decisions = decide(outcome.batch.pending, options.approve)
                with waiting("running what was decided"):
                    outcome = runner.run(_resume(board, outcome, decisions))
            return outcome
        finally:
            runner.run(board.close())


async def _stream(
    board: Pegboard,
    calls: Sequence[ToolCall],
    options: Options,
    progress: Progress,
) -> Outcome:
    stop = _Stop()
    outcome: Outcome | None = None
    try:
        with stop:
            events = board.stream(
                calls,
                cancel=stop.event,
                dry_run=options.dry_run,
                sequential=options.sequential,
                max_calls=options.max_calls,
            )
            async for event in events:
                progress(event)
                if isinstance(event, BatchEnd):
                    outcome = Outcome(event.batch)
    except Abort as error:
        outcome = _aborted(error)
    assert outcome is not None  # every stream ends with a BatchEnd
    outcome.interrupted = stop.event.is_set()
    return outcome


async def _resume(
    board: Pegboard, earlier: Outcome, decisions: Mapping[int | str, Approve | Deny]
) -> Outcome:
    stop = _Stop()
    try:
        with stop:
            batch = await board.resume(earlier.batch, decisions, cancel=stop.event)
        outcome = Outcome(batch)
    except Abort as error:
        outcome = _aborted(error)
    outcome.interrupted = stop.event.is_set()
    return outcome


def _aborted(error: Abort) -> Outcome:
    assert error.batch is not None  # the executor sets it before it lets go
    return Outcome(error.batch, aborted=str(error))


class _Stop:
    """Turns the first Ctrl-C into an event, and leaves the second one as it is."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> None:
        with suppress(NotImplementedError, ValueError, RuntimeError):
            # Not on Windows, and not in another thread: there Ctrl-C just interrupts.
            self._loop.add_signal_handler(signal.SIGINT, self._stop)

    def __exit__(self, *exception: object) -> None:
        self._loop.remove_signal_handler(signal.SIGINT)

    def _stop(self) -> None:
        self.event.set()
        self._loop.remove_signal_handler(signal.SIGINT)
