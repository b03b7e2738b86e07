"""A lock that processes and threads hold one at a time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 10.0
# A link may lead to a file that is not ours to change.
OPEN = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

if sys.platform == "win32":  # pragma: no cover - coverage is measured on POSIX
    import msvcrt

    # Nobody else can read what is locked there, so a byte far behind the content is.
    _FAR = 1 << 30

    def _acquire(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def _release(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _acquire(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(descriptor: int) -> None:
        # A process that was forked meanwhile shares the lock: closing would not do.
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def locked(path: Path, patience: float = PATIENCE) -> Iterator[int]:
    """Hold the lock of a lock file, made with mode 0600 if it is not there.

    The file is opened anew each time: so threads exclude each other as processes do, a
    fork inherits nothing, and nobody holds the lock of a file that was deleted.

    Args:
        path: The lock file.
        patience: Seconds to wait for the holder; one that was stopped would otherwise
            stop everybody.

    Yields:
        A descriptor of the lock file, at its beginning.

    Raises:
        TimeoutError: the holder does not let go.
        OSError: the file cannot be opened.
    """
    deadline = time.monotonic() + patience
    pause = 0.0001
    while True:
        descriptor = os.open(path, OPEN | os.O_RDWR, 0o600)
        try:
            if _take(descriptor, path):
                try:
                    yield descriptor
                finally:
                    _release(descriptor)
                return
        finally:
            os.close(descriptor)
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path} has been locked for {patience:g} seconds")
        time.sleep(pause)
        pause = min(2 * pause, 0.005)


def is_current(descriptor: int, path: Path) -> bool:
    """Return whether an open lock file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _take(descriptor: int, path: Path) -> bool:
    try:
        _acquire(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    return is_current(descriptor, path)
