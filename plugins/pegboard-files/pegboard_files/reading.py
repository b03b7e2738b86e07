"""A range of lines of a text file of any size."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pegboard import TextContent, ToolError, ToolResult
from pegboard_files.places import Place
from pegboard_files.refusals import told
from pegboard_files.settings import Settings
from pegboard_files.texts import binary, open_text, show, undecodable

_PIECE = 65_536  # characters: a line may be longer than memory


@dataclass
class Cursor:
    """Where the reading of a file has come to.

    Attributes:
        stream: The file as text.
        path: The file as the model knows it.
        visit: Called now and then; stops the reading by raising.
        line: Number of the line that the next character belongs to, from 1.
        column: Number of that character in its line, from 1.
        ended: Whether there is no next character.
    """

    stream: io.TextIOWrapper
    path: str
    visit: Callable[[], None]
    line: int = 1
    column: int = 1
    ended: bool = False

    def take(self, limit: int = _PIECE) -> str:
        """Return what comes next, up to a limit and to the end of the line.

        Raises:
            ToolError: what comes next is no text.
        """
        try:
            piece = self.stream.readline(min(limit, _PIECE))
        except UnicodeDecodeError:
            raise undecodable(self.path) from None
        if piece.endswith("\n"):
            self.line, self.column = self.line + 1, 1
            if self.line % 10_000 == 0:
                self.visit()
        else:
            self.column += len(piece)
            self.visit()
        self.ended = not piece
        return piece

    def skip_to(self, line: int, column: int) -> None:
        """Go to a place, or to the end if the file is shorter."""
        while not self.ended and self.line < line:
            self.take()
        while not self.ended and self.line == line and self.column < column:
            self.take(column - self.column)

    def count_lines(self) -> int | None:
        """Return the number of lines of the whole file; None if the rest is no text."""
        lines, partial = self.line - 1, self.column > 1
        try:
            while piece := self.stream.read(_PIECE):
                self.visit()
                lines, partial = lines + piece.count("\n"), piece[-1] != "\n"
        except UnicodeDecodeError:
            return None
        return lines + partial


@dataclass(frozen=True, slots=True)
class Range:
    """Which part of a file is wanted.

    Attributes:
        start: Number of the first line, from 1.
        end: Number of the last line; None means the file's last.
        column: Number of the first character in the first line, from 1.
    """

    start: int = 1
    end: int | None = None
    column: int = 1


def read_range(cursor: Cursor, wanted: Range, limit: int) -> tuple[str, Range | None]:
    """Return the text of a range, and what is left of it beyond a limit.

    Args:
        cursor: Stands at the beginning of the file.
        wanted: The range.
        limit: Most characters. What is longer is cut after a line; a line that alone
            is longer is cut anywhere.

    Raises:
        ToolError: it is no text, or the file ends before it.
    """
    cursor.skip_to(wanted.start, wanted.column)
    if cursor.line > wanted.start:
        raise _missing(cursor, wanted)
    pieces, left = [""], limit + 1
    while left and not cursor.ended and not (wanted.end and cursor.line > wanted.end):
        pieces.append(cursor.take(left))
        left -= len(pieces[-1])
        if "\0" in pieces[-1]:
            raise binary(cursor.path)
    text = "".join(pieces)
    if not text and (wanted.start, wanted.column) != (1, 1):
        raise _missing(cursor, wanted)
    if len(text) <= limit:
        return text, None
    text = text[:limit]
    whole = text[: text.rfind("\n") + 1]
    if whole:
        return whole, Range(wanted.start + whole.count("\n"), wanted.end)
    return text, Range(wanted.start, wanted.end, wanted.column + limit)


def _missing(cursor: Cursor, wanted: Range) -> ToolError:
    if wanted.column > 1:
        return ToolError(
            f"{cursor.path!r} has no column {wanted.column} in line {wanted.start}"
        )
    # At the end of the file by now, so counting costs nothing.
    return ToolError(
        f"{cursor.path!r} has no line {wanted.start}: it has {cursor.count_lines():,}"
    )


def read_file(
    place: Place, wanted: Range, settings: Settings, visit: Callable[[], None]
) -> ToolResult:
    """Return a range of a file, with notes on what is not shown.

    Raises:
        ToolError: there is no such file or range, or it is no text.
    """
    with place.open_file() as file, told(place.path):
        size = os.fstat(file.fileno()).st_size
        stream, encoding = open_text(file, place.path)
        cursor = Cursor(stream, place.path, visit)
        text, left = read_range(cursor, wanted, settings.max_characters)
        total = cursor.count_lines() if size <= settings.max_file_bytes else None
    crlf = "\r\n" in text
    text = text.replace("\r\n", "\n")
    last = wanted.start + text.count("\n") - (text[-1:] in ("\n", ""))
    details = {
        "path": show(place.path),
        "start": wanted.start,
        "end": last,
        "lines": total,
        "bytes": size,
        "encoding": encoding.title,
        "line_breaks": "CRLF" if crlf else "LF",
    }
    notes = list(_notes(details, left, complete=last == total))
    content = [TextContent(text)] if text or not notes else []
    content += [TextContent(f"[{note}]") for note in notes]
    return ToolResult(content, data=text, details=details)


def _notes(
    details: Mapping[str, Any], left: Range | None, *, complete: bool
) -> Iterator[str]:
    total = details["lines"]
    whole = f"a file of {details['bytes']:,} bytes" if total is None else f"{total}"
    shown = f"lines {details['start']}-{details['end']} of {whole}"
    if not details["bytes"]:
        yield "the file is empty"
    elif left is not None:
        column = f", column={left.column}" if left.column > 1 else ""
        yield (
            f"{shown}; it is too much for one answer:"
            f" go on with start={left.start}{column}"
        )
    elif details["start"] > 1 or not complete:
        yield shown
    if details["line_breaks"] == "CRLF":
        yield "its lines end with CRLF"
