"""A file of calls, or a recorded answer of a provider -> calls."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pegboard.calls import ToolCall
from pegboard.cli.terminal import say
from pegboard.errors import UsageError

#: Stands for what is piped in.
STDIN = "-"
#: What a call of our own has; an object with anything else is somebody's answer.
MEMBERS = {"name", "arguments", "id", "truncated"}


def read_bytes(path: str) -> bytes:
    """Return what is in a file, or on stdin for "-".

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def read_calls(path: str, dialect: str | None = None) -> list[ToolCall]:
    """Return the calls in a file.

    Args:
        path: JSON Lines of calls, or a provider's answer: JSON, JSON Lines of chunks,
            or a stream of events as it came; "-" for stdin.
        dialect: The answer's dialect by name; None to find it out.

    Raises:
        UsageError: the file is none of these, or a call has no name.
    """
    text = read_bytes(path).decode("utf-8-sig", "replace")
    if not text.strip():
        raise UsageError(f"{path} is empty; it should hold calls or a model's answer")
    if dialect is None and (own := _own(path, text)):
        return [_call(path, number, value) for number, value in enumerate(own, 1)]
    return _answer(path, text, dialect)


def _own(path: str, text: str) -> list[Any]:
    """Return the calls of a file that is in our own format, [] if it is in another."""
    try:
        whole = json.loads(text)
        values = whole if isinstance(whole, list) else [whole]
        return values if values and _is_call(values[0]) else []
    except (ValueError, RecursionError):
        pass
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        ours = _is_call(json.loads(lines[0][1]))
    except (ValueError, RecursionError):
        return []
    return [_line(path, number, line) for number, line in lines] if ours else []


def _is_call(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() <= MEMBERS


def _line(path: str, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}, line {number} is not JSON: {error}") from None


def _call(path: str, number: int, value: Any) -> ToolCall:
    name = value.get("name") if isinstance(value, Mapping) else None
    if not isinstance(name, str) or not name:
        raise UsageError(
            f'{path}, call {number} has no name; a call is {{"name": "...",'
            ' "arguments": {...}}'
        )
    return ToolCall.from_dict(value)


def _answer(path: str, text: str, dialect: str | None) -> list[ToolCall]:
    from pegboard.dialects import detect, load, read  # late: our own format needs none

    named = load(dialect) if dialect else None
    try:
        payload = read(text)
        name = dialect or detect(payload)
        if name is None:
            raise UsageError(
                "these are neither calls nor an answer whose format can be told by its"
                " looks; name the format with --dialect"
            )
        calls: list[ToolCall] = (named or load(name)).calls(payload)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    if not calls:
        say(f"{path} holds no tool calls (read as {name})")
    return calls
