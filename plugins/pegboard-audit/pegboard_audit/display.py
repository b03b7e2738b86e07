"""Records and figures as lines of text for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, get_args

import click

from pegboard.results import Status
from pegboard_audit.lines import Record
from pegboard_audit.statistics import UNKNOWN

COLOURS = {"success": "green", "deferred": "yellow", "cancelled": "yellow"}


def say(text: str) -> None:
    """Print a line; what the terminal's encoding lacks is escaped."""
    encoding = sys.stdout.encoding or "ascii"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding))


def describe(record: Record) -> str:
    """Return a record as one line: when, what became of it, tool, seconds, id, who."""
    status = str(record.get("status"))
    outcome = printable(record.get("code") or status)
    tool = record.get("tool") or f"{record.get('name')} {UNKNOWN}"
    line = "  ".join(
        [
            printable(record.get("time"))[:23].replace("T", " "),
            click.style(f"{outcome:19}", COLOURS.get(status, "red")),
            f"{printable(tool):24}",
            f"{seconds(record.get('duration')):>8}",
            printable(record.get("call")),
        ]
    )
    return f"{line}  by {printable(record['by'])}" if record.get("by") else line


def figures(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a table of what `count_calls` returned, with the statuses that occur."""
    statuses = [s for s in get_args(Status) if any(s in r["statuses"] for r in rows)]
    head = ["tool", "calls", *statuses, "errors", "p50", "p95"]
    body = [
        [
            printable(row["tool"]),
            str(row["calls"]),
            *(str(row["statuses"].get(status, 0)) for status in statuses),
            f"{row['error_rate']:.1%}",
            seconds(row["p50"]),
            seconds(row["p95"]),
        ]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return [_aligned(cells, widths) for cells in (head, *body)]


def seconds(value: object) -> str:
    """Return a duration in the unit that suits it; "-" if there is none."""
    if not isinstance(value, (int, float)):
        return "-"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def printable(value: object) -> str:
    """Return a value as text that cannot steer a terminal: the model chose it."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in str(value)
    )


def _aligned(cells: Iterable[str], widths: Iterable[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    return "  ".join(
        [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    )
