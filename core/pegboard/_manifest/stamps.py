"""Signs that what is installed has changed, or has not.

A stamp takes microseconds and says whether anything may have changed; a fingerprint
takes a look into every folder of the path and says which distributions have.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pegboard._distributions import canonical
from pegboard._version import __version__

METADATA = (".dist-info", ".egg-info", ".egg-link")
UNSETTLED = -1
"""Stands for the time of what changed just now: the clock of files is too coarse to
tell another change in the same tick, so it is asked again next time."""

TICK = 50_000_000  # nanoseconds; kernels count in steps of up to 10 ms

VOLATILE = frozenset({"_", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL"})

Stamp = dict[str, Any]
Fingerprint = dict[str, Any]


def take_stamp(before: Stamp | None = None) -> Stamp:
    """Return the interpreter, Pegboard's version, and the folders of `sys.path`.

    Args:
        before: An earlier stamp; a folder unchanged since then need not be looked into.
    """
    known = {
        path: (time, holds) for path, time, holds in (before or {}).get("path", ())
    }
    folders = []
    for path in dict.fromkeys(os.path.abspath(entry) for entry in sys.path):
        if (changed := _changed(path)) is not None:
            before_time, held = known.get(path, (None, False))
            holds = held if before_time == changed else _holds_distributions(path)
            folders.append([path, changed, holds])
    return {
        "python": [sys.executable, sys.version, sys.prefix],
        "pegboard": __version__,
        "path": folders,
    }


def settled(stamp: Stamp) -> Stamp:
    """Return a stamp to keep: what changed within the last tick counts as unknown."""
    now = time.time_ns()
    path = [
        [folder, UNSETTLED if now - changed < TICK else changed, holds]
        for folder, changed, holds in stamp["path"]
    ]
    return {**stamp, "path": path}


def is_same(one: Stamp, other: Stamp) -> bool:
    """Return whether nothing that is installed can have changed between two stamps."""
    return _essence(one) == _essence(other)


def is_same_interpreter(one: Stamp, other: Stamp) -> bool:
    """Return whether two stamps are of one interpreter and one Pegboard."""
    return _essence(one)[:2] == _essence(other)[:2]


def take_fingerprint(stamp: Stamp) -> Fingerprint:
    """Return each distribution's folder and the time of its RECORD, by its name."""
    found: Fingerprint = {}
    for path, changed, holds in stamp["path"]:
        in_zip = holds and os.path.isfile(path)
        for name in _folders(path) if holds else ():
            distribution = canonical(name.rpartition(".")[0].partition("-")[0])
            folder = os.path.join(path, name)
            found.setdefault(
                distribution, [folder, changed if in_zip else _recorded(folder)]
            )
    return found


def differing(one: Fingerprint, other: Fingerprint) -> set[str]:
    """Return the names of distributions that came, went or changed."""
    return {
        name for name in one.keys() | other.keys() if one.get(name) != other.get(name)
    }


def watched_files(module: str, *, failed: bool, since: int) -> dict[str, list[int]]:
    """Return time and size of each file that a watched plugin may have come from.

    These are the files of loaded modules that no installed distribution records, and of
    the plugin's own; after a failed import all files of its package.

    Args:
        module: The module that the plugin's entry point names.
        failed: Whether its import has failed.
        since: Nanoseconds since the epoch; a file that changed later is unsettled.
    """
    root = module.partition(".")[0]
    recorded = tuple(f"{folder}{os.sep}" for folder in _recorded_folders())
    files = _package_files(root) if failed else []
    for name, file in _module_files():
        if name.partition(".")[0] == root or not file.startswith(recorded):
            files.append(file)
    times = {}
    for file in files:
        if found := file_time(file):
            times[file] = [UNSETTLED, found[1]] if found[0] >= since else found
    return times


def file_time(path: str) -> list[int] | None:
    """Return when a file changed, in nanoseconds, and its size; None if it is gone."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return [found.st_mtime_ns, found.st_size]


def environment_digest() -> str:
    """Return what changes with the variables that an import may have failed for."""
    said = sorted(item for item in os.environ.items() if item[0] not in VOLATILE)
    return hashlib.sha256(repr(said).encode(errors="surrogateescape")).hexdigest()[:16]


def _essence(stamp: Stamp) -> list[Any]:
    folders = [[path, changed] for path, changed, holds in stamp["path"] if holds]
    return [stamp["python"], stamp["pegboard"], folders]


def _changed(path: str) -> int | None:
    found = file_time(path)
    return found[0] if found else None


def _holds_distributions(path: str) -> bool:
    return bool(_folders(path))


def _folders(path: str) -> list[str]:
    """Return the folders of metadata in a folder or zip of the path."""
    try:
        names = os.listdir(path)
    except NotADirectoryError:
        names = _zipped(path)
    except OSError:
        return []
    return sorted(name for name in names if name.endswith(METADATA))


def _zipped(path: str) -> list[str]:
    from zipfile import BadZipFile, ZipFile  # late: hardly any path has one

    try:
        with ZipFile(path) as zipped:
            return list({name.partition("/")[0] for name in zipped.namelist()})
    except (BadZipFile, OSError):
        return []


def _recorded(folder: str) -> int | None:
    return _changed(os.path.join(folder, "RECORD")) or _changed(folder)


def _recorded_folders() -> list[str]:
    """Return the folders whose files do not change without a new installation."""
    found = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    for path in map(os.path.abspath, sys.path):
        with suppress(OSError):
            if any(name.endswith(".dist-info") for name in os.listdir(path)):
                found.append(path)
    return found


def _module_files() -> list[tuple[str, str]]:
    found = []
    for name, module in list(sys.modules.items()):
        with suppress(AttributeError):  # what stands there need be no module
            # Not getattr: a lazy module would be imported by it.
            file = object.__getattribute__(module, "__dict__").get("__file__")
            if isinstance(file, str):
                found.append((name, os.path.abspath(file)))
    return found


def _package_files(root: str) -> list[str]:
    try:
        spec = find_spec(root)
    except (AttributeError, ImportError, ValueError):
        return []
    if spec is None:
        return []
    files = [spec.origin] if spec.has_location and spec.origin else []
    for folder in spec.submodule_search_locations or ():
        files += map(str, Path(folder).rglob("*.py"))
    return files
