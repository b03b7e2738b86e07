"""What a search finds in many files, within limits."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pegboard import ToolError, ToolResult, schemas
from pegboard_files.matching import Line, clip, find_after, find_before, find_lines
from pegboard_files.places import Place
from pegboard_files.settings import Settings
from pegboard_files.texts import find_encoding, show

_HEAD = 8_192  # a NUL byte in here betrays a binary file before all of it is read

OUTPUT = schemas.object(
    {
        "matches": schemas.array(
            schemas.object(
                {
                    "path": schemas.string(),
                    "line": schemas.integer("From 1."),
                    "text": schemas.string("The line, cut if it is long."),
                }
            )
        ),
        "files": schemas.integer("How many were searched."),
        "skipped": schemas.object(
            {}, "What was left out, and how often.", additional=schemas.integer()
        ),
        "complete": schemas.boolean("Whether these are all matches."),
    }
)


@dataclass
class Search:
    """One search and what it has found.

    Attributes:
        pattern: A compiled regular expression.
        around: How many lines to show before and after a match.
        settings: The limits.
        skipped: What was left out -> how often.
        matches: What was found, as JSON objects.
        files: How many were searched.
        complete: Whether no limit was reached.
    """

    pattern: Any
    around: int
    settings: Settings
    skipped: Counter[str]
    matches: list[dict[str, Any]] = field(default_factory=list)
    files: int = 0
    complete: bool = True
    _lines: list[str] = field(default_factory=list)
    _size: int = 0

    def run(self, places: Iterable[Place]) -> ToolResult:
        """Search files until there are no more, or a limit is reached."""
        for place in places:
            data = self._read(place)
            if data is not None:
                self.files += 1
                self._search(data, show(place.path))
            if not self.complete:
                break
        result = {
            "matches": self.matches,
            "files": self.files,
            "skipped": dict(self.skipped),
            "complete": self.complete,
        }
        return ToolResult("\n".join([*self._lines, self._summary()]), data=result)

    def _read(self, place: Place) -> bytes | None:
        limit = self.settings.max_file_bytes
        try:
            with place.open_file() as file:
                head = file.read(_HEAD)
                encoding = find_encoding(head)
                data = head
                if encoding.codec != "utf-8" or b"\0" not in head:
                    data += file.read(max(0, limit + 1 - len(head)))
        except (ToolError, OSError):
            self.skipped["unreadable files"] += 1
            return None
        if len(data) > limit:
            self.skipped[f"files over {limit:,} bytes"] += 1
            return None
        data = data[len(encoding.mark) :]
        if encoding.codec != "utf-8":
            data = data.decode(encoding.codec, "replace").encode()
        if b"\0" in data:
            self.skipped["binary files"] += 1
            return None
        return data.replace(b"\r\n", b"\n")

    def _search(self, data: bytes, path: str) -> None:
        room = self.settings.max_matches - len(self.matches)
        found = list(itertools.islice(find_lines(self.pattern, data), room + 1))
        shown = 0
        for line, after in itertools.zip_longest(found, found[1:]):
            if not room or self._size > self.settings.max_characters:
                self.complete = False
                return
            if not shown:
                self._add(path)
            shown = self._show(data, line, shown, after.number if after else None)
            text = clip(data, (line.start, line.end), line.at)
            self.matches.append({"path": path, "line": line.number, "text": text})
            room -= 1

    def _show(self, data: bytes, line: Line, shown: int, after: int | None) -> int:
        """Add a line and what surrounds it; return the number of the last one added.

        Args:
            data: The file.
            line: What matched.
            shown: Number of the last line of the file that was added before, or 0.
            after: Number of the next line that matched; it will add itself.
        """
        head = find_before(data, line.start, min(self.around, line.number - shown - 1))
        room = self.around if after is None else after - line.number - 1
        tail = find_after(data, line.end, min(self.around, room))
        first, last = line.number - len(head), line.number + len(tail)
        if self.around and shown and first > shown + 1:
            self._add("--")
        for number, span in enumerate([*head, (line.start, line.end), *tail], first):
            if number == line.number:
                self._add(f"{number}: {clip(data, span, line.at)}")
            else:
                self._add(f"{number}- {clip(data, span)}")
        return last

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line) + 1

    def _summary(self) -> str:
        found = _count(len(self.matches), "match", "matches")
        parts = [f"{found} in {_count(self.files, 'file', 'files')}"]
        if not self.complete:
            parts.append("there are more: narrow the pattern, the path or the glob")
        if self.skipped:
            left = (
                f"{what}: {often:,}" for what, often in sorted(self.skipped.items())
            )
            parts.append(f"left out: {', '.join(left)}")
        return f"[{'; '.join(parts)}]"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
