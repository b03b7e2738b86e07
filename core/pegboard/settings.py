"""Settings: what holds, and who said so.

Layers, from the bottom: the organisation's file, this user's file, the project's file,
PEGBOARD_ variables, code. Each key comes from the topmost layer that sets it, but for
those that the organisation's file holds (`required`, `optional`, and what `final`
lists) and for `disable`, to which every layer adds.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from pegboard._frozen import freeze, thaw
from pegboard._settings.globs import (
    any_names,
    any_names_plugin,
    names_tool,
    specificity,
)
from pegboard._settings.kept import keep, recall, sources_key
from pegboard._settings.loading import Reading, Resolved
from pegboard._settings.sources import environment, read_source
from pegboard._settings.tables import (
    PluginSettings,
    RetrySettings,
    SettingsTable,
    ToolSettings,
)
from pegboard.problems import Problem
from pegboard.schemas import ToolAnnotations

__all__ = [
    "NEEDS_TRUST",
    "ORGANISATION_FILE",
    "PluginSettings",
    "RetrySettings",
    "Settings",
    "SettingsTable",
    "ToolSettings",
    "load_settings",
    "make_settings",
]

ORGANISATION_FILE = Path("/etc/pegboard.toml")
"""The file that holds for every user of the machine; no variable moves it."""

NEEDS_TRUST: dict[str, Any] = {"needs_trust": True}
"""Marks a field of a plugin's settings that needs trust.

It starts a program, or widens what a plugin may reach; a project's file cannot set it
before `pegboard trust`: `command: str = Field("", json_schema_extra=NEEDS_TRUST)`.
"""

NOTHING_SAID = Resolved()
T = TypeVar("T", ToolSettings, RetrySettings, ToolAnnotations)


@dataclass(frozen=True, slots=True)
class Settings(SettingsTable):
    """The effective settings: every key of the table, and who said so.

    Attributes:
        resolved: What the layers said, as plain values.
    """

    resolved: Resolved = field(default=NOTHING_SAID, repr=False)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What some layer says without effect, and what could not be read."""
        return self.resolved.problems

    @property
    def project_file(self) -> Path | None:
        """The project's file that was read, None if there is none."""
        return Path(self.resolved.project) if self.resolved.project else None

    @property
    def kept(self) -> bool:
        """Whether this comes from the cache, so that no call may rest on it."""
        return self.resolved.kept

    def origin(self, key: str) -> str:
        """Return where the value of a key came from; of a table, its first value.

        Returns:
            A file's path, the name of a variable, "code", or "default".
        """
        origins, outer = self.resolved.origins, key
        while outer:
            if outer in origins:
                return origins[outer]
            outer = outer.rpartition(".")[0]
        inner = (origins[name] for name in origins if name.startswith(f"{key}."))
        return next(inner, "default")

    def tool(self, identity: str) -> ToolSettings:
        """Return all that is set for one tool.

        Args:
            identity: `plugin:tool`.
        """
        found = _merged(self.tools, identity)
        if held := self._held_keys(identity):
            said = _merged(_tools(self.resolved.held), identity)
            found = replace(found, **{key: getattr(said, key) for key in held})
        return found

    def is_enabled(self, plugin: str, *, packs: Collection[str] = ()) -> bool:
        """Return whether a plugin may be loaded.

        Args:
            plugin: Its name.
            packs: Names of all that is installed, if this one is a pack: what `enable`
                names and is none of them may be one of its tools.
        """
        if plugin in self.required:
            return True
        if self.resolved.without_plugins or any_names_plugin(self.disable, plugin):
            return False
        enable = [name.partition(":")[0] for name in self.enable]
        if not enable or any_names_plugin(enable, plugin):
            return True
        return bool(packs) and any(
            ":" not in name and not any(any_names_plugin([name], p) for p in packs)
            for name in self.enable
        )

    def is_offered(self, identity: str) -> bool:
        """Return whether a tool of an enabled plugin may be offered.

        Tools passed in code (`code:tool`) need no place in `enable`.
        """
        plugin = identity.partition(":")[0]
        if plugin in self.required:
            return self.tool(identity).enabled is not False
        if any_names(self.disable, identity):
            return False
        enabled = self.tool(identity).enabled
        if enabled is None:
            return (
                plugin == "code" or not self.enable or any_names(self.enable, identity)
            )
        return enabled

    def plugin(self, name: str) -> dict[str, Any]:
        """Return a copy of a plugin's own table, {} if there is none."""
        values: dict[str, Any] = thaw(self.plugins.get(name, _NO_PLUGIN).values)
        return values

    def secrets(self, plugin: str) -> Mapping[str, str]:
        """Return the places of a plugin's injected values, by their names."""
        return self.plugins.get(plugin, _NO_PLUGIN).secrets

    def distribution(self, plugin: str) -> str | None:
        """Return the only distribution that may bring a plugin, None for any."""
        return self.plugins.get(plugin, _NO_PLUGIN).distribution

    def _held_keys(self, identity: str) -> set[str]:
        """Return the keys that the organisation's file holds for one tool."""
        if not self.resolved.finals:
            return set()
        keys = {key.name for key in fields(ToolSettings)}
        held = keys.intersection(self.resolved.finals)
        for final in self.resolved.finals:
            table, *path = final.split(".")
            if table == "tools":
                end = next((i for i, part in enumerate(path) if part in keys), None)
                if not path or names_tool(".".join(path[:end]), identity):
                    held |= keys if end is None else {path[end]}
        return held


