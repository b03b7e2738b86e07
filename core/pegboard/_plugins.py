"""Plugins of one board: verified one by one, and put in one order.

pluggy registers, checks and names them. The order is Pegboard's own: required plugins
as listed, then `order`, then the rest by name, the last name outermost.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pluggy

from pegboard import hookspecs
from pegboard.errors import PluginError
from pegboard.protocols import Runner
from pegboard.tools import Tool, as_tool

Kind = Literal["tools", "plugins", "code"]

#: What a pack of `pegboard.tools` may implement; the rest is over others' calls.
PACK_HOOKS = ("register_tools", "lifespan", "inject")
HOOKS: dict[str, tuple[str, ...]] = {
    name: tuple(inspect.signature(function).parameters)
    for name, function in vars(hookspecs).items()
    if getattr(function, "pegboard_spec", None)
}
#: Hooks that are called at load or build time and so cannot be awaited.
SYNC_HOOKS = ("register_tools", "tool_middleware", "on_event", "register_runners")


@dataclass(slots=True)
class Plugin:
    """One plugin as it was loaded.

    Attributes:
        name: The entry point's name, or the name of what was passed in code.
        object: The module or instance that has the hook implementations.
        kind: The entry-point group it came from, or code.
        distribution: The distribution that brings it, "" in code.
        version: Its version, "" in code.
        settings: Its own validated settings.
        tools: The tools it brings without a hook (an entry point naming them).
        import_time: Seconds that the import took.
        settings_schema: JSON Schema of its settings, None if it takes none.
    """

    name: str
    object: Any
    kind: Kind = "code"
    distribution: str = ""
    version: str = ""
    settings: Any = None
    tools: tuple[Tool[..., Any], ...] = ()
    import_time: float = 0.0
    settings_schema: Mapping[str, Any] | None = None

    @property
    def origin(self) -> str:
        """The plugin with its distribution, for messages."""
        if not self.distribution:
            return repr(self.name)
        return f"{self.name!r} ({self.distribution} {self.version})"


@dataclass(frozen=True, slots=True)
class Implementation:
    """One hook implementation that takes all arguments of its spec, by position."""

    function: Callable[..., Any]
    plugin: str
    part: str
    required: bool = False


def name_of(value: Any) -> str:
    """Return the name of a plugin passed in code: its own, its module's or class's."""
    own = getattr(value, "name", None)
    if isinstance(own, str) and own:
        return own
    if inspect.ismodule(value):
        return value.__name__.rpartition(".")[2]
    kind = value if inspect.isclass(value) else type(value)
    return kind.__name__


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
        self._check_names(plugin)
        try:
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
            self._check_kinds(plugin)
        except PluginError:
            self.remove(plugin.name)
            raise

    def _forget(self, plugin: Plugin) -> None:
        # pluggy keeps what a failed registration left behind.
        if self._manager.get_plugin(plugin.name) is not None:
            self._manager.unregister(name=plugin.name)

    def _check_names(self, plugin: Plugin) -> None:
        for name in _marked(plugin.object):
            if name not in HOOKS:
                near = difflib.get_close_matches(name, HOOKS, 1)
                hint = (
                    f"Did you mean {near[0]!r}?" if near else "docs/hooks.md has all."
                )
                raise PluginError(
                    f"plugin {plugin.origin} implements unknown hook {name!r}. {hint}",
                    plugin=plugin.name,
                )
            if plugin.kind == "tools" and name not in PACK_HOOKS:
                raise PluginError(
                    f"tool pack {plugin.origin} implements {name!r}, which has a say"
                    " over the calls of others; that takes an entry point in the group"
                    " 'pegboard.plugins'",
                    plugin=plugin.name,
                )
        for name in HOOKS:
            unmarked = getattr(plugin.object, name, None)
            if callable(unmarked) and name not in _marked(plugin.object):
                raise PluginError(
                    f"plugin {plugin.origin} has {name!r} without @pegboard.hookimpl,"
                    " so it would never be called; mark it",
                    plugin=plugin.name,
                )

    def _check_kinds(self, plugin: Plugin) -> None:
        for caller in self._manager.get_hookcallers(plugin.object) or ():
            for found in caller.get_hookimpls():
                if found.plugin is not plugin.object:
                    continue
                if found.wrapper or found.hookwrapper:
                    raise PluginError(
                        f"plugin {plugin.origin} makes {caller.name!r} a wrapper; hooks"
                        " do not nest: return a middleware from tool_middleware",
                        plugin=plugin.name,
                    )
                if caller.name in SYNC_HOOKS and inspect.iscoroutinefunction(
                    found.function
                ):
                    raise PluginError(
                        f"plugin {plugin.origin} makes {caller.name!r} async; it is"
                        " called where nothing can be awaited: make it a function",
                        plugin=plugin.name,
                    )

    def remove(self, name: str) -> None:
        """Take a plugin out."""
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
                _full(item, hook), item.plugin_name, part, part == "required"
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
                    found += _full(item, "register_tools")(plugin.settings) or ()
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
                    found.update(_full(item, "register_runners")() or {})
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


def _marked(value: Any) -> list[str]:
    """Return the names of the functions marked as hook implementations."""
    names = []
    for name in dir(value):
        try:
            member = inspect.getattr_static(value, name)
        except AttributeError:
            continue
        member = getattr(member, "__func__", member)
        if getattr(member, "pegboard_impl", None):
            names.append(name)
    return names


def _full(item: Any, hook: str) -> Callable[..., Any]:
    """Return a function of all the spec's arguments that calls one of fewer."""
    names = HOOKS[hook]
    function: Callable[..., Any] = item.function
    if tuple(item.argnames) == names:
        return function
    picked = tuple(names.index(name) for name in item.argnames)
    if not picked:
        return lambda *args: function()
    return lambda *args: function(*[args[index] for index in picked])


def _first(error: BaseException) -> str:
    return " ".join(str(error).split())
