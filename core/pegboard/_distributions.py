"""Installed distributions, and the plugins they declare; none of them is imported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pegboard._version import __version__
from pegboard.errors import PluginError

if TYPE_CHECKING:
    from packaging.requirements import Requirement

TOOLS = "pegboard.tools"
PLUGINS = "pegboard.plugins"
NAME = re.compile(r"[A-Za-z0-9_.-]+")

Need = tuple[str, frozenset[str]]
"""A distribution's name, and the extras of it that are required."""

EVERY_EXTRA = frozenset({"*"})

Distribution = Any
"""One of importlib_metadata's, which has renamed their type from release to release."""


@dataclass(frozen=True, slots=True)
class Found:
    """One plugin that a distribution declares.

    Attributes:
        name: The entry point's name, which is the plugin's.
        group: `pegboard.tools` or `pegboard.plugins`.
        value: What to import: "module:attribute".
        distribution: The distribution's name, as it spells it.
        version: The distribution's version.
        watched: Whether its files may change without a new installation: it is
            editable, or does not say which files are its own.
        refused: Why it cannot be loaded, "" if it can.
        remedy: The way out of that.
    """

    name: str
    group: str
    value: str
    distribution: str
    version: str
    watched: bool = False
    refused: str = ""
    remedy: str = ""

    @property
    def is_pack(self) -> bool:
        """Whether it brings tools only, and has no say over others' calls."""
        return self.group == TOOLS

    @property
    def title(self) -> str:
        """How messages name it."""
        brought_by = f"{self.distribution} {self.version}".strip()
        return f"plugin {self.name!r} ({brought_by})"

    @property
    def way_out(self) -> str:
        """What to do about it if it does not work."""
        return (
            f"Upgrade {self.distribution}, remove it (pip uninstall "
            f"{self.distribution}), or set disable = [{json.dumps(self.name)}]."
        )

    def load(self) -> Any:
        """Import it, and return what the entry point names.

        Raises:
            PluginError: the import failed, in whatever way; SystemExit included.
        """
        from importlib_metadata import EntryPoint  # late: 20 ms

        try:
            return EntryPoint(self.name, self.value, self.group).load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PluginError(
                f"{self.title} cannot be imported from {self.value!r}: {_said(error)}",
                plugin=self.name,
            ) from error


def read_installed() -> tuple[Found, ...]:
    """Return every plugin that a distribution declares, sorted by name."""
    import importlib_metadata  # late: 20 ms, and not at all while the manifest holds

    plugins: set[Found] = set()
    for candidate in importlib_metadata.distributions():
        try:
            text = candidate.read_text("entry_points.txt") or ""
        except (OSError, UnicodeDecodeError):  # a stranger's, as far as one can tell
            continue
        if f"[{TOOLS}]" in text or f"[{PLUGINS}]" in text:
            try:
                # The first one of a name on the path is the one that is imported.
                first = importlib_metadata.distribution(candidate.name)
                plugins.update(_declared(first))
            except Exception as error:  # one broken distribution hides no other
                plugins.add(_unreadable(candidate, text, error))
    return tuple(
        sorted(plugins, key=lambda p: (p.name, p.group, p.distribution, p.value))
    )


class Requirements:
    """What distributions may import; each of them is looked up once."""

    def __init__(self) -> None:
        self._known: dict[Need, set[Need]] = {}

    def of(self, distribution: str) -> list[str]:
        """Return a distribution, what it requires, and what that requires, by name.

        Its own extras count, since a plugin may import what it finds; so does what is
        not installed. What Pegboard requires does not: see `of_pegboard`.
        """
        name = canonical(distribution)
        return sorted(self._closure({(name, EVERY_EXTRA)}))

    def of_pegboard(self) -> list[str]:
        """Return what Pegboard itself requires, which every plugin rests on."""
        return sorted(self._closure(self._direct(("pegboard", frozenset()))))

    def _closure(self, waiting: set[Need]) -> set[str]:
        found: set[Need] = set()
        while waiting:
            need = waiting.pop()
            if need not in found:
                found.add(need)
                if need[0] != "pegboard":
                    waiting |= self._direct(need)
        return {name for name, _ in found}

    def _direct(self, need: Need) -> set[Need]:
        if need not in self._known:
            self._known[need] = set(_needs(*need))
        return self._known[need]


def _needs(name: str, extras: frozenset[str]) -> Iterator[Need]:
    import importlib_metadata  # late, as above
    from packaging.requirements import InvalidRequirement, Requirement

    with suppress(importlib_metadata.PackageNotFoundError):
        for text in importlib_metadata.requires(name) or ():
            with suppress(InvalidRequirement):
                needed = Requirement(text)
                if extras == EVERY_EXTRA or _applies(needed, extras):
                    yield canonical(needed.name), frozenset(needed.extras)


def canonical(name: str) -> str:
    """Return a distribution's name in the one form in which names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared(distribution: Distribution) -> Iterator[Found]:
    watched = _is_watched(distribution)
    excluded = _excluded(distribution)
    for point in distribution.entry_points:
        if point.group in (TOOLS, PLUGINS):
            refused, remedy = excluded or _misnamed(point)
            yield Found(
                point.name,
                point.group,
                point.value,
                distribution.name,
                distribution.version,
                watched=watched,
                refused=refused,
                remedy=remedy,
            )


def _is_watched(distribution: Distribution) -> bool:
    if distribution.read_text("RECORD") is None:
        return True
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))


def _excluded(distribution: Distribution) -> tuple[str, str] | None:
    """Return what to say if a distribution's metadata excludes this Pegboard."""
    from packaging.requirements import Requirement  # late, as above

    for text in distribution.requires or ():
        if canonical(_requirement_name(text)) == "pegboard":
            needed = Requirement(text)
            applies = _applies(needed, frozenset())
            if applies and not needed.specifier.contains(__version__, prereleases=True):
                return (
                    f"it needs pegboard{needed.specifier}, and pegboard {__version__} "
                    f"is installed",
                    f"Upgrade {distribution.name}, or install the Pegboard it needs.",
                )
    return None


def _applies(needed: Requirement, extras: frozenset[str]) -> bool:
    marker = needed.marker
    return marker is None or any(
        marker.evaluate({"extra": extra}) for extra in extras or {""}
    )


def _misnamed(point: Any) -> tuple[str, str]:
    """Return what to say if an entry point's name cannot be a plugin's."""
    if point.name == "code":
        return "the name 'code' is kept for tools passed in code", "Rename it."
    if not NAME.fullmatch(point.name):
        return "a plugin's name is made of letters, digits, '_', '-', '.'", "Rename it."
    return "", ""


def _unreadable(distribution: Distribution, text: str, error: Exception) -> Found:
    """Return what stands for all that a broken distribution declares.

    It is of the group that closes the board if there may be a guard among it.
    """
    # The folder has the name even where the metadata in it is what is broken.
    folder = getattr(distribution, "_path", None)
    name = folder.name.partition("-")[0] if folder else "unknown"
    return Found(
        name,
        PLUGINS if f"[{PLUGINS}]" in text else TOOLS,
        "",
        name,
        "",
        refused=f"its metadata cannot be read: {_said(error)}",
        remedy=f"Install it again: pip install --force-reinstall {name}",
    )


def _requirement_name(text: str) -> str:
    match = NAME.match(text.strip())
    return match.group() if match else ""


def _said(error: BaseException) -> str:
    """Return an exception's type and message, whatever its `__str__` does."""
    try:
        message = str(error)
    except Exception:  # its author's mistake, not ours
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
