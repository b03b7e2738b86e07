"""Pegboard: the plugin platform for the tools that language models call."""

from pegboard import _startup  # noqa: F401 - for what it does, before all else

# isort: split
import importlib
from typing import TYPE_CHECKING, Any

from pegboard._version import __version__
from pegboard.batches import BatchResult, PendingCall
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

if TYPE_CHECKING:
    from pegboard._executor import Executor
    from pegboard._registry import Registry
    from pegboard.board import Pegboard

#: What runs calls loads the machinery of calls; `@tool` needs none of it.
_LATE = {
    "Executor": "pegboard._executor",
    "Pegboard": "pegboard.board",
    "Registry": "pegboard._registry",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'pegboard' has no attribute {name!r}")
    return getattr(importlib.import_module(_LATE[name]), name)


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
