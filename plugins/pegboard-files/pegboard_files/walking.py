"""All files below a folder, in order, without following links."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from pegboard_files.globs import compile_glob
from pegboard_files.places import FOLDER, Place
from pegboard_files.refusals import told
from pegboard_files.roots import Roots
from pegboard_files.texts import show

MAX_DEPTH = 64  # one descriptor is held for each folder on the way down


@dataclass
class Tour:
    """One walk, and what it left out.

    Attributes:
        skip: Names of folders that are not entered.
        visit: Called with every entry; stops the walk by raising.
        skipped: What was left out -> how often.
    """

    skip: frozenset[str]
    visit: Callable[[], None]
    skipped: Counter[str] = field(default_factory=Counter)

    def below(
        self, folder: int, path: str, depth: int = 0
    ) -> Generator[Place, None, None]:
        """Yield the regular files below an open folder, sorted by name.

        Args:
            folder: Descriptor of the folder; stays the caller's.
            path: The folder as the model knows it.
            depth: How far below the start it lies.
        """
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            self.visit()
            place = Place(folder, entry.name, join(path, entry.name))
            if entry.is_symlink():
                self.skipped["links"] += 1
            elif entry.is_dir(follow_symlinks=False):
                yield from self._enter(place, depth + 1)
            elif entry.is_file(follow_symlinks=False):
                yield place
            else:
                self.skipped["special files"] += 1

    def _enter(self, place: Place, depth: int) -> Generator[Place, None, None]:
        if place.name in self.skip:
            self.skipped[f"folders called {place.name}"] += 1
            return
        if depth > MAX_DEPTH:
            self.skipped["folders that lie too deep"] += 1
            return
        try:
            folder = os.open(place.name, FOLDER, dir_fd=place.folder)
            try:
                yield from self.below(folder, place.path, depth)
            finally:
                os.close(folder)
        except OSError:
            self.skipped["unreadable folders"] += 1


def find_files(
    roots: Roots, path: str, glob: str | None, tour: Tour
) -> Generator[Place, None, None]:
    """Yield the file at a path, or those below it that match a glob.

    Close the iterator: it holds folders open.

    Args:
        roots: Where to look.
        path: A file or folder, as a model gives it.
        glob: For paths relative to that folder; None matches all.
        tour: What is left out.
    """
    matches = compile_glob(glob) if glob is not None else None
    start = roots.normalise(path)
    for top in roots.expand(start):
        with roots.enter(top) as place:
            here = place.look()
            if here is not None and stat.S_ISREG(here.st_mode):
                yield place
                continue
            folder = place.open_folder()
            try:
                with told(place.path):
                    for found in tour.below(folder, place.path):
                        below = found.path[0 if start == "." else len(start) + 1 :]
                        if matches is None or matches(show(below)):
                            yield found
            finally:
                os.close(folder)


def join(folder: str, name: str) -> str:
    """Return the path of a name in a folder, both as the model knows them."""
    return name if folder == "." else f"{folder}/{name}"
