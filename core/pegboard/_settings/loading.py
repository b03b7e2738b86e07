"""All layers of settings: found, checked and folded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pegboard._settings.checks import check_layer
from pegboard._settings.layers import Merged
from pegboard._settings.sources import (
    Layer,
    Source,
    find_project,
    read_source,
    user_file,
    variables,
)
from pegboard.errors import SettingsError
from pegboard.problems import Problem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Resolved:
    """What all layers together say, as plain values.

    Attributes:
        table: Every value that some layer set.
        origins: Dotted key to the layer that its value came from.
        finals: Dotted keys that the organisation's file holds.
        held: The `tools` of the organisation's file.
        problems: What is said without effect, and what could not be read.
        project: The project's file, "" if there is none.
        trusted: Whether the project's file may grant secrets and start programs.
        below: The plugins' tables as they are without an untrusted project file.
        without_plugins: Whether PEGBOARD_NO_PLUGINS is set.
        kept: Whether this comes from the cache, so that no call may rest on it.
    """

    table: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    finals: tuple[str, ...] = ()
    held: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    project: str = ""
    trusted: bool = True
    below: Mapping[str, Any] = field(default_factory=dict)
    without_plugins: bool = False
    kept: bool = False


@dataclass(slots=True)
class Reading:
    """One reading of all layers.

    Attributes:
        tolerant: Whether a layer that is wrong is left out, with a problem.
        problems: What is wrong, or has no effect.
    """

    tolerant: bool = False
    problems: list[Problem] = field(default_factory=list)

    def attempt(self, step: Callable[[], T]) -> T | None:
        """Return what a step returns, None if it failed and that is tolerated."""
        try:
            return step()
        except SettingsError as error:
            if not self.tolerant:
                raise
            remedy = f"Mend {error.file}; until then nothing of it is applied."
            self.problems.append(Problem(str(error), remedy=remedy))
            return None

    def files(self, organisation: Path, project: Path | None) -> list[Source]:
        """Return the settings files that there are, from the bottom."""
        steps: list[Callable[[], Source | None]] = [
            partial(read_source, organisation, "organisation"),
            lambda: read_source(user_file(), "user"),
        ]
        if project is not None:
            steps.append(partial(find_project, project))
        found = [source for step in steps if (source := self.attempt(step))]
        for source in found:
            if source.hides:
                said = (
                    f"{source.hides} has settings, and {source.path} beside it is read"
                )
                remedy = f"Put them into {source.path}."
                self.problems.append(Problem(said, remedy, severity="warning"))
        return found

    def resolve(
        self,
        sources: Iterable[Source],
        environ: Mapping[str, str],
        code: Mapping[str, Any] | None,
    ) -> Resolved:
        """Return what files, variables and code say together."""
        read = [layer for source in sources if (layer := self.attempt(source.layer))]
        files = self._check(read)
        above = variables(environ, self.fold(files).table)
        if code:
            above.append(Layer("code", dict(code), "code"))
        return self.fold(files + self._check(above))

    def fold(self, layers: list[Layer]) -> Resolved:
        """Return what checked layers say together."""
        merged, below = Merged(), Merged()
        for layer in layers:
            merged.add(layer)
            if layer.trusted:
                below.add(layer)
        project = next((layer for layer in layers if layer.kind == "project"), None)
        trusted = project is None or project.trusted
        return Resolved(
            table=merged.table,
            origins={".".join(path): origin for path, origin in merged.origins.items()},
            finals=merged.finals,
            held=merged.organisation.get("tools", {}),
            problems=(*self.problems, *merged.problems),
            project=project.origin if project else "",
            trusted=trusted,
            below={} if trusted else below.table.get("plugins", {}),
        )

    def _check(self, layers: Iterable[Layer]) -> list[Layer]:
        checked = []
        for layer in layers:
            table = self.attempt(partial(check_layer, layer))
            if table is not None:
                if not layer.trusted:
                    table = self._without_secrets(table, layer.origin)
                checked.append(replace(layer, table=table))
        return checked

    def _without_secrets(self, table: dict[str, Any], origin: str) -> dict[str, Any]:
        plugins = table.get("plugins", {})
        for name in sorted(plugins):
            if plugins[name].pop("secrets", None):
                self.problems.append(
                    Problem(
                        f"{origin} grants secrets to plugin {name!r} and is not "
                        f"trusted, so they are not granted",
                        remedy="Read the file, then run `pegboard trust`.",
                        plugin=name,
                        severity="warning",
                    )
                )
        return table
