"""New lines of a log as they are written, whatever rotates it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path

from pegboard_audit.lines import (
    BROKEN_GZIP,
    File,
    Record,
    open_log,
    parse_line,
    records_backwards,
)


class Follower:
    """Finds what was written since it last looked.

    It goes by the numbers of the lines, so it finds its place again in whatever file
    they were moved to.

    Args:
        path: The log.
        after: Number of the last line that is known.
    """

    def __init__(self, path: Path, after: int) -> None:
        self._path = path
        self._after = after
        self._file: File | None = None

    def poll(self) -> Iterator[tuple[bytes, Record]]:
        """Yield each whole record that is new, with its line."""
        if self._file:
            has_moved = self._has_moved(self._file)
            has_gap = yield from self._read(self._file, gaps=False)
            if not has_moved and not has_gap:
                return
        self.close()
        yield from self._catch_up()

    def close(self) -> None:
        """Let go of the file."""
        if self._file:
            self._file.close()
            self._file = None

    def _has_moved(self, file: File) -> bool:
        try:
            now = self._path.stat()
        except FileNotFoundError:
            return False  # renamed, and nobody has written since
        is_same = os.path.samestat(now, os.fstat(file.fileno()))
        return not is_same or now.st_size < file.tell()

    def _catch_up(self) -> Iterator[tuple[bytes, Record]]:
        files = open_log(self._path)
        newest = next(records_backwards(files), None)
        if newest and newest[1]["seq"] < self._after:
            self._after = 0  # everything was deleted: another chain has begun
        for position, log in enumerate(files):
            following = files[position + 1 :]
            if not any(0 < other.first <= self._after + 1 for other in following):
                log.file.seek(0)
                yield from self._read(log.file)
            if following:
                log.file.close()
            else:
                self._file = log.file

    def _read(
        self, file: File, *, gaps: bool = True
    ) -> Generator[tuple[bytes, Record], None, bool]:
        """Yield what is new in a file; return whether a gap was met and not passed."""
        with suppress(*BROKEN_GZIP):
            while (line := file.readline()).endswith(b"\n"):
                record = parse_line(line)
                if record is None or record["seq"] <= self._after:
                    continue
                if record["seq"] > self._after + 1 and not gaps:
                    return True
                self._after = record["seq"]
                yield line.removesuffix(b"\n"), record
            file.seek(-len(line), os.SEEK_CUR)
        return False
