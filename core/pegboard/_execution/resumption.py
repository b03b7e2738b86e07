"""Finishing a batch that waited for a person, perhaps in another process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pegboard._execution.hooks import fingerprint
from pegboard._execution.run import Run
from pegboard._frozen import thaw
from pegboard.batches import BatchResult, PendingCall
from pegboard.calls import ToolCall
from pegboard.decisions import Approve, Deny
from pegboard.errors import UsageError

if TYPE_CHECKING:
    from pegboard._executor import Executor

Decision = Approve | Deny


async def resume(
    executor: Executor,
    batch: BatchResult,
    decisions: Mapping[int | str, Decision],
    *,
    metadata: Mapping[str, Any] | None = None,
    cancel: asyncio.Event | None = None,
) -> BatchResult:
    """Run what is decided of a batch and return the batch as it is then."""
    chosen = _by_position(batch, decisions)
    pending = {call.position: call for call in batch.pending}
    open_ = [n for n, result in enumerate(batch) if result.status == "deferred"]
    # Only a batch that ran in turn has calls that wait without a question of their own.
    in_turn = any(position not in pending for position in open_)
    positions = []
    for position in open_:
        if position in pending and position not in chosen:
            if in_turn:
                break
            continue
        positions.append(position)
    calls = [_call_of(batch, position) for position in positions]
    run = Run(
        executor,
        metadata=metadata,
        id=batch.id,
        positions=positions,
        decisions={
            position: (decision, _approved(decision, pending[position]))
            for position, decision in chosen.items()
        },
    )
    done = await executor.run_prepared(run, calls, sequential=in_turn, cancel=cancel)
    results = list(batch.results)
    for position, result in zip(positions, done.results, strict=True):
        results[position] = result
    waiting = [call for call in batch.pending if call.position not in positions]
    return BatchResult(
        results,
        pending=sorted([*waiting, *done.pending], key=lambda call: call.position),
        id=batch.id,
        dropped=batch.dropped + done.dropped,
    )


def _approved(decision: Decision, pending: PendingCall) -> str | None:
    if isinstance(decision, Deny):
        return None
    shown = pending.arguments if decision.arguments is None else decision.arguments
    return fingerprint(thaw(dict(shown)))


def _call_of(batch: BatchResult, position: int) -> ToolCall:
    call = batch[position].call
    if call is None:
        raise UsageError(f"the batch's result {position} does not say what was called")
    return call


def _by_position(
    batch: BatchResult, decisions: Mapping[int | str, Decision]
) -> dict[int, Decision]:
    waiting = {call.position: call for call in batch.pending}
    chosen: dict[int, Decision] = {}
    for key, decision in decisions.items():
        if not isinstance(decision, (Approve, Deny)):
            raise UsageError(
                f"a decision is Approve or Deny, not {type(decision).__name__!r}"
            )
        found = [
            position
            for position, call in waiting.items()
            if key == position or (isinstance(key, str) and call.call.id == key)
        ]
        if len(found) != 1:
            why = "names several pending calls" if found else "names no pending call"
            raise UsageError(
                f"decision {key!r} {why}; pending are"
                f" {', '.join(map(str, waiting)) or 'none'}"
            )
        if found[0] in chosen:
            raise UsageError(f"call {found[0]} is decided twice")
        chosen[found[0]] = decision
    return chosen
