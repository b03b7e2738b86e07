"""Discovered and passed-in plugins -> one ordered set, one registry, the problems.

A pack that fails is left out, alone and whole. A policy that fails closes the board,
unless the settings call it optional.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pegboard._discovery import Discovery, Found
from pegboard._loader import load_plugin, plugin_in_code
from pegboard._plugins import Plugin, PluginSet
from pegboard._registry import Registry
from pegboard.errors import PluginError, ToolError
from pegboard.problems import Problem
from pegboard.protocols import Runner
from pegboard.settings import Settings


class Assembly:
    """What a board consists of.

    Args:
        settings: The effective settings.
        discovery: What is installed, as the settings see it.
        tools: Tools passed in code.
        plugins: Plugins passed in code; each replaces the installed one of its name.

    Attributes:
        plugins: The loaded plugins in their order.
        registry: All tools.
        runners: Those that plugins bring.
        problems: What is wrong.
        closed_by: One refusal for each policy that must work and does not.
    """

    def __init__(
        self,
        settings: Settings,
        discovery: Discovery,
        *,
        tools: Iterable[Any] = (),
        plugins: Iterable[Any] = (),
    ) -> None:
        self.settings = settings
        self.plugins = PluginSet(settings.required, settings.order)
        self.registry = Registry(tools, settings=settings)
        self.runners: dict[str, Runner] = {}
        self.problems: list[Problem] = [*settings.problems, *discovery.problems]
        self.closed_by: list[ToolError] = []
        given = [plugin_in_code(value, settings) for value in plugins]
        names = {plugin.name for plugin, _ in given}
        for name, problem in discovery.unfit.items():
            if name not in names:
                self.close(name, problem.message)
        for found in discovery.found:
            if found.name not in names:
                self._load(found)
        for plugin, problems in given:
            self.problems += problems
            self.take(plugin)

    def _load(self, found: Found) -> None:
        try:
            plugin, problems = load_plugin(found, self.settings)
            self.problems += problems
            self.take(plugin)
        except PluginError as error:
            self.problems.append(
                Problem(
                    str(error),
                    remedy=found.way_out,
                    plugin=found.name,
                    distribution=found.distribution,
                )
            )
            must_work = not found.is_pack or found.name in self.settings.required
            if must_work and found.name not in self.settings.optional:
                self.close(found.name, str(error), found.way_out)

    def take(self, plugin: Plugin) -> None:
        """Take in a loaded plugin with its tools and runners, whole or not at all.

        Raises:
            PluginError: it violates a spec, or one of its hooks failed.
        """
        self.plugins.add(plugin)
        try:
            tools = self.plugins.tools_of(plugin)
            runners = self._runners_of(plugin)
            self.registry.add(tools, plugin=plugin.name, version=plugin.version)
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
            if name in self.runners or name in ("inline", "thread", "process"):
                raise PluginError(
                    f"plugin {plugin.origin} brings a runner {name!r}, and there is one"
                    " already; rename it",
                    plugin=plugin.name,
                )
        return found

    def fail(self, error: PluginError) -> None:
        """Give up a plugin that was loaded: its tools, or the whole board."""
        plugin = self.plugins.get(error.plugin)
        self.problems.append(Problem(str(error), plugin=error.plugin))
        if plugin is None or plugin.kind == "tools":
            for entry in self.registry.entries():
                if entry.plugin == error.plugin:
                    self.registry.give_up(entry, str(error))
        elif error.plugin not in self.settings.optional:
            self.close(error.plugin, str(error))

    def close(self, plugin: str, reason: str, way_out: str = "") -> None:
        """Let no call be made while a policy is missing."""
        self.closed_by.append(
            ToolError(
                f"No tool can be called: {reason} {way_out}".rstrip(),
                code="hook_failed",
                details={"plugin": plugin},
            )
        )
