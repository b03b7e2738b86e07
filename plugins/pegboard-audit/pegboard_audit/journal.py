"""An append-only log of JSON lines that many processes and threads write together."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from pegboard_audit.head import Head, digest, load_head, lock_path, save_head
from pegboard_audit.lines import lines_backwards, parse_line
from pegboard_audit.lock import OPEN, locked

FORMAT = 1
APPEND = OPEN | os.O_WRONLY | os.O_APPEND


class Journal:
    """Appends records to a log, each as one whole line chained to the line before it.

    Nothing stays open between two lines: the log may be renamed, truncated or deleted
    at any time, and a process may fork at any time.

    Args:
        path: The log; made with mode 0600 if it is not there, its folder with 0700.
        max_bytes: Size beyond which the log is rotated; 0 means never.
        keep: How many rotated files are kept.
        sync: Whether `append` waits until the line is on the disk.
    """

    def __init__(
        self, path: Path, *, max_bytes: int = 0, keep: int = 1, sync: bool = False
    ) -> None:
        self.path = path.resolve()  # or two names of one log would have two locks
        self._lock = lock_path(self.path)
        self._max_bytes = max_bytes
        self._keep = keep
        self._sync = sync

    def check(self) -> None:
        """Open the log, so that one that cannot be written is known before a call.

        Raises:
            OSError: folder, log or lock file cannot be made or opened.
        """
        self._make_folder()
        for path in (self._lock, self.path):
            os.close(os.open(path, APPEND, 0o600))

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record as one line of ASCII.

        Raises:
            OSError: the line could not be written, and nothing of it was; or, with
                `sync`, the disk did not confirm it.
        """
        self._make_folder()
        with locked(self._lock) as lock:
            head, size, is_torn = self._state(load_head(lock))
            line = _line(head, record)
            if self._max_bytes and 0 < size > self._max_bytes - len(line):
                size, is_torn = (0, False) if self._rotate() else (size, is_torn)
            whole = b"\n" * is_torn + line + b"\n"
            self._write(whole, is_new=size == 0)
            save_head(lock, Head(head.seq + 1, digest(line), size + len(whole)))

    def _make_folder(self) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _state(self, head: Head) -> tuple[Head, int, bool]:
        """Return the true head, the log's size, and whether its end is torn."""
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return head, 0, False
        if size in (0, head.size):
            return head, size, False
        # Somebody died between line and head, or within a line, or the lock file is
        # gone: whichever of head and log is further on is right.
        with self.path.open("rb") as file:
            lines = lines_backwards(file)
            torn = next(lines)
            for line in chain([torn], lines):
                if record := parse_line(line):
                    if record["seq"] > head.seq:
                        head = Head(record["seq"], digest(line))
                    break
        return head, size, torn != b""

    def _write(self, data: bytes, *, is_new: bool) -> None:
        log = os.open(self.path, APPEND, 0o600)
        try:
            size = os.fstat(log).st_size
            try:
                while data:
                    data = data[os.write(log, data) :]
            except BaseException:
                os.ftruncate(log, size)
                raise
            if self._sync:
                os.fsync(log)
                if is_new:
                    _sync_folder(self.path.parent)
        except OSError as error:
            error.filename = str(self.path)
            raise
        finally:
            os.close(log)

    def _rotate(self) -> bool:
        """Rename the log to PATH.1, PATH.1 to PATH.2 and so on; drop the oldest."""
        names = [self.path, *(self._rotated(n) for n in range(1, self._keep + 1))]
        # Up to the first gap only, so that a rotation cut short costs no file.
        free = (n for n in range(1, self._keep) if not names[n].exists())
        try:
            for number in range(next(free, self._keep), 0, -1):
                names[number - 1].replace(names[number])
            surplus = self._keep + 1
            while self._rotated(surplus).exists():
                self._rotated(surplus).unlink()
                surplus += 1
        except PermissionError:
            return False  # Windows, while somebody reads it: the next line tries again
        return True

    def _rotated(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")


def _line(head: Head, record: Mapping[str, Any]) -> bytes:
    envelope = {
        "v": FORMAT,
        "seq": head.seq + 1,
        "prev": head.digest or None,
        "time": datetime.now(UTC).isoformat(),
    }
    return json.dumps({**envelope, **record}, separators=(",", ":")).encode()


def _sync_folder(folder: Path) -> None:
    """Wait until the name of a new file is on the disk too."""
    if hasattr(os, "O_DIRECTORY"):  # pragma: no branch - Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
