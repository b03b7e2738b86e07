"""Which of the installed plugins are loaded, and why the others are not.

Two groups of entry points: `pegboard.tools` brings tools, `pegboard.plugins` may have a
say over every call. So what may guard is known before anything is imported.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pegboard._distributions import PLUGINS, Found, canonical, read_installed
from pegboard._settings.checks import nearest
from pegboard.problems import Problem
from pegboard.settings import Settings

__all__ = ["Discovery", "Found", "discover", "misspelled", "select"]


@dataclass(frozen=True, slots=True)
class Discovery:
    """What is installed, as the settings see it.

    Attributes:
        found: The plugins to load, sorted by name.
        disabled: Those that settings or variables leave out.
        problems: What is wrong with what is installed.
        unfit: Plugins that should guard calls, or are required, and cannot be loaded,
            each with its problem. While there is one, no call may be made.
    """

    found: tuple[Found, ...] = ()
    disabled: tuple[Found, ...] = ()
    problems: tuple[Problem, ...] = ()
    unfit: Mapping[str, Problem] = field(default_factory=dict)


def discover(settings: Settings) -> Discovery:
    """Return what is installed and what of it the settings let load."""
    return select(read_installed(), settings)


def select(installed: Sequence[Found], settings: Settings) -> Discovery:
    """Return what of the installed plugins the settings let load."""
    found: list[Found] = []
    disabled: list[Found] = []
    refused: dict[str, Problem] = {}
    closing = set(settings.required)
    names = {plugin.name for plugin in installed}
    for name, group in groupby(installed, key=lambda plugin: plugin.name):
        candidates = list(group)
        guards = any(not plugin.is_pack for plugin in candidates)
        picked = settings.distribution(name)
        if not settings.is_enabled(name, packs=() if guards else names):
            disabled += candidates
        elif problem := _refusal(name, candidates, picked):
            refused[name] = problem
            if guards and name not in settings.optional:
                closing.add(name)
        else:
            found += _picked(candidates, picked)
    for name in settings.required:
        if name not in names:
            refused[name] = _missing(name)
    return Discovery(
        found=tuple(found),
        disabled=tuple(disabled),
        problems=tuple(refused.values()),
        unfit={name: refused[name] for name in sorted(closing & refused.keys())},
    )


def misspelled(settings: Settings, plugins: Collection[str]) -> tuple[Problem, ...]:
    """Return the names in settings that are no plugin's, and look like one's.

    A name that looks like none is left alone: a user's file serves environments in
    which not everything is installed.

    Args:
        settings: The effective settings.
        plugins: All names that are known: installed or passed in code.
    """
    said = {f"plugins.{name}": name for name in settings.plugins}
    for key in ("optional", "order"):
        said |= {f"{key}: {name}": name for name in getattr(settings, key)}
    problems = []
    for key, name in said.items():
        if name not in plugins and (near := nearest(name, plugins)):
            origin = settings.origin(key.partition(":")[0])
            problems.append(
                Problem(
                    f"{origin}: there is no plugin {name!r} ({key})",
                    remedy=f"Did you mean {near!r}?",
                    plugin=name,
                    severity="warning",
                )
            )
    return tuple(problems)


def _picked(candidates: Sequence[Found], distribution: str | None) -> list[Found]:
    if distribution is None:
        return list(candidates)
    wanted = canonical(distribution)
    return [plugin for plugin in candidates if canonical(plugin.distribution) == wanted]


def _refusal(
    name: str, candidates: Sequence[Found], distribution: str | None
) -> Problem | None:
    """Return why none of the plugins of one name is loaded, None if one is."""
    picked = _picked(candidates, distribution)
    brought_by = sorted({plugin.distribution for plugin in picked or candidates})
    if len(picked) == 1 and not picked[0].refused:
        return None
    table = f"[tool.pegboard.plugins.{json.dumps(name)}]"
    if not picked:
        message = (
            f"only {distribution} may bring plugin {name!r}, as settings say, and "
        )
        message += f"it does not; {' and '.join(brought_by)} would"
        remedy = f"Install {distribution}, or mend `distribution` in {table}."
    elif len(brought_by) > 1:
        message = (
            f"{' and '.join(brought_by)} both bring a plugin {name!r}, so neither "
        )
        message += "is loaded"
        remedy = f'Pick one: {table} distribution = "{brought_by[0]}"'
    elif len(picked) > 1:
        message = f"{brought_by[0]} declares plugin {name!r} twice, so it is not loaded"
        remedy = f"Declare it once; {PLUGINS} may bring tools, too."
    else:
        message = f"{picked[0].title} is not loaded: {picked[0].refused}"
        remedy = picked[0].remedy
    return Problem(message, remedy, plugin=name, distribution=", ".join(brought_by))


def _missing(name: str) -> Problem:
    return Problem(
        f"plugin {name!r} is required, and no distribution brings it",
        remedy="Install it, or take it from `required`.",
        plugin=name,
    )
