"""Ids of calls that came without one: no two processes make the same."""

from __future__ import annotations

import itertools
import os
import secrets

from pegboard.calls import MADE_ID

_numbers = itertools.count(1)
_prefix = f"{MADE_ID}{secrets.token_hex(4)}"


def new_id() -> str:
    """Return an id for a call that came without one."""
    return f"{_prefix}{next(_numbers)}"


def _renew_prefix() -> None:
    global _prefix
    _prefix = f"{MADE_ID}{secrets.token_hex(4)}"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_prefix)
