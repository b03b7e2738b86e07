"""Where the command begins: what needs no command is answered at once."""

from __future__ import annotations

import os
import sys

from pegboard._version import __version__
from pegboard.cli import kept


def main() -> None:
    """Run the command line."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        _answer(f"pegboard {__version__}\n")
    elif arguments != ["list"] or not _answers_listing():
        from pegboard.cli.group import main as run_group  # late: click takes 25 ms

        run_group()


def _answers_listing() -> bool:
    """Write the listing that was kept, to whatever is no terminal."""
    stream = sys.stdout
    if stream is None or stream.isatty():
        return False
    text = kept.recall()
    if text is None or not (text.isascii() or stream.encoding.lower() == "utf-8"):
        return False
    _answer(text)
    return True


def _answer(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on; Python would complain of it when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
