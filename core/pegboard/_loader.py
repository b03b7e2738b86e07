"""An entry point, or an object passed in code -> a plugin, or one clear error."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pegboard._conversion import as_tools
from pegboard._distributions import PLUGINS, TOOLS, Found
from pegboard._plugin_settings import granted, plugin_settings, settings_schema
from pegboard._plugins import Plugin, name_of
from pegboard._wire import Origin
from pegboard.errors import PluginError, SettingsError, UsageError
from pegboard.problems import Problem
from pegboard.settings import Settings
from pegboard.tools import Tool

#: A plugin's settings model -> its settings, and what of them has no effect.
Read = Callable[[Any], tuple[Any, tuple[Problem, ...]]]


def load_plugin(found: Found, settings: Settings) -> tuple[Plugin, tuple[Problem, ...]]:
    """Import what an entry point names and make it a plugin.

    Returns:
        The plugin, and what of its settings has no effect.

    Raises:
        PluginError: the import failed, its settings are invalid, or it is no plugin.
    """
    return load(found, partial(plugin_settings, settings, found.name))


def load(found: Found, read: Read) -> tuple[Plugin, tuple[Problem, ...]]:
    """Do what `load_plugin` does, with settings from anywhere."""
    start = time.perf_counter()
    value = found.load()
    took = time.perf_counter() - start
    try:
        model = getattr(value, "Settings", None)
        value, own, problems = _with_settings(value, read)
        tools = _bare_tools(value) if found.is_pack else None
    except (PluginError, SettingsError) as error:
        raise PluginError(str(error), plugin=found.name) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(
            f"{found.title} failed to start: {type(error).__name__}: {error}",
            plugin=found.name,
        ) from error
    plugin = Plugin(
        name=found.name,
        object=value if tools is None else _ToolList(),
        kind="tools" if found.is_pack else "plugins",
        distribution=found.distribution,
        version=found.version,
        settings=own,
        tools=tuple(tools or ()),
        import_time=took,
        settings_schema=settings_schema(found.name, model) if model else None,
        value=found.value,
    )
    return plugin, problems


def plugin_in_code(
    value: Any, settings: Settings
) -> tuple[Plugin, tuple[Problem, ...]]:
    """Make a plugin of an object, class or module that the host passed in.

    Raises:
        PluginError: its class cannot be instantiated.
        SettingsError: its settings are invalid.
    """
    name = name_of(value)
    try:
        read = partial(plugin_settings, settings, name)
        made, own, problems = _with_settings(value, read, in_code=True)
    except TypeError as error:
        raise PluginError(
            f"plugin {name!r} cannot be instantiated: {error}; pass an instance",
            plugin=name,
        ) from error
    return Plugin(name, made, settings=own), problems


def origin_of(plugin: Plugin, settings: Settings) -> Origin:
    """Return what another process needs to load the same plugin."""
    from pydantic_core import to_json  # late: few plugins run in processes

    table: Mapping[str, Any] = {}
    if plugin.settings_schema is not None:
        table, _ = granted(settings, plugin.name, plugin.settings_schema)
    places = settings.secrets(plugin.name).values()
    return Origin(
        plugin.name,
        TOOLS if plugin.kind == "tools" else PLUGINS,
        plugin.value,
        plugin.distribution,
        plugin.version,
        to_json(table, inf_nan_mode="constants").decode(),
        tuple(p.removeprefix("env:") for p in places if p.startswith("env:")),
    )


def read_grant(settings: Settings, plugin: str, name: str) -> str | None:
    """Return the secret that the settings grant a plugin, None if they grant none.

    The place is "env:VARIABLE", or "file:PATH" for the whole text of a file.
    """
    place = settings.secrets(plugin).get(name)
    if place is None:
        return None
    kind, _, rest = place.partition(":")
    if kind == "env":
        return os.environ.get(rest)
    try:
        return Path(rest).read_text(encoding="utf-8").strip()
    except OSError:
        return None


class _ToolList:
    """Stands for an entry point that names tools and no hooks."""


def _bare_tools(value: Any) -> list[Tool[..., Any]] | None:
    """Return the tools that a pack's entry point names itself, None for a module."""
    if inspect.ismodule(value) or hasattr(value, "register_tools"):
        return None
    listed = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    try:
        return as_tools(value if listed else [value])
    except UsageError as error:
        raise TypeError(
            f"it names neither tools nor a module or class with register_tools: {error}"
        ) from error


def _with_settings(
    value: Any, read: Read, *, in_code: bool = False
) -> tuple[Any, Any, tuple[Problem, ...]]:
    """Return the object and its validated settings; a class becomes its instance."""
    model = getattr(value, "Settings", None)
    if in_code and not inspect.isclass(value) and not inspect.ismodule(value):
        # The host made the instance, with the settings that it wanted.
        return value, None, ()
    own, problems = read(model)
    if inspect.isclass(value):
        make: Any = value
        value = make() if model is None else make(own)
    return value, own, problems
