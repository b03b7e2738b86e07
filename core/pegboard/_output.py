"""What a body returned -> what the model reads and what the program gets.

Whatever it is, this never raises.
"""

from __future__ import annotations

import base64
import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import functools
import json
import math
import pathlib
import re
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from pegboard.content import BLOCKS, Content, TextContent, blocks, text_block
from pegboard.results import ToolResult

#: What the model reads: blocks, or one text, which becomes a block if it is asked for.
Shown = str | tuple[Content, ...]

#: What the model reads when there is nothing to say.
DONE = "done"
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 100
#: Members and elements that are looked at; a small value can unfold without end.
_MAX_ITEMS = 5_000_000
#: Integers of so many bits have fewer digits than Python refuses to write.
_MAX_BITS = 14_000
#: Smaller integers, which is nearly all, take no further thought.
_EXACT = 2**63


def clean(text: str) -> str:
    """Return a text whose lone surrogates are U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def bound(text: str, limit: int) -> str:
    """Return a text of at most so many bytes of UTF-8, else its head and its tail."""
    if len(text) * 4 <= limit:
        return text
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    note = f"\n... {len(data):,} bytes in all, the middle is left out ...\n"
    room = max(0, limit - len(note)) // 2
    head = data[:room].decode("utf-8", "ignore")
    tail = data[len(data) - room :].decode("utf-8", "ignore")
    return f"{head}{note}{tail}"


def to_content(value: Any) -> tuple[Content, ...]:
    """Return the blocks of an update: any value that a body may return."""
    return value.content if isinstance(value, ToolResult) else blocks(convert(value)[0])


def convert(value: Any) -> tuple[Shown, Any, tuple[str, ...]]:
    """Return content, data, and the names of types that could not be serialised.

    Args:
        value: Anything but a ToolResult.
    """
    kind = type(value)
    if kind is str:
        text = clean(value)
        return text, text, ()
    if value is None:
        return DONE, None, ()
    if kind is int and -_EXACT < value < _EXACT:
        return str(value), value, ()
    if kind is dict and _is_flat(value):
        data = value.copy()
        return dump(data), data, ()
    given = as_blocks(value)
    if given is not None:
        return given, None, ()
    data, lost = to_json(value)
    return data if isinstance(data, str) else dump(data), data, lost


def _is_flat(value: dict[Any, Any]) -> bool:
    """Whether a dict is JSON as it is, at a glance: what most tools return."""
    for key, item in value.items():
        if type(key) is not str or not key.isascii():
            return False
        kind = type(item)
        if kind is str:
            if not item.isascii():
                return False
        elif kind is int:
            if not -_EXACT < item < _EXACT:
                return False
        elif item is not None and kind is not bool:
            return False
    return len(value) < _MAX_ITEMS


def as_blocks(value: Any) -> tuple[Content, ...] | None:
    """Return content blocks as they are: one, or several, texts among them.

    Returns:
        None if the value is something else.
    """
    if isinstance(value, BLOCKS):
        return clean_blocks((value,))
    if type(value) not in (list, tuple):
        return None
    kinds = [isinstance(item, BLOCKS) for item in value]
    if not any(kinds):
        return None
    if not all(kinds) and not all(isinstance(item, (str, *BLOCKS)) for item in value):
        return None
    return clean_blocks(text_block(v) if isinstance(v, str) else v for v in value)


def clean_blocks(blocks: Iterable[Content]) -> tuple[Content, ...]:
    """Return blocks whose texts have no lone surrogates."""
    return tuple(
        text_block(clean(block.text)) if isinstance(block, TextContent) else block
        for block in blocks
    )


def dump(data: Any) -> str:
    """Return JSON data as text, as the model reads it."""
    if data is True or data is False:
        return "true" if data else "false"
    if type(data) is int:
        return str(data)
    return _dumper()(data).decode()


@functools.cache
def _dumper() -> Callable[[Any], bytes]:
    from pydantic_core import to_json  # 70 ms; most results are text

    return to_json


def to_json(value: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a JSON value, and the names of types that could not be serialised."""
    writer = _Writer()
    return writer.write(value, 0), tuple(writer.lost)


