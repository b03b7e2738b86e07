"""What a model is told when a file cannot be had."""

from __future__ import annotations

import difflib
import errno
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pegboard import ToolContext, ToolError

_TOLD_EVERY = 2_000
_REASONS = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "cannot exist: a part of the path is no folder",
    errno.EISDIR: "is a folder",
    errno.EACCES: "may not be opened: permission denied",
    errno.EPERM: "may not be changed: permission denied",
    errno.ELOOP: "changed while it was being opened; try again",
    errno.ENAMETOOLONG: "cannot exist: a part of the path is too long",
}


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn what the system refuses into a message that names only this path."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0)
        if reason is None:
            reason = f"failed: {os.strerror(error.errno or 0).lower()}"
        raise ToolError(f"{path!r} {reason}") from error


def outside(path: str) -> ToolError:
    """Say that a path leaves the roots."""
    return ToolError(
        f"{path!r} leads outside the folders that may be used;"
        " give a path relative to them, without '..'"
    )


def missing(path: str, folder: int, name: str) -> ToolError:
    """Say that a file does not exist, with the names that come near.

    Args:
        path: The path as the model knows it.
        folder: Descriptor of the folder that was looked in.
        name: The name that is not there.
    """
    with os.scandir(folder) as entries:
        names = [entry.name for entry in itertools.islice(entries, 2_000)]
    near = difflib.get_close_matches(name, names, n=3)
    hint = f"; its folder has {', '.join(map(repr, near))}" if near else ""
    return ToolError(f"{path!r} does not exist{hint}")


def check_cancelled(context: ToolContext | None) -> None:
    """Stop if nobody waits for the result any more."""
    if context is not None and context.cancelled:
        raise ToolError("the call was cancelled", code="cancelled")


@dataclass
class Progress:
    """Tells of a long walk, and ends it when nobody waits any more.

    Attributes:
        context: The running call, if there is one.
        seen: How many files and folders the walk has come by.
    """

    context: ToolContext | None
    seen: int = 0

    def __call__(self) -> None:
        """Count one more."""
        self.seen += 1
        check_cancelled(self.context)
        if self.context is not None and self.seen % _TOLD_EVERY == 0:
            self.context.update(f"{self.seen:,} files and folders so far")
