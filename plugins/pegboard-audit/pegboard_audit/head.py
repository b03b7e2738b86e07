"""The head of the log: what the next line is chained to.

Every line holds its number and the SHA-256 of the line before it. The head is the
number and SHA-256 of the last line; it stands in the lock file, so that the chain goes
on whoever writes next and whatever rotates the log.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

_SHAPE = re.compile(rb"(\d{20}) ([0-9a-f]{64}) (\d{20})\n")


@dataclass(frozen=True, slots=True)
class Head:
    """The last line that was written.

    Attributes:
        seq: Its number, from 1; 0 if there is none yet.
        digest: SHA-256 of its bytes without the line break; "" if there is none yet.
        size: Size of the log once it was written, in bytes; -1 if nobody knows.
    """

    seq: int = 0
    digest: str = ""
    size: int = -1


def lock_path(path: Path) -> Path:
    """Return the lock file of a log."""
    return path.with_name(f"{path.name}.lock")


def digest(line: bytes) -> str:
    """Return what the line after this one holds as `prev`."""
    return hashlib.sha256(line).hexdigest()


def parse_head(content: bytes) -> Head:
    """Return the head that a lock file holds; an empty one if it holds none."""
    match = _SHAPE.fullmatch(content)
    if not match:
        return Head()
    return Head(int(match[1]), match[2].decode(), int(match[3]))


def load_head(descriptor: int) -> Head:
    """Return the head that an open lock file holds."""
    return parse_head(os.read(descriptor, 256))


def save_head(descriptor: int, head: Head) -> None:
    """Replace the head that an open lock file holds."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    text = f"{head.seq:020d} {head.digest} {head.size:020d}\n"
    os.ftruncate(descriptor, os.write(descriptor, text.encode()))
