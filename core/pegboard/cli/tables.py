"""Tables: fitted to a terminal, plain aligned lines in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

import click

from pegboard.cli.terminal import clean, console, is_terminal

Row = Sequence[str]
GAP = "  "
#: Styles of words that tell at a glance how something is.
STYLES = {
    "success": "green",
    "deferred": "yellow",
    "loaded": "green",
    "disabled": "dim",
    "failed": "red",
    "error": "red",
    "warning": "yellow",
    "destructive": "red",
    "writes": "yellow",
    "read-only": "green",
}


def write_table(columns: Row, rows: Sequence[Row]) -> None:
    """Write a table to stdout; each row has one text a column."""
    if is_terminal(sys.stdout):
        _write_fitted(columns, rows)
        return
    for line in plain_lines(columns, rows):
        click.echo(line)


def plain_lines(columns: Row, rows: Sequence[Row]) -> list[str]:
    """Return a table as aligned lines, one a row, nothing cut."""
    table = [
        [" ".join(clean(cell).split()) for cell in row] for row in (columns, *rows)
    ]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    return [
        GAP.join(
            cell + " " * (width - _width(cell))
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in table
    ]


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(1 for char in text if combining(char))


def _write_fitted(columns: Row, rows: Sequence[Row]) -> None:
    from rich.table import Table  # late: for terminals only
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(
            *(
                Text(clean(cell), style=STYLES.get(cell.partition(" ")[0], ""))
                if number < len(row) - 1
                else Text(clean(cell))
                for number, cell in enumerate(row)
            )
        )
    console(sys.stdout).print(table)
