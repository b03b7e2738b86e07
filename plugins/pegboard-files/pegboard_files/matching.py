"""Lines of a text that match a regular expression, in time linear in its length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import re2  # type: ignore[import-untyped]  # it ships no types

from pegboard import ToolError

_WIDTH = 300  # bytes of a long line that are shown
_LEAD = 100  # of them, before what matched

Span = tuple[int, int]


def compile_pattern(pattern: str, *, ignore_case: bool) -> Any:
    """Return a regular expression of which no match spans a line break.

    Raises:
        ToolError: it is none, or needs look-around or backreferences.
    """
    options = re2.Options()
    options.log_errors = False
    options.never_nl = options.never_capture = True
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(f"(?m){pattern}", options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = "it is no valid text"
        if isinstance(error, re2.error):
            reason = error.args[0].decode("utf-8", "replace").partition(": (?m)")[0]
        raise ToolError(
            f"{pattern!r} is no regular expression that can be searched for: {reason}"
            " (RE2 syntax: no look-around, no backreferences)"
        ) from None


class Line(NamedTuple):
    """A line of which a part matched.

    Attributes:
        number: From 1.
        start: Where it begins in the data.
        end: Where its line break is.
        at: Where in the data the match begins.
    """

    number: int
    start: int
    end: int
    at: int


def find_lines(pattern: Any, data: bytes) -> Iterator[Line]:
    """Yield the lines of UTF-8 text that match, each once."""
    number, start = 1, 0
    while start < len(data) and (found := pattern.search(data, start)):
        at = found.start()
        before, start = start, data.rfind(b"\n", start, at) + 1 or start
        if start == len(data):
            return  # an empty match behind the last line break is on no line
        number += data.count(b"\n", before, start)
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield Line(number, start, end, at)
        number, start = number + 1, end + 1


def find_before(data: bytes, start: int, count: int) -> list[Span]:
    """Return where up to `count` lines before a line begin and end."""
    spans: list[Span] = []
    while len(spans) < count and start > 0:
        end = start - 1
        start = data.rfind(b"\n", 0, end) + 1
        spans.append((start, end))
    return spans[::-1]


def find_after(data: bytes, end: int, count: int) -> list[Span]:
    """Return where up to `count` lines after a line begin and end."""
    spans: list[Span] = []
    while len(spans) < count and end + 1 < len(data):
        start = end + 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        spans.append((start, end))
    return spans


def clip(data: bytes, span: Span, at: int | None = None) -> str:
    """Return a line as valid text, a long one cut to what surrounds a place in it."""
    start, end = span
    if end - start <= _WIDTH:
        return data[start:end].decode("utf-8", "replace")
    first = max(start, min((at or start) - _LEAD, end - _WIDTH))
    last = min(first + _WIDTH, end)
    middle = data[first:last].decode("utf-8", "replace").strip("\ufffd")
    return f"{'…' * (first > start)}{middle}{'…' * (last < end)}"
