"""A plugin whose import takes long is named while it does; it may hang for ever."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pegboard.cli.terminal import say

if TYPE_CHECKING:
    from pegboard._distributions import Found

#: Seconds after which an import is said to be slow.
SLOW = 3.0


@contextmanager
def slow_imports_named() -> Iterator[None]:
    """Name on stderr the plugin that is still importing after three seconds."""
    timer = threading.Timer(SLOW, _name_it, [threading.get_ident()])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _name_it(thread: int) -> None:
    if (found := _importing(thread)) is not None:
        say(
            f"{found.title} is still importing after {SLOW:g} s; if it hangs, start"
            f" without it: PEGBOARD_DISABLE={found.name}"
        )


def _importing(thread: int) -> Found | None:
    """Return the plugin that a thread imports, as its stack shows it."""
    from pegboard._distributions import Found  # late: nothing is slow as a rule

    frame = sys._current_frames().get(thread)
    while frame is not None:
        found = frame.f_locals.get("found")
        if isinstance(found, Found):
            return found
        frame = frame.f_back
    return None