class _Writer:
    """Makes a JSON value of any other.

    Attributes:
        lost: Names of the types that could not be serialised, in the order found.
    """

    def __init__(self) -> None:
        self.lost: dict[str, None] = {}
        self._left = _MAX_ITEMS

    def write(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            return clean(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if value.bit_length() < _MAX_BITS else hex(value)
        if kind is float:
            return value if math.isfinite(value) else str(value)
        try:
            if depth > _MAX_DEPTH:
                return self._lose(value)
            if kind is dict:
                return self._members(value, depth)
            if kind is list or kind is tuple:
                return self._elements(value, depth)
            return self._other(value, depth)
        except KeyboardInterrupt:
            raise
        except BaseException:  # a stranger's broken __str__, items() or model_dump()
            return self._lose(value)

    def _members(self, value: Any, depth: int) -> Any:
        self._left -= len(value)
        if self._left < 0:
            return self._lose(value)
        return {
            self._key(key): self.write(item, depth + 1) for key, item in value.items()
        }

    def _elements(self, value: Any, depth: int) -> Any:
        self._left -= len(value)
        if self._left < 0:
            return self._lose(value)
        return [self.write(item, depth + 1) for item in value]

    def _key(self, key: Any) -> str:
        text = key if type(key) is str else self.write(key, 0)
        return clean(text) if isinstance(text, str) else json.dumps(text)

    def _other(self, value: Any, depth: int) -> Any:
        if isinstance(value, type):
            return self._lose(value)
        if isinstance(value, enum.Enum):
            return self.write(value.value, depth + 1)
        if isinstance(value, (*BLOCKS, ToolResult)):
            return self.write(value.to_dict(), depth + 1)
        if hasattr(value, "model_dump"):
            return self.write(value.model_dump(mode="json"), depth + 1)
        if dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value)]
            return self._members({name: getattr(value, name) for name in names}, depth)
        for kinds, write in _SCALARS:
            if isinstance(value, kinds):
                return self.write(write(value), depth + 1)
        if isinstance(value, collections.abc.Set):
            return _sorted(self._elements(value, depth))
        if isinstance(value, collections.abc.Mapping):
            return self._members(value, depth)
        if isinstance(value, (collections.abc.Sequence, collections.deque)):
            return self._elements(value, depth)
        if hasattr(value, "tolist"):  # numbers and arrays of numpy and its kin
            return self.write(value.tolist(), depth + 1)
        return self._lose(value)

    def _lose(self, value: Any) -> str:
        name = value.__name__ if isinstance(value, type) else type(value).__name__
        self.lost[name] = None
        return f"<{name}>"


#: Kinds of values that are one JSON scalar, and how each is written.
_SCALARS: tuple[tuple[Any, Any], ...] = (
    ((datetime.date, datetime.time), lambda value: value.isoformat()),
    (datetime.timedelta, datetime.timedelta.total_seconds),
    ((decimal.Decimal, uuid.UUID, pathlib.PurePath), str),
    ((bytes, bytearray, memoryview), lambda value: base64.b64encode(value).decode()),
    # Subclasses of JSON's own: the plain value inside, whatever they print.
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)


def _sorted(items: Any) -> Any:
    """Return elements in an order that does not depend on hashes."""
    if not isinstance(items, list):
        return items
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=lambda item: (type(item).__name__, json.dumps(item)))


def secrets_in(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the texts among values, as they are and as JSON writes them."""
    found = set()
    for value in values:
        if isinstance(value, str) and value:
            found.add(value)
            found.add(json.dumps(value)[1:-1])
            found.add(json.dumps(value, ensure_ascii=False)[1:-1])
    # The longest first: one may be a part of another.
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def redact(value: Any, secrets: tuple[str, ...]) -> Any:
    """Return a JSON value, or blocks, in which each secret has become ***."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "***")
        return value
    if isinstance(value, bytes):
        for secret in secrets:
            value = value.replace(secret.encode("utf-8", "replace"), b"***")
        return value
    if isinstance(value, dict):
        return {redact(k, secrets): redact(v, secrets) for k, v in value.items()}
    if isinstance(value, list):
        return [redact(item, secrets) for item in value]
    if isinstance(value, tuple):
        return tuple(redact(item, secrets) for item in value)
    if isinstance(value, TextContent):
        return text_block(redact(value.text, secrets))
    if isinstance(value, BLOCKS):
        block: Any = value
        names = [field.name for field in dataclasses.fields(block)]
        changes = {name: redact(getattr(block, name), secrets) for name in names}
        return dataclasses.replace(block, **changes)
    return value
