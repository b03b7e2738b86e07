"""What a body returned -> what the model reads and what the program gets.

Whatever it is, this never raises.
"""

from __future__ import annotations

import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import re
import uuid
from typing import Any

from pegboard.content import BLOCKS, Content, text_block

#: What the model reads when there is nothing to say.
DONE = "done"
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 100


def clean(text: str) -> str:
    """Return a text whose lone surrogates are U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def bound(text: str, limit: int) -> str:
    """Return a text of at most so many bytes of UTF-8, else its head and its tail."""
    if len(text) * 4 <= limit:
        return text
    size = len(text.encode("utf-8", "replace"))
    if size <= limit:
        return text
    note = f"\n... {size:,} bytes in all, the middle is left out ...\n"
    room = max(0, limit - len(note)) // 2
    data = text.encode("utf-8", "replace")
    head = data[:room].decode("utf-8", "ignore")
    tail = data[len(data) - room :].decode("utf-8", "ignore")
    return f"{head}{note}{tail}"


def to_content(value: Any) -> tuple[Content, ...]:
    """Return the blocks of an update: any value that a body may return."""
    return convert(value)[0]


def convert(value: Any) -> tuple[tuple[Content, ...], Any, tuple[str, ...]]:
    """Return content, data, and the names of types that could not be serialised.

    Args:
        value: Anything but a ToolResult.
    """
    kind = type(value)
    if kind is str:
        text = clean(value)
        return (text_block(text),), text, ()
    if kind is int or kind is bool:
        return (text_block(_scalar(value)),), value, ()
    if value is None:
        return (text_block(DONE),), None, ()
    if isinstance(value, BLOCKS):
        return (_clean_block(value),), None, ()
    if kind in (list, tuple) and value and all(isinstance(v, BLOCKS) for v in value):
        return tuple(_clean_block(item) for item in value), None, ()
    lost: list[str] = []
    data = _to_json(value, lost, 0)
    text = data if isinstance(data, str) else _dump(data)
    return (text_block(text),), data, tuple(lost)


def _clean_block(block: Any) -> Any:
    text = getattr(block, "text", "")
    return text_block(clean(text)) if text and not text.isascii() else block


def _scalar(value: int) -> str:
    try:
        return "true" if value is True else "false" if value is False else str(value)
    except ValueError:  # more digits than Python writes
        return hex(value)


def _dump(data: Any) -> str:
    from pydantic_core import to_json

    return to_json(data).decode()


def _to_json(value: Any, lost: list[str], depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return clean(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if value.bit_length() < 14_000 else hex(value)
    if kind is float:
        return value if math.isfinite(value) else str(value)
    if depth > _MAX_DEPTH:
        return _lose(value, lost)
    try:
        if kind is dict:
            return _members(value, lost, depth)
        if kind is list or kind is tuple:
            return [_to_json(item, lost, depth + 1) for item in value]
        return _other(value, lost, depth)
    except Exception:  # a broken __str__, items() or model_dump() of a stranger
        return _lose(value, lost)


def _members(value: Any, lost: list[str], depth: int) -> dict[str, Any]:
    return {
        _key(key, lost): _to_json(item, lost, depth + 1) for key, item in value.items()
    }


def _key(key: Any, lost: list[str]) -> str:
    text = _to_json(key, lost, _MAX_DEPTH)
    return text if isinstance(text, str) else clean(_scalar_key(text))


def _scalar_key(key: Any) -> str:
    return "null" if key is None else _scalar(key) if isinstance(key, int) else str(key)


def _other(value: Any, lost: list[str], depth: int) -> Any:
    if isinstance(value, enum.Enum):
        return _to_json(value.value, lost, depth + 1)
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return _to_json(value.model_dump(mode="json"), lost, depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return _members(members, lost, depth)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (decimal.Decimal, uuid.UUID, pathlib.PurePath)):
        return clean(str(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (str, int, float)):
        plain = (
            str
            if isinstance(value, str)
            else float
            if isinstance(value, float)
            else int
        )
        return _to_json(plain(value), lost, depth + 1)
    if isinstance(value, (set, frozenset)):
        items = [_to_json(item, lost, depth + 1) for item in value]
        return sorted(items, key=lambda item: (type(item).__name__, _dump(item)))
    if isinstance(value, collections.abc.Mapping):
        return _members(value, lost, depth)
    if isinstance(value, (list, tuple, collections.deque)):
        return [_to_json(item, lost, depth + 1) for item in value]
    if isinstance(value, BLOCKS):
        return value.to_dict()
    return _lose(value, lost)


def _lose(value: Any, lost: list[str]) -> str:
    name = type(value).__name__
    if name not in lost:
        lost.append(name)
    return f"<{name}>"


def redact(value: Any, secrets: tuple[str, ...]) -> Any:
    """Return a JSON value, or blocks, in which each secret has become ***."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "***")
        return value
    if isinstance(value, dict):
        return {redact(k, secrets): redact(v, secrets) for k, v in value.items()}
    if isinstance(value, list):
        return [redact(item, secrets) for item in value]
    if isinstance(value, tuple):
        return tuple(redact(item, secrets) for item in value)
    if getattr(value, "type", None) == "text":
        return text_block(redact(value.text, secrets))
    return value
