"""Boards for tests: nothing of this machine has a say in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pegboard._conversion import as_tool
from pegboard.board import Pegboard
from pegboard.calls import Arguments
from pegboard.middleware import Middleware
from pegboard.results import ToolResult
from pegboard.settings import make_settings


def make_board(
    tools: Iterable[Any] = (),
    *,
    plugins: Iterable[Any] = (),
    middlewares: Iterable[Middleware] = (),
    settings: Mapping[str, Any] | None = None,
    secrets: Mapping[str, str] | None = None,
) -> Pegboard:
    """Return a board of what is passed in and nothing else.

    No installed plugin, no file (the organisation's included) and no variable takes
    part. Leave it with `with` or `async with`, or take the fixture `board`, which does.

    Args:
        tools: Functions, Tools, or whatever can be one.
        plugins: Objects, classes or modules with hook implementations.
        middlewares: Inside all plugins', the first one innermost.
        settings: As in a settings file.
        secrets: Values of `Injected` parameters.

    Raises:
        UsageError: something passed in is no tool, plugin or setting.
        PluginError: a plugin violates a spec.
    """
    return Pegboard(
        tools,
        plugins=plugins,
        middlewares=middlewares,
        settings=make_settings(settings),
        secrets=secrets,
    )


def call_tool(
    tool: Any,
    arguments: Arguments = None,
    *,
    metadata: Mapping[str, Any] | None = None,
    **options: Any,
) -> ToolResult:
    """Return what a model would get of one call, through the whole path.

    Args:
        tool: A function, a Tool, or whatever can be one.
        arguments: As a model would send them: JSON text, or a mapping.
        metadata: What the host says of the caller.
        options: plugins, middlewares, settings, secrets as for `make_board`.
    """
    made = as_tool(tool)
    with make_board([made], **options) as board:
        return board.call_sync(made.name, arguments, metadata=metadata)
