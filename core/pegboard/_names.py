"""Names that models may be offered: safe for every provider, one for each tool."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pegboard.errors import UsageError
from pegboard.problems import Problem

#: The plugin part of the identity of a tool that was passed in code.
CODE = "code"
_SAFE = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}\Z").match
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


def safe_name(name: str) -> str:
    """Return a name that every provider takes, the same for the same name.

    Any other name keeps its safe characters, and gets a short hash of the original.
    """
    if _SAFE(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    kept = _UNSAFE.sub("_", name)[:55] or "_"
    return f"{kept if _SAFE(kept) else '_' + kept[:54]}_{digest}"


def matches(patterns: Iterable[str], identity: str, *names: str) -> bool:
    """Whether a glob takes a tool by its identity, or by one of its names."""
    return any(
        fnmatch.fnmatchcase(identity if ":" in pattern else name, pattern)
        for pattern in patterns
        for name in (names or (identity,))
    )


@dataclass(frozen=True, slots=True)
class Names:
    """Who is offered under which name.

    Attributes:
        offered: Offered name -> identity.
        ambiguous: A name that several plugins would have -> what they are offered as.
        problems: Each collision.
    """

    offered: dict[str, str] = field(default_factory=dict)
    ambiguous: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def assign_names(wanted: Mapping[str, str], *, strict: bool = False) -> Names:
    """Return a name for each tool; the same for the same tools, in whatever order.

    Args:
        wanted: Identity -> the name it would have by itself.
        strict: Whether two plugins that want one name are an error.

    Raises:
        UsageError: `strict`, and two plugins want one name.
    """
    groups: dict[str, list[str]] = {}
    for identity, name in wanted.items():
        groups.setdefault(safe_name(name), []).append(identity)
    names = Names()
    for name in sorted(groups):
        if len(groups[name]) == 1:
            names.offered[name] = groups[name][0]
    for name in sorted(groups):
        if len(groups[name]) > 1:
            _separate(name, sorted(groups[name]), names, strict)
    return names


def _separate(name: str, identities: list[str], names: Names, strict: bool) -> None:
    plugins = [identity.partition(":")[0] for identity in identities]
    listed = " and by ".join(f"plugin {plugin!r}" for plugin in plugins)
    if strict:
        raise UsageError(
            f"tool name {name!r} is offered by {listed}; set `rename` for one, or"
            " disable one"
        )
    prefixed = []
    for identity, plugin in zip(identities, plugins, strict=True):
        offered = name if plugin == CODE else safe_name(f"{plugin}__{name}")
        if offered in names.offered:
            offered = safe_name(f"{offered}.{identity}")
        names.offered[offered] = identity
        prefixed.append(offered)
    if CODE not in plugins:
        names.ambiguous[name] = prefixed
    names.problems.append(
        Problem(
            f"tool name {name!r} is offered by {listed}, so"
            f" {'those of plugins' if CODE in plugins else 'all'} are prefixed",
            f'set rename in [tool.pegboard.tools."{identities[-1]}"], or disable one',
            tool=name,
            severity="warning",
        )
    )
