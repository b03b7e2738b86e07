"""What is kept of one plugin: what it brings, or why it brings nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pegboard.problems import Problem
from pegboard.schemas import ToolAnnotations, ToolDefinition
from pegboard.settings import Settings


@dataclass(frozen=True, slots=True)
class Record:
    """What one plugin was found to be when it was last imported.

    Attributes:
        plugin: Its name.
        tools: Definitions of its tools, with identity and version.
        hooks: Names of the hooks that it implements.
        schema: JSON Schema of its settings, None if it takes none.
        error: Why it could not be loaded, "" if it could.
        remedy: The way out of that.
        seconds: How long its import took.
        problems: What is wrong with single tools of it.
    """

    plugin: str
    tools: tuple[ToolDefinition, ...] = ()
    hooks: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    error: str = ""
    remedy: str = ""
    seconds: float = 0.0
    problems: tuple[Problem, ...] = ()

    def brief(self) -> dict[str, Any]:
        """Return what an index needs: tools without schemas, with one line each."""
        return {
            "tools": [_brief(tool) for tool in self.tools],
            "hooks": list(self.hooks),
            "error": self.error,
            "remedy": self.remedy,
            "seconds": round(self.seconds, 4),
            "problems": [problem.to_dict() for problem in self.problems],
        }

    def bulk(self) -> dict[str, Any]:
        """Return what an index leaves out."""
        schema = None if self.schema is None else dict(self.schema)
        return {"tools": [tool.to_dict() for tool in self.tools], "schema": schema}

    @classmethod
    def parse(
        cls, plugin: str, brief: Mapping[str, Any], bulk: Mapping[str, Any] | None
    ) -> Record:
        """Make a record of what `brief` and `bulk` returned.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: they did not return it.
        """
        tools = (bulk or brief)["tools"]
        return cls(
            plugin=plugin,
            tools=tuple(_definition(tool) for tool in tools),
            hooks=tuple(brief["hooks"]),
            schema=bulk["schema"] if bulk else None,
            error=brief["error"],
            remedy=brief["remedy"],
            seconds=float(brief["seconds"]),
            problems=tuple(Problem(**problem) for problem in brief["problems"]),
        )


def drift(kept: Record, live: Record) -> Problem | None:
    """Return what a plugin turned out to be other than was shown, None if nothing."""
    before = {tool.id: tool.to_dict() for tool in kept.tools}
    now = {tool.id: tool.to_dict() for tool in live.tools}
    changed = sorted(
        name for name in before.keys() | now.keys() if before.get(name) != now.get(name)
    )
    if kept.error != live.error or not (changed or kept.hooks != live.hooks):
        return None
    what = ", ".join(changed[:5]) or "its hooks"
    return Problem(
        f"plugin {live.plugin!r} is not what was last seen of it; changed: {what}",
        remedy="Ask for the definitions again; they are now as the plugin has them.",
        plugin=live.plugin,
        severity="warning",
    )


def settings_key(settings: Settings, plugin: str) -> str:
    """Return what changes with everything that a plugin's settings depend on.

    It is "" for a plugin of which no setting speaks.
    """
    resolved = settings.resolved
    if plugin not in settings.plugins and plugin not in resolved.below:
        return ""
    below = None if resolved.trusted else resolved.below.get(plugin)
    said = [settings.plugin(plugin), settings.distribution(plugin), below]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


def _definition(said: dict[str, Any]) -> ToolDefinition:
    """Do what ToolDefinition.from_dict does, for exactly what to_dict returned.

    Hundreds of tools are listed in the time that one import takes.
    """
    annotations = ToolAnnotations(**said["annotations"])
    tags = tuple(said["tags"])
    return ToolDefinition(**{**said, "annotations": annotations, "tags": tags})


def _brief(tool: ToolDefinition) -> dict[str, Any]:
    line = tool.description.strip().partition("\n")[0]
    brief = replace(tool, description=line, input_schema={}, output_schema=None)
    return brief.to_dict()
