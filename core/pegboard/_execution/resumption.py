"""Finishing a batch that waited for a person, perhaps in another process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pegboard._arguments import copy_mapping
from pegboard._execution.guards import fingerprint
from pegboard._execution.run import Run
from pegboard.batches import BatchResult, PendingCall
from pegboard.calls import ToolCall
from pegboard.decisions import Approve, Deny
from pegboard.errors import ToolError, UsageError

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
    pending = _pending(batch)
    chosen = _by_position(pending, decisions)
    positions, in_turn = _to_run(batch, pending, chosen)
    run = Run(
        executor,
        metadata=metadata,
        id=batch.id,
        positions=positions,
        decisions={
            position: (decision, _approved(executor, decision, pending[position]))
            for position, decision in chosen.items()
        },
    )

    def whole(done: BatchResult) -> BatchResult:
        return _merged(batch, positions, done)

    calls = [_call_of(batch, position) for position in positions]
    return await executor.run_prepared(
        run, calls, sequential=in_turn, cancel=cancel, max_calls=len(calls), whole=whole
    )


def _pending(batch: BatchResult) -> dict[int, PendingCall]:
    """Return what waits, by position.

    Raises:
        UsageError: the batch contradicts itself.
    """
    pending: dict[int, PendingCall] = {}
    for call in batch.pending:
        at = call.position
        is_open = 0 <= at < len(batch) and batch[at].status == "deferred"
        if not is_open or at in pending:
            raise UsageError(
                f"the batch says that call {at} waits for a decision, and its results"
                " say something else"
            )
        pending[at] = call
    return pending


def _to_run(
    batch: BatchResult,
    pending: Mapping[int, PendingCall],
    chosen: Mapping[int, Decision],
) -> tuple[list[int], bool]:
    """Return the positions to run, and whether in turn."""
    waits = [at for at, result in enumerate(batch) if result.status == "deferred"]
    # Only a batch that ran in turn has calls that wait without a question of their own.
    in_turn = any(at not in pending for at in waits)
    if not in_turn:
        return [at for at in waits if at in chosen], False
    undecided = [at for at in waits if at in pending and at not in chosen]
    return [at for at in waits if not undecided or at < undecided[0]], True


def _merged(batch: BatchResult, positions: list[int], done: BatchResult) -> BatchResult:
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


def _approved(
    executor: Executor, decision: Decision, pending: PendingCall
) -> str | None:
    """Return the fingerprint of exactly the call that a person approved."""
    if isinstance(decision, Deny):
        return None
    if decision.arguments is None:
        return fingerprint(pending.tool, pending.arguments)
    try:
        # What a person wrote is read as a model's arguments are: "3" may become 3.
        plan = executor.plan(pending.call.name)
        value = copy_mapping(decision.arguments)
        if plan.is_valid(value):
            value, _ = plan.schema.settle(value, None)
        else:
            value, _ = plan.schema.fit(value, strict=plan.strict)
    except (ToolError, ValueError):
        return None  # the call itself will say what is wrong
    return fingerprint(pending.tool, value)


def _call_of(batch: BatchResult, position: int) -> ToolCall:
    call = batch[position].call
    if call is None:
        raise UsageError(f"the batch's result {position} does not say what was called")
    return call


def _by_position(
    pending: Mapping[int, PendingCall], decisions: Mapping[int | str, Decision]
) -> dict[int, Decision]:
    chosen: dict[int, Decision] = {}
    for key, decision in decisions.items():
        if not isinstance(decision, (Approve, Deny)):
            raise UsageError(
                f"a decision is Approve or Deny, not {type(decision).__name__!r}"
            )
        if isinstance(key, str):
            found = [at for at, call in pending.items() if call.call.id == key]
        else:
            found = [at for at in pending if at == key]
        if len(found) != 1:
            why = "names several pending calls" if found else "names no pending call"
            raise UsageError(
                f"decision {key!r} {why}; pending are"
                f" {', '.join(map(str, pending)) or 'none'}"
            )
        if found[0] in chosen:
            raise UsageError(f"call {found[0]} is decided twice")
        chosen[found[0]] = decision
    return chosen
