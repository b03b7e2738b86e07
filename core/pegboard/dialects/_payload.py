"""What a provider sent, read without trusting its shape."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.calls import Arguments
from pegboard.errors import UsageError

#: What `events` yields for the line that ends an OpenAI stream.
DONE: dict[str, Any] = {"[DONE]": True}


def plain(value: Any) -> Any:
    """Return a response as dicts and lists; an SDK's objects are dumped.

    Raises:
        UsageError: it is neither a JSON object, a list nor an object of an SDK.
    """
    if isinstance(value, Mapping):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) if _is_dumped(item) else item for item in value]
    if not _is_dumped(value):
        raise UsageError(
            f"a response is a dict, a list or an SDK's object with model_dump(), "
            f"not {type(value).__name__!r}; parse a text with json.loads first"
        )
    return value.model_dump(by_alias=True, warnings=False)


def _is_dumped(value: Any) -> bool:
    return hasattr(value, "model_dump")


def events(chunk: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects of one chunk of a stream.

    Args:
        chunk: A dict, an SDK's object, or text: whole lines of server-sent events or
            of JSON. What carries no data (comments, event names) yields nothing.

    Raises:
        UsageError: a data line is no JSON.
    """
    if isinstance(chunk, (bytes, bytearray)):
        chunk = bytes(chunk).decode("utf-8", "replace")
    if isinstance(chunk, str):
        yield from _read(chunk)
    elif chunk is not None:
        yield from entries(plain(chunk))


def _read(text: str) -> Iterator[Mapping[str, Any]]:
    for event in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line for line in map(_data, event.split("\n")) if line]
        try:
            yield from [item for line in lines for item in _parse(line)]
        except (ValueError, RecursionError):
            yield from _parse_whole("\n".join(lines))


def _data(line: str) -> str:
    line = line.strip()
    if line.startswith("data:"):
        return line[5:].strip()
    return line if line.startswith(("{", "[")) else ""


def _parse(data: str) -> list[Mapping[str, Any]]:
    return [DONE] if data == "[DONE]" else entries(json.loads(data))


def _parse_whole(data: str) -> list[Mapping[str, Any]]:
    try:
        return _parse(data)
    except (ValueError, RecursionError):
        raise UsageError(
            f"this part of a stream is no JSON: {data[:80]!r}; "
            f"feed whole lines, or the parsed chunks"
        ) from None


def entries(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; of a lone object a list of it; else nothing."""
    if isinstance(value, Mapping):
        return [value]
    if isinstance(value, (list, tuple)):
        return [item for item in value if isinstance(item, Mapping)]
    return []


def member(value: Any, *keys: str) -> Mapping[str, Any]:
    """Return the object at a path of keys, {} where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def text(value: Any) -> str:
    """Return a text as it is, and "" for anything else."""
    return value if isinstance(value, str) else ""


def place(value: Any) -> int | str | None:
    """Return what tells the calls of a stream apart: a number, or None for none."""
    return value if isinstance(value, (int, str)) else None


def arguments(value: Any) -> Arguments:
    """Return a call's arguments as sent; what no call may carry becomes JSON text."""
    if value is None or isinstance(value, (str, bytes, Mapping)):
        return value
    return json.dumps(value)
