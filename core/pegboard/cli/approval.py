"""Whether calls that wait for a person may run."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from pegboard._frozen import thaw
from pegboard.cli.terminal import is_terminal, say
from pegboard.decisions import Approve, Deny

if TYPE_CHECKING:
    from pegboard.batches import PendingCall

Approval = Literal["ask", "none", "all"]
Decision = Approve | Deny

NOBODY = "it needs approval, and nobody was there to give it"
NONE = "it needs approval, and this run gives none"
REFUSED = "a person denied this call"


def decide(
    pending: Sequence[PendingCall], approve: Approval
) -> dict[int | str, Decision]:
    """Return what becomes of each deferred call, by its place in the batch.

    Asked where there is a terminal to ask on; denied where there is none.
    """
    if approve == "all":
        return {call.position: Approve() for call in pending}
    if approve == "none" or not can_ask():
        reason = NONE if approve == "none" else NOBODY
        return {call.position: Deny(reason) for call in pending}
    return {call.position: _ask(call) for call in pending}


def can_ask() -> bool:
    """Return whether a person sees a question and can answer it."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def _ask(call: PendingCall) -> Decision:
    arguments: Mapping[str, Any] = thaw(call.arguments)
    by = f" (policy {call.by})" if call.by else ""
    say(f"\n{call.tool} waits for approval{by}: {call.reason}")
    say(json.dumps(arguments, indent=2, ensure_ascii=False))
    choice = click.Choice(["y", "n", "e"], case_sensitive=False)
    answer = click.prompt(
        "Run it? y = yes, n = no, e = edit the arguments first",
        type=choice,
        default="n",
        show_choices=False,
        err=True,
    )
    if answer == "y":
        return Approve()
    return _edit(arguments) if answer == "e" else Deny(REFUSED)


def _edit(arguments: Mapping[str, Any]) -> Decision:
    text = json.dumps(arguments, indent=2, ensure_ascii=False)
    while True:
        edited = click.edit(text, extension=".json")
        if edited is None:
            return Deny(REFUSED)
        try:
            value = json.loads(edited)
            if isinstance(value, dict):
                return Approve(value)
            problem = "it is no JSON object"
        except ValueError as error:
            problem = str(error)
        text = edited
        if not click.confirm(f"That does not work: {problem}. Edit again?", err=True):
            return Deny(REFUSED)
