"""Layers of settings folded into one table, each value with where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pegboard._settings.sources import Layer
from pegboard.problems import Problem

Path = tuple[str, ...]

HELD = ("required", "optional")
"""Keys that nobody can change once the organisation's file has set them."""


@dataclass(slots=True)
class Merged:
    """The layers so far, the last one on top.

    Attributes:
        table: Every value that some layer set.
        origins: For each value, by its path, the layer it came from.
        finals: Dotted keys that the organisation's file holds.
        holder: That file.
        organisation: All that it says.
        problems: What the layers say without effect.
    """

    table: dict[str, Any] = field(default_factory=dict)
    origins: dict[Path, str] = field(default_factory=dict)
    finals: tuple[str, ...] = ()
    holder: str = ""
    organisation: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, layer: Layer) -> None:
        """Put a checked layer on top of the others."""
        for path, value in leaves(layer.table):
            if value == {} and isinstance(get(self.table, path), dict):
                continue
            if layer.kind != "organisation" and self._holds(path):
                self._refuse(path, value, layer)
            elif path == ("disable",):
                self._extend(path, value, layer.origin)
            else:
                self._set(path, value, layer.origin)
        if layer.kind == "organisation":
            held = [key for key in HELD if key in layer.table]
            self.finals = (*layer.table.get("final", ()), *held)
            self.holder, self.organisation = layer.origin, layer.table

    def _holds(self, path: Path) -> bool:
        key = ".".join(path)
        if any(is_within(key, final) or is_within(final, key) for final in self.finals):
            return True
        # A final key of the board holds against the same key of single tools, too.
        return path[0] == "tools" and len(path) > 2 and path[2] in self.finals

    def _refuse(self, path: Path, value: Any, layer: Layer) -> None:
        if get(self.table, path) != value:
            self.problems.append(
                Problem(
                    f"{'.'.join(path)!r} of {layer.origin} has no effect: "
                    f"{self.holder} holds it",
                    remedy=f"Remove it from {layer.origin}.",
                    severity="warning",
                )
            )

    def _extend(self, path: Path, value: list[str], origin: str) -> None:
        before = get(self.table, path) or []
        if new := [item for item in value if item not in before]:
            known = self.origins.get(path)
            self._set(path, [*before, *new], f"{known}, {origin}" if known else origin)

    def _set(self, path: Path, value: Any, origin: str) -> None:
        table = self.table
        for part in path[:-1]:
            inner = table.get(part)
            if not isinstance(inner, dict):
                inner = table[part] = {}
            table = inner
        table[path[-1]] = value
        for known in [
            p for p in self.origins if is_prefix(path, p) or is_prefix(p, path)
        ]:
            del self.origins[known]
        self.origins[path] = origin


def leaves(table: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every value that is no table, and every empty table, with its path."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def get(table: Mapping[str, Any], path: Iterable[str]) -> Any:
    """Return the value at a path, None if there is none."""
    value: Any = table
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def is_prefix(start: Path, path: Path) -> bool:
    """Return whether a path begins with another one."""
    return path[: len(start)] == start


def is_within(key: str, table: str) -> bool:
    """Return whether a dotted key is, or stands in, the one named `table`."""
    return key == table or key.startswith(f"{table}.")
