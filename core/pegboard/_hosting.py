"""What a plugin's lifespan gets of its board."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from pegboard._registry import Registry
from pegboard.calls import Arguments
from pegboard.results import ToolResult


class Changing(Protocol):
    """As much of a board as a host needs."""

    registry: Registry

    def change(self, change: Callable[[], object]) -> None:
        """Change what is offered, and tell observers what came and went."""

    def remove(self, name: str) -> None:
        """Stop offering a tool."""

    async def call(self, name: str, arguments: Arguments = None) -> ToolResult:
        """Run one call."""
        ...


class PluginHost:
    """Adds and removes a plugin's tools, and calls any tool.

    Args:
        board: The board that the plugin belongs to.
        plugin: The plugin's name.
        version: Its version.
    """

    def __init__(self, board: Changing, plugin: str, version: str) -> None:
        self._board = board
        self._plugin = plugin
        self._version = version

    def add(self, tools: Any | Iterable[Any]) -> None:
        """Offer tools, under the plugin's name."""
        listed = tools if isinstance(tools, (list, tuple)) else [tools]
        add = partial(self._board.registry.add, listed, plugin=self._plugin)
        self._board.change(lambda: add(version=self._version))

    def remove(self, name: str) -> None:
        """Stop offering a tool of the plugin.

        Raises:
            UnknownTool: the plugin has no tool of that name.
        """
        self._board.remove(f"{self._plugin}:{name}")

    async def call(self, name: str, arguments: Arguments = None) -> ToolResult:
        """Call any tool of the board, through the whole path."""
        return await self._board.call(name, arguments)
