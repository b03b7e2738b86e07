"""`pegboard cache`: what is kept between two runs; it may be lost at any time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from pegboard._cache import cache_directory
from pegboard.cli.ending import debug_option
from pegboard.cli.terminal import write
from pegboard.cli.words import counted

#: Folders of the cache. Nothing else is touched: PEGBOARD_CACHE_DIR may be anybody's.
FOLDERS = ("manifest", "settings")


@click.group()
@debug_option
def cache() -> None:
    """Look after what is kept between two runs, so that plugins need no import."""


@cache.command()
@debug_option
def clear() -> None:
    """Forget what is known of the plugins; the next command looks at all of them."""
    directory = cache_directory()
    removed = sum(_empty(directory / name) for name in FOLDERS)
    write(f"{counted(removed, 'file')} removed from {directory}")


def _empty(folder: Path) -> int:
    """Remove the files of one folder, and the folder; return how many there were."""
    files = [path for path in folder.glob("*") if path.suffix in (".json", ".tmp")]
    for path in files:
        path.unlink(missing_ok=True)
    with suppress(OSError):  # there is none, or somebody else's file is in it
        folder.rmdir()
    return len(files)
