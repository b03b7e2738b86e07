"""Batches in which nobody takes part: a call is there only while it runs.

Everything that is alive together costs the collector, and of a long batch that is more
than the calls themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from pegboard._execution.invocation import Invocation
from pegboard._plan import Plan
from pegboard.calls import ToolCall
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.run import Run


class Ended:
    """What is left of a call: its result, None before it has begun."""

    __slots__ = ("result",)
    closed = True
    pending = None

    def __init__(self, result: ToolResult | None) -> None:
        self.result = result

    def stop(self) -> None:
        """Do nothing: it does not run."""


class QuietCalls(Sequence[Invocation]):
    """The calls of a quiet batch, each made when it is asked for, once."""

    def __init__(self, run: Run, sent: Sequence[ToolCall], plans: list[Plan]) -> None:
        self._run = run
        self._sent = sent
        self._plans = plans
        run.invocations = [_WAITING] * len(sent)

    def __len__(self) -> int:
        return len(self._sent)

    @overload
    def __getitem__(self, at: int) -> Invocation: ...
    @overload
    def __getitem__(self, at: slice) -> list[Invocation]: ...

    def __getitem__(self, at: int | slice) -> Invocation | list[Invocation]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        inv = Invocation(self._run, self._sent[at], at)
        inv.plan = self._plans[at]
        self._run.invocations[at] = inv
        return inv


_WAITING = Ended(None)


def let_go(run: Run, inv: Invocation) -> None:
    """Keep nothing of a quiet call that has ended but its result."""
    run.invocations[inv.index] = Ended(inv.result)
    inv.close()
