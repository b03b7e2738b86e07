"""Errors by who must act.

PegboardError
├── UsageError             the host's developer called Pegboard in a way it cannot serve
│   └── SettingsError      a settings file or variable is wrong; has file and key
├── PluginError            a plugin's author must act; has the plugin's name
├── ToolError              the model may read it; has code, details, retryable
│   ├── UnknownTool        no such tool, or several of that name
│   └── InvalidArguments   the arguments do not fit; has one line a problem
└── Abort                  ends the batch and leaves run() (defined in decisions)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class PegboardError(Exception):
    """The root of every error that Pegboard raises on purpose."""


class UsageError(PegboardError):
    """The host's developer must act: Pegboard was called in a wrong way."""


class SettingsError(UsageError):
    """A settings file, variable or keyword is wrong.

    Attributes:
        file: Where the value came from: a path, a variable's name, or "code".
        key: The dotted key, "" if the file as a whole is meant.
    """

    def __init__(self, message: str, *, file: str = "code", key: str = "") -> None:
        super().__init__(message)
        self.file = file
        self.key = key


class PluginError(PegboardError):
    """A plugin's author must act.

    Attributes:
        plugin: The name of the plugin at fault.
    """

    def __init__(self, message: str, *, plugin: str) -> None:
        super().__init__(message)
        self.plugin = plugin


class ToolError(PegboardError):
    """What a tool says to the model: the message becomes the result's text.

    Args:
        message: Shown to the model as it is: no paths, no secrets.
        code: The result's code.
        details: For user interfaces and logs; the model never sees them.
        retryable: Whether the tool's retry policy may try again.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "tool_failed",
        details: Any = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.details = details
        self.retryable = retryable


class UnknownTool(ToolError):
    """No tool has that name, or several have it.

    Attributes:
        name: The name that was asked for.
        nearest: Up to three names that exist and look like it.
    """

    def __init__(
        self,
        message: str,
        *,
        name: str,
        nearest: Sequence[str] = (),
        code: str = "unknown_tool",
    ) -> None:
        super().__init__(message, code=code)
        self.name = name
        self.nearest = tuple(nearest)


class InvalidArguments(ToolError):
    """The arguments are no JSON object, are cut off, or do not fit the schema.

    Attributes:
        code: `malformed_arguments`, `truncated_arguments` or `invalid_arguments`.
        problems: One line a problem, without the introduction of the message.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "invalid_arguments",
        problems: Sequence[str] = (),
    ) -> None:
        super().__init__(message, code=code)
        self.problems = tuple(problems)
