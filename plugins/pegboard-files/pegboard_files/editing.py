"""Exact replacement in a text, whose line breaks stay as they are."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from pegboard import ToolError

_NAMED = 10  # occurrences of which a message gives the line


class Edited(NamedTuple):
    """What became of a text.

    Attributes:
        text: All of it.
        times: How many occurrences were replaced.
        line: Number of the line, from 1, in which the first one begins.
    """

    text: str
    times: int
    line: int


def replace(text: str, old: str, new: str, *, every: bool, path: str) -> Edited:
    """Replace one part of a text, or every one that is equal to it.

    LF and CRLF count as equal when `old` is looked for. What is put in gets the line
    breaks that most of the text has; the rest of the text stays as it is.

    Args:
        text: The whole text.
        old: What to replace.
        new: What to put in its place.
        every: Whether all occurrences are meant; else there must be just one.
        path: The file as the model knows it.

    Raises:
        ToolError: `old` is empty, is `new`, is not there, or is there more than once.
    """
    plain, old, new = _plain(text), _plain(old), _plain(new)
    if not old:
        raise ToolError("the text to replace is empty; write the whole file instead")
    if old == new:
        raise ToolError("the old and the new text are the same")
    found = _find(plain, old, len(old) if every else 1)
    starts = list(found if every else itertools.islice(found, _NAMED))
    if not starts:
        raise _missing(plain, old, path)
    if not every and len(starts) > 1:
        raise _ambiguous(plain, starts, path)
    return Edited(_splice(text, starts, old, new), len(starts), _line(plain, starts[0]))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _find(text: str, part: str, step: int) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + step)


def _splice(text: str, starts: list[int], old: str, new: str) -> str:
    """Put `new` where `old` is: at these places of the text with LF only."""
    pairs = re.finditer("\r\n", text)
    breaks = [pair.start() - index for index, pair in enumerate(pairs)]
    if 2 * len(breaks) > text.count("\n"):
        new = new.replace("\n", "\r\n")
    pieces: list[str] = []
    end = 0
    for start in starts:
        pieces += (text[end : start + bisect_left(breaks, start)], new)
        end = start + len(old)
        end += bisect_left(breaks, end)
    return "".join((*pieces, text[end:]))


def _line(text: str, start: int) -> int:
    return text.count("\n", 0, start) + 1


def _missing(text: str, old: str, path: str) -> ToolError:
    stripped = ["\n".join(map(str.strip, part.split("\n"))) for part in (text, old)]
    whole, part = (f"\n{part}\n" for part in stripped)
    start = whole.find(part)
    hint = "read it again and copy the text exactly"
    if start >= 0 and part.strip():
        hint = f"from line {_line(whole, start)} on it differs only in blanks; {hint}"
    return ToolError(f"{path!r} does not hold the text to replace: {hint}")


def _ambiguous(text: str, starts: list[int], path: str) -> ToolError:
    lines = ", ".join(
        str(line) for line in dict.fromkeys(_line(text, s) for s in starts)
    )
    more = " and more" if len(starts) == _NAMED else ""
    return ToolError(
        f"{path!r} holds the text to replace more than once (lines {lines}{more}):"
        " add lines around it until it is unique, or ask to replace all"
    )
