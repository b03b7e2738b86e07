"""The kit on an installed distribution: `pegboard check`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import Any

from pegboard._assembly import Assembly
from pegboard._distributions import Found, canonical, read_installed
from pegboard._loader import load_plugin
from pegboard._settings.checks import nearest
from pegboard.errors import PluginError, UsageError
from pegboard.settings import make_settings
from pegboard.testing._definitions import Report, check_definition
from pegboard.testing._plugins import check_plugin
from pegboard.testing._promises import Broken


@dataclass(frozen=True, slots=True)
class CheckedPlugin:
    """One plugin of a distribution, checked.

    Attributes:
        name: Its entry point's name.
        distribution: The distribution that brings it.
        version: The version of that.
        tools: The names of the tools that it brings.
        broken: The promises that it does not keep.
    """

    name: str
    distribution: str
    version: str
    tools: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "plugin": self.name,
            "distribution": self.distribution,
            "version": self.version,
            "tools": list(self.tools),
            "broken": [broken.to_dict() for broken in self.broken],
        }


def check_distribution(
    name: str, settings: Mapping[str, Mapping[str, Any]] | None = None
) -> list[CheckedPlugin]:
    """Check every plugin that an installed distribution brings; no tool is run.

    Args:
        name: The distribution, or one of its plugins.
        settings: Plugin -> its own table, for plugins that do not start without.

    Raises:
        UsageError: nothing of that name is installed.
    """
    installed = read_installed()
    found = [p for p in installed if canonical(p.distribution) == canonical(name)]
    found = found or [p for p in installed if p.name == name]
    if not found:
        names = sorted({plugin.distribution for plugin in installed})
        near = nearest(name, names)
        hint = f"Did you mean {near!r}?" if near else "pegboard plugins has all."
        raise UsageError(f"no installed distribution {name!r} brings a plugin. {hint}")
    return [
        _check(plugin, dict((settings or {}).get(plugin.name, {}))) for plugin in found
    ]


def _check(found: Found, own: dict[str, Any]) -> CheckedPlugin:
    report = partial(Broken, f"plugin {found.name!r}")
    if found.refused:
        broken = [report("loads", f"it is not loaded: {found.refused}", found.remedy)]
        return _checked(found, (), broken)
    printed = io.StringIO()
    settings = make_settings({"plugins": {found.name: own}} if own else None)
    assembly = Assembly(settings)
    try:
        with redirect_stdout(printed):
            plugin, _ = load_plugin(found, settings)
            assembly.take(plugin)
    except PluginError as error:
        return _checked(found, (), [report("loads", str(error), found.way_out)])
    names = tuple(sorted(entry.bare for entry in assembly.registry.entries()))
    broken = list(_quiet(printed, report))
    if assembly.plugins.hooks_of(plugin):
        broken += check_plugin(found.load(), name=found.name, settings=own)
    elif plugin.tools:
        broken += [item for tool in plugin.tools for item in check_definition(tool)]
    else:
        remedy = "Name tools, or mark functions with @pegboard.hookimpl."
        broken.append(report("loads", "it brings neither tools nor hooks", remedy))
    return _checked(found, names, broken)


def _quiet(printed: io.StringIO, report: Report) -> Iterator[Broken]:
    if text := printed.getvalue().strip():
        yield report(
            "quiet",
            f"it prints {text[:60]!r} when it is imported",
            "Log it: stdout belongs to the program that calls tools.",
        )


def _checked(
    found: Found, tools: tuple[str, ...], broken: list[Broken]
) -> CheckedPlugin:
    return CheckedPlugin(
        found.name, found.distribution, found.version, tools, tuple(broken)
    )
