"""One registered tool, whether its pack is imported or only known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pegboard.errors import PluginError
from pegboard.schemas import ToolAnnotations, ToolDefinition
from pegboard.settings import Settings, ToolSettings
from pegboard.tools import Tool


class Entry:
    """One registered tool.

    Args:
        bare: The tool's own name.
        plugin: The name of the plugin that brings it, `code` for none.
        version: The version of its distribution.
        tool: The tool itself, if it is at hand.
        load: Imports the pack and returns the tool.
        shown: The definition it was last seen with.

    Attributes:
        id: `plugin:tool`; never changes.
        offered: The name that the model sees; set by the registry.
        unavailable: Why it cannot be called, "" if it can.
    """

    __slots__ = (
        "_definition",
        "_load",
        "_settings",
        "_shown",
        "_tool",
        "bare",
        "id",
        "offered",
        "plugin",
        "unavailable",
        "version",
    )

    def __init__(
        self,
        bare: str,
        plugin: str,
        version: str,
        *,
        tool: Tool[..., Any] | None = None,
        load: Callable[[], Tool[..., Any]] | None = None,
        shown: ToolDefinition | None = None,
    ) -> None:
        self.id = f"{plugin}:{bare}"
        self.bare = bare
        self.plugin = plugin
        self.version = version
        self.offered = bare
        self.unavailable = ""
        self._tool = tool
        self._load = load
        self._shown = shown
        self._definition: ToolDefinition | None = None
        self._settings: ToolSettings | None = None

    @property
    def tool(self) -> Tool[..., Any]:
        """The tool itself; imports its pack if need be.

        Raises:
            PluginError: the pack cannot be loaded, or does not bring it any more.
        """
        if self._tool is None:
            if self._load is None:
                raise PluginError(f"tool {self.id!r} has no body", plugin=self.plugin)
            self.fulfil(self._load())
        assert self._tool is not None
        return self._tool

    @property
    def loaded(self) -> bool:
        """Whether the tool itself is at hand, not only its definition."""
        return self._tool is not None

    def fulfil(self, tool: Tool[..., Any]) -> None:
        """Put the tool itself in the place of what was shown of it."""
        self._tool = tool
        self._definition = self._shown = None

    def fault(self) -> str:
        """Say what is wrong with a schema written by hand, "" if nothing is."""
        if self._tool is None or self._tool.typed:
            return ""
        from pegboard._arguments import ArgumentSchema  # 30 ms; typed tools need none

        try:
            ArgumentSchema(self._tool.definition.input_schema)
        except Exception as error:
            return f"its input schema is invalid: {error}"
        return ""

    def overrides(self, settings: Settings) -> ToolSettings:
        """Return what the settings say of this tool."""
        if self._settings is None:
            self._settings = settings.tool(self.id)
        return self._settings

    def forget_settings(self) -> None:
        """Ask the settings again: they are others now."""
        self._settings = self._definition = None

    def definition(self, settings: Settings) -> ToolDefinition:
        """Return the definition as it is offered.

        Raises:
            UsageError: the signature cannot be described.
            PluginError: the pack cannot be loaded.
        """
        known = self._definition
        if known is None or known.name != self.offered:
            plain = self._shown or self.tool.definition
            known = self._definition = self._offer(plain, self.overrides(settings))
        return known

    def _offer(self, plain: ToolDefinition, over: ToolSettings) -> ToolDefinition:
        hints = over.annotations.to_dict() if over.annotations else {}
        text = plain.description if over.description is None else over.description
        named = (plain.id, plain.version, plain.name)
        if named == (self.id, self.version, self.offered) and not hints:
            if text == plain.description:
                return plain
        return replace(
            plain,
            id=self.id,
            version=self.version,
            name=self.offered,
            description=text,
            annotations=ToolAnnotations(**{**plain.annotations.to_dict(), **hints}),
        )