def load_settings(
    project: str | os.PathLike[str] | None = ".",
    *,
    overrides: Mapping[str, Any] | None = None,
    tolerant: bool = False,
    kept: bool = False,
) -> Settings:
    """Return what all layers say together.

    Args:
        project: Where the search for the project's file starts, upward to the root of
            the repository; a file is read as it is; None reads none, as an application
            should that works in other people's repositories.
        overrides: The uppermost layer, "code".
        tolerant: Leaves out a layer that is wrong, with a problem: for commands that
            must work whatever is broken. Nothing may be called with such settings.
        kept: Takes what the same sources came to last time, without pydantic, and
            keeps what they come to now: to show tools, not to call them.

    Raises:
        SettingsError: a file, variable or override is wrong; it names file and key.
    """
    reading = Reading(tolerant)
    start = None if project is None else Path(project)
    files, environ = reading.files(ORGANISATION_FILE, start), environment()
    key = sources_key(files, environ, overrides) if kept else ""
    if (settings := _recalled(start, key)) is None:
        resolved = reading.resolve(files, environ, overrides)
        resolved = replace(resolved, without_plugins=_no_plugins())
        if all(problem.severity != "error" for problem in resolved.problems):
            keep(start, key, resolved)
        settings = build(resolved)
    return settings


def make_settings(
    values: Mapping[str, Any] | None = None, *, with_organisation: bool = False
) -> Settings:
    """Return settings that are given in code.

    Args:
        values: As in a file, with None for "no limit".
        with_organisation: Whether the organisation's file holds too.

    Raises:
        SettingsError: a key that does not exist, or a value that does not fit.
    """
    file = read_source(ORGANISATION_FILE, "organisation") if with_organisation else None
    return build(Reading().resolve([file] if file else [], {}, values))


def build(resolved: Resolved) -> Settings:
    """Return settings made of checked plain values."""
    table = dict(resolved.table)
    for name in ("timeout", "hook_timeout"):
        if table.get(name) == 0:
            table[name] = None
    tools = _tools(table.pop("tools", {}))
    plugins = {name: _plugin(given) for name, given in table.pop("plugins", {}).items()}
    values = {key: _tuple(value) for key, value in table.items()}
    return Settings(
        **values, tools=freeze(tools), plugins=freeze(plugins), resolved=resolved
    )


def _recalled(start: Path | None, key: str) -> Settings | None:
    resolved = recall(start, key)
    try:
        return build(resolved) if resolved else None
    except (AttributeError, TypeError):  # somebody else wrote into the cache
        return None


_NO_PLUGIN = PluginSettings()
_PARTS = {"retry": RetrySettings, "annotations": ToolAnnotations}


def _tools(given: Mapping[str, Any]) -> dict[str, ToolSettings]:
    return {name: _tool(table) for name, table in given.items()}


def _tool(given: Mapping[str, Any]) -> ToolSettings:
    return ToolSettings(
        **{
            key: _PARTS[key](**value) if isinstance(value, dict) else _tuple(value)
            for key, value in given.items()
        }
    )


def _plugin(given: Mapping[str, Any]) -> PluginSettings:
    own = dict(given)
    distribution, secrets = own.pop("distribution", None), own.pop("secrets", {})
    return PluginSettings(distribution, freeze(secrets), freeze(own))


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _merged(tools: Mapping[str, ToolSettings], identity: str) -> ToolSettings:
    """Return what all names that fit one tool say, the most specific one last."""
    found = ToolSettings()
    for name in sorted(tools, key=specificity):
        if names_tool(name, identity):
            found = _over(found, tools[name])
    return found


def _over(below: T, above: T) -> T:
    """Return one table in which the values that `above` sets cover those below."""
    values = {}
    for key in fields(below):
        under, over = getattr(below, key.name), getattr(above, key.name)
        if isinstance(over, (RetrySettings, ToolAnnotations)) and under is not None:
            over = _over(under, over)
        values[key.name] = under if over is None else over
    return type(below)(**values)


def _no_plugins() -> bool:
    off = {"", "0", "false", "no", "off"}
    return os.environ.get("PEGBOARD_NO_PLUGINS", "").casefold() not in off
