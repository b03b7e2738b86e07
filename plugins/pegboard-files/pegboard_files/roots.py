"""The folders that no tool leaves, and the way from a path to a place in them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pegboard import ToolError
from pegboard_files.places import FOLDER, Place
from pegboard_files.refusals import outside, told

MAX_LINKS = 40  # as many as Linux follows in one path


class Roots:
    """One folder, or several by name.

    A model's path is relative to the one folder; with several its first part is a
    root's name. Absolute paths serve if they lie in a root as they are written.

    Args:
        paths: Absolute folders by name.
    """

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = {name: str(path.resolve()) for name, path in paths.items()}
        self._spelled = [
            (spelled.rstrip("/") + "/", name)
            for name, path in paths.items()
            for spelled in dict.fromkeys((str(path), self._paths[name]))
        ]

    @property
    def names(self) -> list[str]:
        """The names of the roots."""
        return list(self._paths)

    def expand(self, path: str) -> list[str]:
        """Return a path's one spelling; of "." above several roots, their names."""
        path = self.normalise(path)
        return self.names if path == "." and len(self._paths) > 1 else [path]

    def normalise(self, path: str) -> str:
        """Return the one spelling of a path: relative, without "." and "..".

        Raises:
            ToolError: it leaves the roots, or no file can have that name.
        """
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise ToolError(f"{path!r} can be no file's name") from None
        if "\0" in path:
            raise ToolError(f"{path!r} can be no file's name")
        if path.startswith("/"):
            absolute = posixpath.normpath("/" + path.lstrip("/"))
            root, rest = self._find(absolute, path)
            path = posixpath.join(root, rest)
        path = posixpath.normpath(path)
        if path.split("/", 1)[0] == "..":
            raise outside(path)
        return path

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Spell the argument `path` in its one way, so that guards see where it leads.

        Calls on one file then share one resource, too. What cannot be spelled is
        left for the body to refuse.
        """
        if isinstance(arguments.get("path"), str):
            with suppress(ToolError):
                arguments["path"] = self.normalise(arguments["path"])
        return arguments

    @contextmanager
    def enter(self, path: str, *, make_folders: bool = False) -> Iterator[Place]:
        """Walk to a path and hold its folder open.

        Links are followed as long as they stay inside, each by hand: the system is
        only ever asked for one name in a folder that is already held.

        Args:
            path: As a model gives it.
            make_folders: Whether to make the folders that are missing on the way.

        Raises:
            ToolError: the way leaves the roots, or does not exist.
        """
        path = self.normalise(path)
        root, parts = self._split(path)
        walk = _Walk(self, root, path, make_folders)
        try:
            with told(path):
                name = walk.follow(parts)
            yield Place(walk.folder, name, path)
        finally:
            walk.close()

    def open_root(self, name: str) -> int:
        """Return a descriptor of a root."""
        return os.open(self._paths[name], FOLDER)

    def find_target(self, target: str, path: str) -> tuple[str, str]:
        """Return the root and the rest of an absolute link.

        Raises:
            ToolError: it leads outside; names the path, not the target.
        """
        return self._find(target, path)

    def _split(self, path: str) -> tuple[str, list[str]]:
        parts = [] if path == "." else path.split("/")
        if len(self._paths) == 1:
            return self.names[0], parts
        if not parts or parts[0] not in self._paths:
            known = ", ".join(map(repr, self.names))
            raise ToolError(f"{path!r} must begin with one of {known}")
        return parts[0], parts[1:]

    def _find(self, absolute: str, path: str) -> tuple[str, str]:
        for spelled, name in self._spelled:
            if f"{absolute}/".startswith(spelled):
                return name, absolute[len(spelled) :]
        raise outside(path)


class _Walk:
    """The folder that is held open on the way, and the names that led to it."""

    def __init__(self, roots: Roots, root: str, path: str, make: bool) -> None:
        self._roots = roots
        self._root = root
        self._path = path
        self._make = make
        self._names: list[str] = []
        self.folder = -1
        with told(path):
            self.folder = roots.open_root(root)

    def follow(self, parts: list[str]) -> str:
        """Go to the last part's folder; return the last part, "." for a folder."""
        pending, links = parts[::-1], 0
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == "..":
                self._climb()
            elif (target := self._read_link(part)) is not None:
                links += 1
                if links > MAX_LINKS:
                    raise ToolError(f"{self._path!r} goes round in links")
                pending += self._turn(target).split("/")[::-1]
            elif pending:
                self._descend(part)
            else:
                return part
        return "."

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self.folder)

    def _read_link(self, name: str) -> str | None:
        try:
            return os.readlink(name, dir_fd=self.folder)
        except OSError:  # no link, or not there: opening it will say so
            return None

    def _turn(self, target: str) -> str:
        if not target.startswith("/"):
            return target
        self._root, rest = self._roots.find_target(target, self._path)
        self._start(())
        return rest

    def _climb(self) -> None:
        # Never by asking for "..": a folder that is moved meanwhile has another one.
        if not self._names:
            raise outside(self._path)
        self._start(self._names[:-1])

    def _start(self, names: tuple[str, ...] | list[str]) -> None:
        self._hold(self._roots.open_root(self._root))
        self._names = []
        for name in names:
            self._descend(name)

    def _descend(self, name: str) -> None:
        try:
            self._hold(os.open(name, FOLDER, dir_fd=self.folder))
        except FileNotFoundError:
            if not self._make:
                raise
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self.folder)
            self._hold(os.open(name, FOLDER, dir_fd=self.folder))
        self._names.append(name)

    def _hold(self, folder: int) -> None:
        os.close(self.folder)
        self.folder = folder
