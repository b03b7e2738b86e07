"""Plugins of one board: verified one by one, and put in one order.

pluggy registers, checks and names them. The order is Pegboard's own: required plugins
as listed, then `order`, then the rest by name, the last name outermost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pluggy

from pegboard import hookspecs
from pegboard._conversion import as_tool
from pegboard._verification import (
    Implementation,
    Plugin,
    check_kinds,
    check_names,
    complete,
    name_of,
)
from pegboard.errors import PluginError
from pegboard.protocols import Runner
from pegboard.tools import Tool

__all__ = ["Implementation", "Plugin", "PluginSet", "name_of"]


class PluginSet:
    """The plugins of a board and their hooks, outside in.

    Args:
        required: Names in the organisation's order: the outermost part.
        order: Names in the project's order: the next part.
    """

    def __init__(self, required: Sequence[str] = (), order: Sequence[str] = ()) -> None:
        self.arrange(required, order)
        self._manager = pluggy.PluginManager("pegboard")
        self._manager.add_hookspecs(hookspecs)
        self._plugins: dict[str, Plugin] = {}

    def arrange(self, required: Sequence[str], order: Sequence[str]) -> None:
        """Put the plugins in another order."""
        self._implementations: dict[str, tuple[Implementation, ...]] = {}
        self._required = tuple(required)
        self._order = tuple(name for name in order if name not in self._required)

    def add(self, plugin: Plugin) -> None:
        """Verify a plugin and take it in; one of the same name in code replaces it.

        Raises:
            PluginError: it violates a spec; nothing of it is left behind.
        """
        earlier = self._plugins.get(plugin.name)
        if earlier is not None:
            if plugin.kind != "code" or earlier.kind == "code":
                raise PluginError(
                    f"two plugins are named {plugin.name!r}; give one of them a `name`",
                    plugin=plugin.name,
                )
            self.remove(plugin.name)
        check_names(plugin)
        try:
            self._implementations.clear()
            self._manager.register(plugin.object, plugin.name)
            self._manager.check_pending()
        except (pluggy.PluginValidationError, ValueError) as error:
            self._forget(plugin)
            raise PluginError(
                f"plugin {plugin.origin} violates a hook's spec: {_first(error)}",
                plugin=plugin.name,
            ) from error
        self._plugins[plugin.name] = plugin
        try:
            if plugin.kind == "plugins" and not self.hooks_of(plugin):
                raise PluginError(
                    f"plugin {plugin.origin} implements no hook; its entry point must"
                    " name a module, class or instance with a hook implementation",
                    plugin=plugin.name,
                )
            check_kinds(plugin, self._manager.get_hookcallers(plugin.object) or ())
        except PluginError:
            self.remove(plugin.name)
            raise

    def _forget(self, plugin: Plugin) -> None:
        # pluggy keeps what a failed registration left behind.
        if self._manager.get_plugin(plugin.name) is not None:
            self._manager.unregister(name=plugin.name)

    def remove(self, name: str) -> None:
        """Take a plugin out."""
        self._implementations.clear()
        del self._plugins[name]
        self._manager.unregister(name=name)

    def get(self, name: str) -> Plugin | None:
        """Return a plugin by name."""
        return self._plugins.get(name)

    def __iter__(self) -> Iterator[Plugin]:
        return iter(self.ordered())

    def __len__(self) -> int:
        return len(self._plugins)

    def ordered(self) -> list[Plugin]:
        """Return the plugins outside in."""
        return [self._plugins[name] for name in self._names()]

    def _names(self) -> list[str]:
        return in_order(self._plugins, self._required, self._order)

    def __contains__(self, name: object) -> bool:
        return name in self._plugins

    def part_of(self, name: str) -> str:
        """Return the reason for a plugin's place: required, order or name."""
        if name in self._required:
            return "required"
        return "order" if name in self._order else "name"

    def hooks_of(self, plugin: Plugin) -> tuple[str, ...]:
        """Return the names of the hooks that a plugin implements."""
        callers = self._manager.get_hookcallers(plugin.object) or ()
        return tuple(sorted(caller.name for caller in callers))

    def implementations(self, hook: str) -> tuple[Implementation, ...]:
        """Return the implementations of a hook, outside in."""
        known = self._implementations.get(hook)
        if known is None:
            known = self._implementations[hook] = self._in_order(hook)
        return known

    def _in_order(self, hook: str) -> tuple[Implementation, ...]:
        names = self._names()
        parts = ("required", "order", "name")
        found = []
        for item in getattr(self._manager.hook, hook).get_hookimpls():
            part = self.part_of(item.plugin_name)
            inner = 0 if item.tryfirst else 2 if item.trylast else 1
            key = (parts.index(part), inner, names.index(item.plugin_name))
            found.append((key, item, part))
        found.sort(key=lambda entry: entry[0])
        return tuple(
            Implementation(
                complete(item, hook), item.plugin_name, part, part == "required"
            )
            for _, item, part in found
        )

    def tools_of(self, plugin: Plugin) -> list[Tool[..., Any]]:
        """Return the tools that a plugin contributes.

        Raises:
            PluginError: its hook failed, or returned something that is no tool.
        """
        found: list[Any] = list(plugin.tools)
        try:
            for item in self._manager.hook.register_tools.get_hookimpls():
                if item.plugin is plugin.object:
                    found += complete(item, "register_tools")(plugin.settings) or ()
            return [as_tool(value) for value in found]
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PluginError(
                f"plugin {plugin.origin} failed in register_tools:"
                f" {type(error).__name__}: {error}",
                plugin=plugin.name,
            ) from error

    def runners_of(self, plugin: Plugin) -> dict[str, Runner]:
        """Return the runners that a plugin contributes, by name.

        Raises:
            PluginError: its hook failed, or returned something that is no runner.
        """
        found: dict[str, Runner] = {}
        try:
            for item in self._manager.hook.register_runners.get_hookimpls():
                if item.plugin is plugin.object:
                    found.update(complete(item, "register_runners")() or {})
            for name, runner in found.items():
                if not callable(getattr(runner, "run", None)):
                    raise TypeError(f"{name!r} is no runner: it has no run()")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PluginError(
                f"plugin {plugin.origin} failed in register_runners:"
                f" {type(error).__name__}: {error}",
                plugin=plugin.name,
            ) from error
        return found


def in_order(
    names: Iterable[str], required: Sequence[str], order: Sequence[str]
) -> list[str]:
    """Return the names of plugins in their order, the outermost first.

    Args:
        names: All of them.
        required: The organisation's, in its order.
        order: The project's, in its order.
    """
    known = set(names)
    first = [name for name in dict.fromkeys((*required, *order)) if name in known]
    return first + sorted(known.difference(first), reverse=True)


def _first(error: BaseException) -> str:
    return " ".join(str(error).split())
