"""The lines of a log: of its file, and of the files that it was rotated to."""

from __future__ import annotations

import gzip
import json
import os
import re
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

Record = dict[str, Any]
File = IO[bytes] | gzip.GzipFile

BLOCK = 65_536
#: Seconds that the rest of a line is waited for: a writer writes it in one go.
PATIENCE = 0.25

BROKEN_GZIP = (EOFError, gzip.BadGzipFile, zlib.error)

#: PATH.1 as this package and logrotate number files, PATH-20260131 as `dateext` does.
_ROTATED = r"(\.\d+|-\d{8}(-\d+)?)(\.gz)?"


@dataclass(frozen=True, slots=True)
class LogFile:
    """One file of a log, open for reading.

    Attributes:
        path: The name under which it was opened.
        file: The open file, at its beginning.
        first: Number of its first record; 0 if it has none.
    """

    path: Path
    file: File
    first: int


def parse_line(line: bytes) -> Record | None:
    """Return the record that a line holds, None if it holds none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_record = isinstance(record, dict) and type(record.get("seq")) is int
    return record if is_record else None


def open_log(path: Path) -> list[LogFile]:
    """Open all files of a log, the oldest first, as they were at one moment.

    No writer is held up: after a rotation on the way it is done again.

    Raises:
        OSError: a file cannot be read.
    """
    while True:
        with ExitStack() as stack, suppress(FileNotFoundError):
            names = _find(path)
            files = [_open(name, stack) for name in names]
            if _find(path) == names:
                stack.pop_all()
                return sorted(files, key=lambda log: (log.path == path, log.first))


@contextmanager
def opened_log(path: Path) -> Iterator[list[LogFile]]:
    """Open all files of a log, as `open_log` does, and close them in the end."""
    files = open_log(path)
    try:
        yield files
    finally:
        for log in files:
            log.file.close()


def read_lines(file: File) -> Iterator[bytes]:
    """Yield the lines of a file without line breaks; of a broken .gz what can be read.

    The last one may be torn; one that is being written is waited for.
    """
    rest = b""
    with suppress(*BROKEN_GZIP):
        while line := file.readline() or (rest and _awaited(file)):
            rest += line
            if rest.endswith(b"\n"):
                yield rest[:-1]
                rest = b""
    if rest:
        yield rest


def _awaited(file: File) -> bytes:
    """Return what is written behind a part of a line within a moment."""
    end = time.monotonic() + PATIENCE
    while not isinstance(file, gzip.GzipFile) and time.monotonic() < end:
        if line := file.readline():
            return line
        time.sleep(0.001)
    return b""


def lines_backwards(file: File) -> Iterator[bytes]:
    """Yield what follows the last line break, then the lines from last to first."""
    if isinstance(file, gzip.GzipFile):  # it cannot seek from its end
        yield from reversed([*read_lines(file), b""])
        return
    end = file.seek(0, os.SEEK_END)
    rest = b""
    while end:
        start = max(0, end - BLOCK)
        file.seek(start)
        first, *lines = (file.read(end - start) + rest).split(b"\n")
        yield from reversed(lines)
        rest = first
        end = start
    yield rest


def records_backwards(files: Iterable[LogFile]) -> Iterator[tuple[bytes, Record]]:
    """Yield every record with its line, from the last of the last file on."""
    for log in reversed(list(files)):
        for line in lines_backwards(log.file):
            if record := parse_line(line):
                yield line, record


def _find(path: Path) -> dict[Path, tuple[int, int]]:
    """Return the names of a log's files, and which file each of them is."""
    if not path.parent.is_dir():
        return {}
    shape = re.compile(f"{re.escape(path.name)}({_ROTATED})?")
    names = {name for name in path.parent.iterdir() if shape.fullmatch(name.name)}
    # What is being compressed is there twice for a while.
    twins = {name.with_name(f"{name.name}.gz") for name in names}
    states = {name: name.stat() for name in names - twins if name.is_file()}
    return {name: (state.st_dev, state.st_ino) for name, state in states.items()}


def _open(path: Path, stack: ExitStack) -> LogFile:
    file: File = gzip.open(path) if path.suffix == ".gz" else path.open("rb")
    stack.callback(file.close)
    records = filter(None, map(parse_line, read_lines(file)))
    first = next((record["seq"] for record in records), 0)
    file.seek(0)
    return LogFile(path, file, first)
