"""Pegboard: the plugin platform for the tools that language models call."""

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

__version__ = "0.1.0"

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
    "FileContent",
    "ImageContent",
    "Injected",
    "InvalidArguments",
    "Middleware",
    "PegboardError",
    "PendingCall",
    "PluginError",
    "PreparedCall",
    "Problem",
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
