"""The listing as it was last written, as long as nothing that it was made of changed.

Whatever is installed, `pegboard list` in a pipe then costs a few files' times: no
settings, no manifest, no click. So this module imports next to nothing.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib

from pegboard._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: Variables that say where files are.
PLACES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CONFIG_DIRS")
#: What ends or makes a project, in the working directory and above.
PROJECT = ("pegboard.toml", "pyproject.toml", ".git", ".hg")
#: Nanoseconds in which two changes of a file may look the same.
TICK = 50_000_000


def recall() -> str | None:
    """Return the listing, None if it is not known or may be another now."""
    try:
        with open(_file(), encoding="utf-8") as file:
            kept = json.load(file)
        if kept["made_of"] == _made_of() and all(
            _sign(path) == sign for path, sign in kept["files"].items()
        ):
            return str(kept["text"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # then it is made anew
    return None


def keep(text: str, files: Iterable[str]) -> None:
    """Keep a listing.

    Args:
        text: What was written.
        files: What else it was made of, besides the folders on the path and the
            project's files.
    """
    from pathlib import Path  # late: to recall needs none of these

    from pegboard._cache import write_json

    signs = {path: _sign(path) for path in (*_own_files(), *files)}
    now = time.time_ns()
    if all(sign is None or now - sign[0] > TICK for sign in signs.values()):
        kept = {"made_of": _made_of(), "files": signs, "text": text}
        write_json(Path(_file()), kept)


def _file() -> str:
    name = zlib.crc32(f"{sys.executable}\0{os.getcwd()}".encode("utf-8", "replace"))
    folder = os.environ.get("PEGBOARD_CACHE_DIR")
    if not folder:
        # Where platformdirs has it on Linux; elsewhere what is kept here is found too.
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        folder = os.path.join(home, "pegboard")
    return os.path.join(folder, "listings", f"{name:08x}.json")


def _made_of() -> dict[str, Any]:
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PEGBOARD_") or name in PLACES
    }
    return {
        "pegboard": __version__,
        "python": [sys.executable, sys.version, sys.prefix],
        "path": sys.path,
        "folder": os.getcwd(),
        "variables": variables,
    }


def _own_files() -> list[str]:
    folders = [os.getcwd()]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    own = [os.path.join(folder, name) for folder in folders for name in PROJECT]
    return [*map(os.path.abspath, sys.path), *own]


def _sign(path: str) -> list[int] | None:
    """Return what changes with a file; of a repository's own folder, its owner."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    if path.endswith((".git", ".hg")):
        return [0, 0, 0, found.st_uid]
    return [found.st_mtime_ns, found.st_size, found.st_ino, found.st_uid]
