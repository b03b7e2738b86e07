"""Lone surrogates: half a character, which no UTF-8 can carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard._arguments.text import MAX_DEPTH
from pegboard._arguments.wording import Path, malformed, quote
from pegboard.calls import Repair


def replace_surrogates(value: Any) -> tuple[Any, tuple[Repair, ...]]:
    """Return the value with U+FFFD for every lone surrogate, and what was replaced.

    Raises:
        InvalidArguments: two keys of one object differ in lone surrogates only.
    """
    repairs: list[Repair] = []
    return _replace(value, (), repairs), tuple(repairs)


def _replace(value: Any, path: Path, repairs: list[Repair]) -> Any:
    if isinstance(value, str):
        clean = _clean(value)
        if clean is not value:
            # The value as it came could be written to no log and no wire.
            repairs.append(Repair(path, "surrogates", None, clean))
        return clean
    if len(path) > MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        members: dict[Any, Any] = {}
        for key, item in value.items():
            name = _clean(key) if isinstance(key, str) else key
            if name is not key:
                repairs.append(Repair((*path, name), "surrogates", None, name))
            if name in members:
                raise malformed(f"the key {quote(name)} occurs twice in one object")
            members[name] = _replace(item, (*path, name), repairs)
        return members
    if isinstance(value, (list, tuple)):
        return [_replace(item, (*path, i), repairs) for i, item in enumerate(value)]
    return value


def _clean(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
