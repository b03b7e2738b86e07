"""What a board consists of: one ordered set of plugins, one registry, the problems.

First it is shown: what the manifest knows of installed plugins, without an import.
Before the first call it goes live: sources and entry points are read themselves, every
policy is imported. A pack is imported when one of its tools is first called.

A pack that fails is left out, alone and whole. A policy that fails closes the board,
unless the settings call it optional.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from pegboard._discovery import Discovery, discover, misspelled
from pegboard._distributions import Found
from pegboard._entries import Entry
from pegboard._hosting import Changing, PluginHost
from pegboard._loader import load_plugin, plugin_in_code, read_grant
from pegboard._lock import lock_file, objection_to
from pegboard._manifest import Known, Manifest
from pegboard._manifest.records import Record, drift
from pegboard._names import CODE
from pegboard._plugins import Plugin, PluginSet
from pegboard._registry import Registry
from pegboard.errors import PluginError, ToolError
from pegboard.problems import Problem
from pegboard.protocols import Runner
from pegboard.settings import Settings
from pegboard.tools import Tool

BUILT_IN = ("inline", "thread", "process")


class Assembly:
    """The parts of a board.

    Args:
        settings: The effective settings.
        tools: Tools passed in code.
        plugins: Plugins passed in code; each replaces the installed one of its name.
        secrets: Values of hidden parameters, by name or by `plugin:name`.

    Attributes:
        plugins: The loaded plugins in their order.
        registry: All tools.
        runners: Those that plugins bring.
        discovery: What is installed, as the settings see it.
        closed_by: One refusal for each policy that must work and does not.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        tools: Iterable[Any] = (),
        plugins: Iterable[Any] = (),
        secrets: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.settings = settings
        self._secrets = secrets
        self.plugins = PluginSet(settings.required, settings.order)
        self.registry = Registry(tools, settings=settings)
        self.runners: dict[str, Runner] = {}
        self.discovery = Discovery()
        self.records: dict[str, Record] = {}
        self.closed_by: list[ToolError] = []
        self._problems: list[Problem] = []
        self._manifest: Manifest | None = None
        self._loaded: set[str] = set()
        for value in plugins:
            plugin, problems = plugin_in_code(value, settings)
            self._problems += problems
            self._loaded.add(plugin.name)
            self.take(plugin)
        self._in_code = frozenset(self._loaded)

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with settings, plugins and tools."""
        found = [*self.settings.problems, *self.discovery.problems, *self._problems]
        for plugin in self.discovery.found:
            record = self.records.get(plugin.name, Record(plugin.name))
            found += record.problems
            if record.error and plugin.name not in self._loaded:
                found.append(_failure(plugin, record))
        installed = (*self.discovery.found, *self.discovery.disabled)
        names = self._in_code.union(self.discovery.unfit, (p.name for p in installed))
        return [*found, *misspelled(self.settings, names), *self.registry.problems]

    # -- shown

    def show(self, *, anew: bool = False) -> None:
        """Offer what is installed as the manifest knows it; import what it does not.

        Args:
            anew: Whether to look at what is installed, not at what was kept of it.
        """
        manifest = self._manifest = Manifest()
        known = None
        if not anew:
            known = manifest.current(self.settings, without=self._in_code)
        if known is None:
            scan = manifest.scan(self.settings)
            self.discovery = scan.discovery
            wanted = [p for p in scan.to_import if p.name not in self._in_code]
            known = manifest.record(scan, [self._load(found) for found in wanted])
        self._present(known)
        self._hold_to_lock()

    def _present(self, known: Known) -> None:
        self.discovery = known.discovery
        self.records = dict(known.records)
        for found in known.discovery.found:
            record = known.records.get(found.name)
            if record is not None and found.name not in self._loaded:
                self.registry.add_entries(self._entries(found, record))

    def _entries(self, found: Found, record: Record) -> list[Entry]:
        return [
            Entry(
                shown.name,
                found.name,
                found.version,
                load=partial(self._load_tool, found, shown.name),
                shown=shown,
            )
            for shown in record.tools
        ]

    def _load_tool(self, found: Found, bare: str) -> Tool[..., Any]:
        self._load(found)
        return self.registry.tool_of(f"{found.name}:{bare}")

    def _hold_to_lock(self) -> None:
        if self.settings.locked:
            path = lock_file(self.settings.project_file)
            free = {CODE, *self._in_code}
            self.registry.objection = objection_to(path, free)

    # -- live

    def go_live(self, settings: Settings) -> None:
        """Import every policy, before the first call.

        Args:
            settings: Read from their sources, not from what was kept of them.
        """
        self.settings = settings
        self.registry.follow(settings)
        self._hold_to_lock()
        self.plugins.arrange(settings.required, settings.order)
        fresh = discover(settings)
        if fresh.found != self.discovery.found:
            # Something was installed, removed or switched since it was shown.
            for entry in self.registry.entries():
                if not entry.loaded:
                    self.registry.remove(entry.id)
            self.show(anew=True)
        self.discovery = fresh
        for found in fresh.found:
            record = self.records.get(found.name)
            if not found.is_pack or (record and "lifespan" in record.hooks):
                self._load(found)
        for name, problem in fresh.unfit.items():
            if name not in self._in_code:
                self.close(name, problem.message, problem.remedy)

    def _load(self, found: Found) -> Record:
        """Import a plugin, once; return what it was found to be."""
        if found.name in self._loaded:
            return self.records.get(found.name) or Record(found.name)
        self._loaded.add(found.name)
        known = self.records.get(found.name)
        try:
            plugin, problems = load_plugin(found, self.settings)
            self._problems += problems
            self.take(plugin)
            record = self._record(plugin)
        except PluginError as error:
            record = Record(found.name, error=str(error), remedy=found.way_out)
            self._give_up(found, record)
        self.records[found.name] = record
        if known is not None and self._manifest is not None:
            self._compare(found, known, record)
        return record

    def _compare(self, found: Found, known: Record, live: Record) -> None:
        if problem := drift(known, live):
            self._problems.append(problem)
        if replace(known, seconds=0.0) != replace(live, seconds=0.0):
            assert self._manifest is not None
            self._manifest.replace(self.settings, found, live)

    def _give_up(self, found: Found, record: Record) -> None:
        self._problems.append(_failure(found, record))
        for entry in self.registry.entries_of(found.name):
            entry.unavailable = record.error
        self.registry.renew()
        must_work = not found.is_pack or found.name in self.settings.required
        if must_work and found.name not in self.settings.optional:
            self.close(found.name, record.error, record.remedy)

    def _record(self, plugin: Plugin) -> Record:
        tools, problems = [], []
        for entry in self.registry.entries_of(plugin.name):
            if entry.unavailable:
                problems.append(Problem(entry.unavailable, plugin=plugin.name))
            elif entry.loaded:
                try:
                    plain = entry.tool.definition
                except Exception as error:
                    problems.append(Problem(str(error), plugin=plugin.name))
                else:
                    tools.append(replace(plain, id=entry.id, version=entry.version))
        return Record(
            plugin.name,
            tools=tuple(sorted(tools, key=lambda tool: tool.id)),
            hooks=self.plugins.hooks_of(plugin),
            schema=plugin.settings_schema,
            seconds=plugin.import_time,
            problems=tuple(problems),
        )

    def take(self, plugin: Plugin) -> None:
        """Take in a loaded plugin with its tools and runners, whole or not at all.

        Raises:
            PluginError: it violates a spec, or one of its hooks failed.
        """
        self.plugins.add(plugin)
        try:
            tools = self.plugins.tools_of(plugin)
            runners = self._runners_of(plugin)
            self.registry.fulfil(plugin.name, plugin.version, tools)
        except Exception as error:
            self.plugins.remove(plugin.name)
            if isinstance(error, PluginError):
                raise
            raise PluginError(
                f"plugin {plugin.origin}: {error}", plugin=plugin.name
            ) from error
        self.runners.update(runners)

    def _runners_of(self, plugin: Plugin) -> Mapping[str, Runner]:
        found = self.plugins.runners_of(plugin)
        for name in found:
            if name in self.runners or name in BUILT_IN:
                raise PluginError(
                    f"plugin {plugin.origin} brings a runner {name!r}, and there is one"
                    " already; rename it",
                    plugin=plugin.name,
                )
        return found

    def lifespans(self, board: Changing) -> list[tuple[str, Callable[[], Any]]]:
        """Return what makes each plugin's lifespan, outside in."""
        found: list[tuple[str, Callable[[], Any]]] = []
        for item in self.plugins.implementations("lifespan"):
            plugin = self.plugins.get(item.plugin)
            host = PluginHost(board, item.plugin, plugin.version if plugin else "")
            found.append((item.plugin, partial(item.function, host)))
        return found

    def grant(self, plugin: str, name: str) -> str | None:
        """Return the value of a hidden parameter, None if nobody grants it."""
        given = self._secrets.get(f"{plugin}:{name}")
        if given is None and plugin == CODE:
            given = self._secrets.get(name)
        return read_grant(self.settings, plugin, name) if given is None else given

    # -- failing

    def fail(self, error: PluginError) -> None:
        """Give up a plugin that was loaded: its tools, or the whole board."""
        plugin = self.plugins.get(error.plugin)
        self._problems.append(Problem(str(error), plugin=error.plugin))
        if plugin is None or plugin.kind == "tools":
            for entry in self.registry.entries_of(error.plugin):
                entry.unavailable = str(error)
            self.registry.renew()
        elif error.plugin not in self.settings.optional:
            self.close(error.plugin, str(error))

    def close(self, plugin: str, reason: str, way_out: str = "") -> None:
        """Let no call be made while a policy is missing."""
        text = f"No tool can be called: {reason} {way_out}".rstrip()
        details = {"plugin": plugin}
        self.closed_by.append(ToolError(text, code="hook_failed", details=details))


def _failure(found: Found, record: Record) -> Problem:
    return Problem(record.error, record.remedy, found.name, found.distribution)
