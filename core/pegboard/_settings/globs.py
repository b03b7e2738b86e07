"""Names and globs of plugins and tools, as settings and `board.only` take them.

An identity is `plugin:tool`. A glob with a colon is of identities; one without is of
bare names, and so means every tool of such a name, whoever brings it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


def names_tool(pattern: str, identity: str) -> bool:
    """Return whether a glob names a tool itself."""
    subject = identity if ":" in pattern else identity.partition(":")[2]
    return fnmatchcase(subject, pattern)


def any_names_plugin(patterns: Iterable[str], plugin: str) -> bool:
    """Return whether one of the globs names a plugin."""
    return any(fnmatchcase(plugin, pattern) for pattern in patterns)


def any_names(patterns: Iterable[str], identity: str) -> bool:
    """Return whether one of the globs names a tool, or the plugin that brings it."""
    plugin = identity.partition(":")[0]
    return any(
        names_tool(pattern, identity) or fnmatchcase(plugin, pattern)
        for pattern in patterns
    )


def specificity(name: str) -> tuple[bool, int, bool, str]:
    """Return a sort key that puts globs before names, and what says more behind."""
    literal = [char for char in name if char not in "*?[]"]
    return len(literal) == len(name), len(literal) - (":" in name), ":" in name, name
