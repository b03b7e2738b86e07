"""Where output goes: what a terminal can show, and what a pipe must not lose."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console

#: What a stranger's text may steer a terminal with: control characters but for tab and
#: line feed, and those that turn the direction of writing.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def degrade() -> None:
    """Let text that a stream cannot encode become question marks, not an error."""
    for stream in (sys.stdout, sys.stderr):
        # A stream may be somebody's own, and may have been closed.
        with suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # as above


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a person reads the stream; None is one that was closed."""
    return stream is not None and stream.isatty()


def clean(text: str) -> str:
    """Return a text that cannot steer a terminal: each control character is shown."""
    return _CONTROL.sub(_picture, text.replace("\r\n", "\n"))


def _picture(match: re.Match[str]) -> str:
    number = ord(match[0])
    return chr(0x2400 + number) if number < 0x20 else "\ufffd"


def write(text: str) -> None:
    """Write to stdout: to a terminal without what could steer it, else as it is."""
    # `color` keeps click from taking escape sequences out of what a tool said.
    click.echo(clean(text) if is_terminal(sys.stdout) else text, color=True)


def write_prose(text: str) -> None:
    """Write to stdout, wrapped between words where a terminal is narrow."""
    if not is_terminal(sys.stdout):
        write(text)
        return
    from rich.text import Text  # late, as below

    console(sys.stdout).print(Text(clean(text)))


def write_json(value: Any) -> None:
    """Write JSON to stdout, in ASCII."""
    import json  # not needed by most commands

    click.echo(json.dumps(value, indent=2))


def write_labelled(label: str, text: str, colour: str, *, err: bool = False) -> None:
    """Write a text behind a label that is coloured where a terminal takes colours.

    Args:
        label: One word.
        text: What it is about.
        colour: As click names it.
        err: Whether it goes to stderr.
    """
    stream = sys.stderr if err else sys.stdout
    if _takes_colours(stream):
        label = click.style(label, fg=colour)
    click.echo(f"{label}: {clean(text)}", err=err, color=True)


def _takes_colours(stream: TextIO | None) -> bool:
    poor = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return is_terminal(stream) and not poor


def say(text: str) -> None:
    """Write a message to stderr."""
    click.echo(clean(text) if is_terminal(sys.stderr) else text, err=True)


def console(stream: TextIO) -> Console:
    """Return rich's way to write to a terminal."""
    from rich.console import Console  # late: 90 ms, and for terminals only

    return Console(file=stream, highlight=False, markup=False, emoji=False)
