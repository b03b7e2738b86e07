"""Tables: fitted to a terminal, plain aligned lines in a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from unicodedata import combining, east_asian_width

import click

from pegboard.cli.terminal import clean, console, is_terminal

Row = Sequence[str]
GAP = "  "
#: Columns of the last cell that a row must have room for, else it goes below.
ROOM = 24
#: Headers of columns of numbers, which stand at the right.
RIGHT = {"#", "time", "tools", "import"}


def write_table(
    columns: Row, rows: Sequence[Row], styles: Mapping[str, str] | None = None
) -> None:
    """Write a table to stdout; each row has one text a column.

    Args:
        columns: The headers.
        rows: What stands below them; the last column may hold long texts.
        styles: First word of a cell -> its colour, on a terminal.
    """
    if not is_terminal(sys.stdout):
        for line in plain_table(columns, rows):
            click.echo(line)
        return
    listed = [_lines_joined(row) for row in rows]
    widths = _widths([columns, *listed])
    fitted = sum(widths[:-1]) + len(GAP) * len(widths)
    target = console(sys.stdout)
    if fitted + min(ROOM, widths[-1]) <= target.width:
        target.print(_fitted(columns, listed, styles or {}))
        return
    for row in listed:
        for text in _stacked(row, target.width):
            target.print(text)


def plain_table(columns: Row, rows: Sequence[Row]) -> list[str]:
    """Return a table of whatever texts as it stands in a pipe."""
    return plain_lines(columns, [_lines_joined(row) for row in rows])


def plain_lines(columns: Row, rows: Sequence[Row]) -> list[str]:
    """Return a table as aligned lines, one a row, nothing cut."""
    widths = _widths([columns, *rows])
    return [
        GAP.join(
            _padded(cell, width, right=name in RIGHT)
            for cell, width, name in zip(row, widths, columns, strict=True)
        ).rstrip()
        for row in (columns, *rows)
    ]


def _lines_joined(row: Row) -> list[str]:
    return [re.sub(r"\s*\n\s*", " ", clean(cell).strip("\n")) for cell in row]


def _widths(table: Sequence[Row]) -> list[int]:
    return [max(map(_width, column)) for column in zip(*table, strict=True)]


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(1 for char in text if combining(char))


def _fitted(columns: Row, rows: Sequence[Row], styles: Mapping[str, str]) -> object:
    """Return a table whose last column is wrapped."""
    from rich.table import Table  # late: for terminals only
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for number, name in enumerate(columns, 1):
        table.add_column(
            name,
            justify="right" if name in RIGHT else "left",
            no_wrap=number < len(columns),
            overflow="fold",
        )
    for row in rows:
        words = [re.split(r"\W", cell, maxsplit=1)[0] for cell in row[:-1]]
        cells = [
            Text(cell, style=styles.get(word, ""))
            for cell, word in zip(row, words, strict=False)
        ]
        table.add_row(*cells, Text(row[-1]))
    return table


def _stacked(row: Row, width: int) -> list[object]:
    """Return a row on several lines: what fits beside the first cell, the rest below.

    For narrow terminals, where columns would be one word wide.
    """
    from rich.padding import Padding  # late, as above
    from rich.text import Text

    cells = [cell for cell in row if cell.strip()]
    first = 1
    while first < len(cells) - 1 and _width(GAP.join(cells[: first + 1])) <= width:
        first += 1
    below = [Padding(Text(cell), (0, 0, 0, len(GAP))) for cell in cells[first:]]
    return [Text(GAP.join(cells[:first])), *below]
