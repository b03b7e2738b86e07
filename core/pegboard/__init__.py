"""Pegboard: the plugin platform for the tools that language models call."""

from __future__ import annotations

from pegboard import _startup  # noqa: F401 - for what it does, before all else

# isort: split
import importlib

from pegboard._version import __version__

#: For type checkers alone; typing takes 10 ms, and a quick command has no more.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pegboard._executor import Executor
    from pegboard._registry import Registry
    from pegboard.batches import BatchResult, PendingCall
    from pegboard.board import Pegboard
    from pegboard.calls import Injected, PreparedCall, Repair, ToolCall
    from pegboard.content import (
        AudioContent,
        Content,
        FileContent,
        ImageContent,
        ResourceLink,
        TextContent,
    )
    from pegboard.context import ToolContext
    from pegboard.decisions import Abort, Approve, Block, Defer, Deny, Respond
    from pegboard.errors import (
        InvalidArguments,
        PegboardError,
        PluginError,
        SettingsError,
        ToolError,
        UnknownTool,
        UsageError,
    )
    from pegboard.hookspecs import hookimpl
    from pegboard.middleware import CallNext, Middleware
    from pegboard.problems import Problem
    from pegboard.results import CODES, ToolResult
    from pegboard.schemas import ToolAnnotations, ToolDefinition
    from pegboard.tools import Retry, Tool, tool

#: Where each name is. Nothing is imported before it is asked for: a command that only
#: looks pays for what it looks at.
_MODULES = {
    "Abort": "decisions",
    "Approve": "decisions",
    "AudioContent": "content",
    "BatchResult": "batches",
    "Block": "decisions",
    "CODES": "results",
    "CallNext": "middleware",
    "Content": "content",
    "Defer": "decisions",
    "Deny": "decisions",
    "Executor": "_executor",
    "FileContent": "content",
    "ImageContent": "content",
    "Injected": "calls",
    "InvalidArguments": "errors",
    "Middleware": "middleware",
    "Pegboard": "board",
    "PegboardError": "errors",
    "PendingCall": "batches",
    "PluginError": "errors",
    "PreparedCall": "calls",
    "Problem": "problems",
    "Registry": "_registry",
    "Repair": "calls",
    "ResourceLink": "content",
    "Respond": "decisions",
    "Retry": "tools",
    "SettingsError": "errors",
    "TextContent": "content",
    "Tool": "tools",
    "ToolAnnotations": "schemas",
    "ToolCall": "calls",
    "ToolContext": "context",
    "ToolDefinition": "schemas",
    "ToolError": "errors",
    "ToolResult": "results",
    "UnknownTool": "errors",
    "UsageError": "errors",
    "hookimpl": "hookspecs",
    "tool": "tools",
}


def __getattr__(name: str) -> Any:
    try:
        module = importlib.import_module(f"pegboard.{_MODULES[name]}")
    except KeyError:
        raise AttributeError(f"module 'pegboard' has no attribute {name!r}") from None
    value = globals()[name] = getattr(module, name)
    return value


__all__ = [
    "CODES",
    "Abort",
    "Approve",
    "AudioContent",
    "BatchResult",
    "Block",
    "CallNext",
    "Content",
    "Defer",
    "Deny",
    "Executor",
    "FileContent",
    "ImageContent",
    "Injected",
    "InvalidArguments",
    "Middleware",
    "Pegboard",
    "PegboardError",
    "PendingCall",
    "PluginError",
    "PreparedCall",
    "Problem",
    "Registry",
    "Repair",
    "ResourceLink",
    "Respond",
    "Retry",
    "SettingsError",
    "TextContent",
    "Tool",
    "ToolAnnotations",
    "ToolCall",
    "ToolContext",
    "ToolDefinition",
    "ToolError",
    "ToolResult",
    "UnknownTool",
    "UsageError",
    "__version__",
    "hookimpl",
    "tool",
]
