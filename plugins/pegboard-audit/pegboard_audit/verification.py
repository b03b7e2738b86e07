"""Whether a log is whole: every line complete, and chained to the one before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pegboard_audit.head import Head, digest, lock_path, parse_head
from pegboard_audit.lines import opened_log, parse_line, read_lines

KEYS = ("v", "prev", "time", "call", "name", "status", "executed", "duration")


@dataclass(slots=True)
class Verification:
    """What was found in a log.

    Attributes:
        files: Number of its files.
        lines: Number of its records.
        first: Number of the first record; 0 if there is none.
        last: The last record.
        problems: One line of text each; none if the log is whole.
    """

    files: int = 0
    lines: int = 0
    first: int = 0
    last: Head = field(default_factory=Head)
    problems: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as a JSON object; `head` is SEQ:SHA256."""
        return {
            "files": self.files,
            "lines": self.lines,
            "first": self.first,
            "head": f"{self.last.seq}:{self.last.digest}",
            "problems": self.problems,
        }


def verify(path: Path, anchors: Iterable[Head] = ()) -> Verification:
    """Read a whole log, rotated files included, and return what is wrong with it.

    The chain shows what was changed, removed or inserted by somebody who did not write
    all of the log anew from there. Against that helps a head that was noted elsewhere.

    Args:
        path: The log.
        anchors: Heads that were noted earlier.

    Raises:
        OSError: a file cannot be read.
    """
    found = Verification()
    # Read before the lines are, since others may be writing.
    known = [head for head in (_written_head(path), *anchors) if head.seq]
    with opened_log(path) as files:
        found.files = len(files)
        for log in files:
            for number, line in enumerate(read_lines(log.file), 1):
                place = f"{log.path.name}:{number}"
                problems = _check_line(found, line, known)
                found.problems += [f"{place}: {problem}" for problem in problems]
    found.problems += _check_ends(found, known)
    return found


def _written_head(path: Path) -> Head:
    try:
        return parse_head(lock_path(path).read_bytes())
    except FileNotFoundError:
        return Head()


def _check_line(found: Verification, line: bytes, known: list[Head]) -> Iterator[str]:
    record = parse_line(line)
    if record is None:
        yield "holds no record: it is torn, still being written, or not ours"
        return
    if missing := [key for key in KEYS if key not in record]:
        yield f"lacks {', '.join(missing)}"
    before, head = found.last, Head(record["seq"], digest(line))
    if found.lines == 0:
        found.first = head.seq
        before = Head(head.seq - 1, record.get("prev") or "")
        if (head.seq == 1) != (before.digest == ""):
            yield f"line {head.seq} cannot be the first of a chain"
    if head.seq != before.seq + 1:
        yield f"line {before.seq + 1} should stand here, not line {head.seq}"
    elif record.get("prev") != (before.digest or None):
        yield f"line {head.seq} was written after another line {before.seq}"
    if any(head.seq == noted.seq and head.digest != noted.digest for noted in known):
        yield f"line {head.seq} is not the one that was noted"
    found.lines, found.last = found.lines + 1, head


def _check_ends(found: Verification, known: list[Head]) -> Iterator[str]:
    for noted in known:
        if noted.seq > found.last.seq:
            yield f"the log ends with line {found.last.seq}, before line {noted.seq}"
        elif noted.seq < found.first:
            yield f"line {noted.seq} was rotated away, so it cannot be compared"
