"""An entry point, or an object passed in code -> a plugin, or one clear error."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pegboard._conversion import as_tools
from pegboard._discovery import Found
from pegboard._plugin_settings import plugin_settings, settings_schema
from pegboard._plugins import Plugin, name_of
from pegboard.errors import PluginError, SettingsError, UsageError
from pegboard.problems import Problem
from pegboard.settings import Settings
from pegboard.tools import Tool


def load_plugin(found: Found, settings: Settings) -> tuple[Plugin, tuple[Problem, ...]]:
    """Import what an entry point names and make it a plugin.

    Returns:
        The plugin, and what of its settings has no effect.

    Raises:
        PluginError: the import failed, its settings are invalid, or it is no plugin.
    """
    start = time.perf_counter()
    value = found.load()
    took = time.perf_counter() - start
    try:
        model = getattr(value, "Settings", None)
        value, own, problems = _with_settings(found.name, value, settings)
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
        made, own, problems = _with_settings(name, value, settings, in_code=True)
    except TypeError as error:
        raise PluginError(
            f"plugin {name!r} cannot be instantiated: {error}; pass an instance",
            plugin=name,
        ) from error
    return Plugin(name, made, settings=own), problems


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
    name: str, value: Any, settings: Settings, *, in_code: bool = False
) -> tuple[Any, Any, tuple[Problem, ...]]:
    """Return the object and its validated settings; a class becomes its instance."""
    model = getattr(value, "Settings", None)
    if in_code and not inspect.isclass(value) and not inspect.ismodule(value):
        # The host made the instance, with the settings that it wanted.
        return value, None, ()
    own, problems = plugin_settings(settings, name, model)
    if inspect.isclass(value):
        make: Any = value
        value = make() if model is None else make(own)
    return value, own, problems
