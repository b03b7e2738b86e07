"""Checked settings, kept for the next process that finds the same sources.

What is kept serves to show tools, never to run them: a cache that somebody changed must
not be able to switch a policy off. So whoever runs calls reads the sources.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pegboard._cache import cache_directory, read_json, write_json
from pegboard._settings.loading import Resolved
from pegboard._settings.sources import Source
from pegboard._version import __version__
from pegboard.problems import Problem


def sources_key(
    sources: Iterable[Source],
    environ: Mapping[str, str],
    code: Mapping[str, Any] | None,
) -> str:
    """Return what changes with every source, "" for sources that are not to be kept.

    Variables for plugins are not: their values may be secrets.
    """
    if any(name.upper().startswith("PEGBOARD_PLUGINS") for name in environ):
        return ""
    files = [
        (s.kind, str(s.path), _digest(s.content), s.trusted, str(s.hides))
        for s in sources
    ]
    try:
        said = json.dumps([__version__, files, sorted(environ.items()), code])
    except (TypeError, ValueError):
        return ""
    return _digest(said.encode())


def recall(start: Path | None, key: str) -> Resolved | None:
    """Return what these sources came to last time, None if that is not known."""
    entry = read_json(_file(start)) if key else {}
    if not key or entry.get("key") != key:
        return None
    try:
        said = dict(entry["resolved"])
        problems = tuple(Problem(**problem) for problem in said.pop("problems"))
        finals = tuple(said.pop("finals"))
        return replace(Resolved(**said), finals=finals, problems=problems, kept=True)
    except (KeyError, TypeError, ValueError):
        return None


def keep(start: Path | None, key: str, resolved: Resolved) -> None:
    """Keep what these sources came to."""
    if key:
        write_json(_file(start), {"key": key, "resolved": asdict(resolved)})


def _file(start: Path | None) -> Path:
    name = _digest(str(start and start.absolute()).encode())[:16]
    return cache_directory() / "settings" / f"{name}.json"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
