"""JSON files that may be lost at any time: read whole or not at all, written whole."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any


def cache_directory() -> Path:
    """Return where this user's cache is; PEGBOARD_CACHE_DIR moves it."""
    if moved := os.environ.get("PEGBOARD_CACHE_DIR"):
        return Path(moved)
    from platformdirs import user_cache_path  # late: 10 ms that a moved cache saves

    return user_cache_path("pegboard", appauthor=False)


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file, {} if there is none that can be read."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: dict[str, Any]) -> bool:
    """Put a JSON object into a file, so that a reader sees the old or the new one.

    Returns:
        False if it could not be written; the old file then stands.
    """
    text = json.dumps(value, separators=(",", ":"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        with suppress(OSError):
            os.unlink(draft)
        return False
    return True
