"""What a folder holds."""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator, Iterable
from contextlib import closing
from typing import Any, NamedTuple

from pegboard import ToolResult, schemas
from pegboard_files.refusals import told
from pegboard_files.roots import Roots
from pegboard_files.texts import show
from pegboard_files.walking import Tour, find_files, join

OUTPUT = schemas.object(
    {
        "entries": schemas.array(
            schemas.object(
                {
                    "path": schemas.string(),
                    "kind": schemas.string(enum=["file", "folder", "link", "special"]),
                    "bytes": schemas.integer("Size of a file."),
                },
                required=["path", "kind"],
            )
        ),
        "complete": schemas.boolean("Whether these are all."),
    }
)


class Entry(NamedTuple):
    """One line of a listing.

    Attributes:
        path: As a model would give it.
        kind: file, folder, link or special.
        size: Bytes of a file.
    """

    path: str
    kind: str
    size: int | None = None

    @property
    def line(self) -> str:
        """What the model reads."""
        name = show(self.path)
        if self.kind == "folder":
            return f"{name}/"
        return f"{name}  {self.kind if self.size is None else f'{self.size:,} bytes'}"

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        size = {} if self.size is None else {"bytes": self.size}
        return {"path": show(self.path), "kind": self.kind, **size}


def list_folder(roots: Roots, path: str) -> Generator[Entry, None, None]:
    """Yield what one folder holds, sorted by name."""
    tops = roots.expand(path)
    if len(tops) > 1:
        yield from (Entry(name, "folder") for name in tops)
        return
    with roots.enter(path) as place:
        folder = place.open_folder()
    try:
        with told(place.path), os.scandir(folder) as listing:
            found = sorted(listing, key=lambda entry: entry.name)
        for entry in found:
            yield _describe(entry, join(place.path, entry.name))
    finally:
        os.close(folder)


def _describe(entry: os.DirEntry[str], path: str) -> Entry:
    if entry.is_symlink():
        return Entry(path, "link")
    if entry.is_dir(follow_symlinks=False):
        return Entry(path, "folder")
    if not entry.is_file(follow_symlinks=False):
        return Entry(path, "special")
    try:
        return Entry(path, "file", entry.stat(follow_symlinks=False).st_size)
    except OSError:  # removed a moment ago
        return Entry(path, "file")


def find_matching(
    roots: Roots, path: str, glob: str, tour: Tour
) -> Generator[Entry, None, None]:
    """Yield the files below a folder whose path matches a glob."""
    with closing(find_files(roots, path, glob, tour)) as places:
        for place in places:
            here = place.look()
            yield Entry(place.path, "file", here and here.st_size)


def render(entries: Iterable[Entry], limit: int) -> ToolResult:
    """Return what a model reads of entries, and no more than a limit of them."""
    shown = list(itertools.islice(entries, limit + 1))
    complete = len(shown) <= limit
    lines = [entry.line for entry in shown[:limit]]
    if not lines:
        lines = ["[nothing]"]
    elif not complete:
        lines.append(
            f"[there are more than these {limit:,}: list a folder below, or give a"
            " narrower glob]"
        )
    data = {
        "entries": [entry.to_dict() for entry in shown[:limit]],
        "complete": complete,
    }
    return ToolResult("\n".join(lines), data=data)
