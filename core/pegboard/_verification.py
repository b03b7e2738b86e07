"""What a plugin is, and what of it breaks a hook's spec."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pegboard import hookspecs
from pegboard.errors import PluginError
from pegboard.tools import Tool

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
        value: What its entry point names, "" in code.
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
    value: str = ""

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


def check_names(plugin: Plugin) -> None:
    """Refuse hooks that do not exist, are not marked, or are not the plugin's to have.

    Raises:
        PluginError: names the plugin, the hook, and the nearest one that exists.
    """
    for name in _marked(plugin.object):
        if name not in HOOKS:
            near = difflib.get_close_matches(name, HOOKS, 1)
            hint = f"Did you mean {near[0]!r}?" if near else "docs/hooks.md has all."
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


def check_kinds(plugin: Plugin, callers: Iterable[Any]) -> None:
    """Refuse wrappers, and async implementations where nothing can be awaited.

    Raises:
        PluginError: names the plugin and the hook.
    """
    for caller in callers:
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


def complete(item: Any, hook: str) -> Callable[..., Any]:
    """Return a function of all the spec's arguments that calls one of fewer."""
    names = HOOKS[hook]
    function: Callable[..., Any] = item.function
    if tuple(item.argnames) == names:
        return function
    picked = tuple(names.index(name) for name in item.argnames)
    if not picked:
        return lambda *args: function()
    return lambda *args: function(*[args[index] for index in picked])
