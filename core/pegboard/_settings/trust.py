"""Which project files this user lets grant secrets and start programs.

A project's file comes with its repository, so it counts as a stranger's until the user
says otherwise, and again once it has changed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from pegboard._cache import read_json, write_json
from pegboard.errors import UsageError


def is_trusted(file: Path, content: bytes) -> bool:
    """Return whether the user trusts a project file with exactly this content."""
    return read_json(store_file()).get(str(file.resolve())) == _digest(content)


def trust(file: Path) -> None:
    """Let a project file, as it is now, grant secrets and start programs.

    Raises:
        UsageError: the file cannot be read, or the decision cannot be kept.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    _write({**read_json(store_file()), str(file.resolve()): _digest(content)})


def distrust(file: Path) -> None:
    """Take back what `trust` gave."""
    known = read_json(store_file())
    if known.pop(str(file.resolve()), None) is not None:
        _write(known)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def store_file() -> Path:
    """Return where it is kept which files are trusted."""
    from platformdirs import user_state_path  # late: 10 ms, for project files only

    return user_state_path("pegboard", appauthor=False) / "trusted.json"


def _write(known: dict[str, str]) -> None:
    if not write_json(store_file(), known):
        raise UsageError(f"{store_file()} cannot be written, so trust cannot be kept")
