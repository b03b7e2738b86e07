"""Whole numbers written with a fraction: 3.0 is an integer, and handed on as 3."""

from __future__ import annotations

import re
from typing import Any

from pegboard._arguments.places import Place, parts_below

_small_exponent = re.compile("e[-+0-9]").search
_large_exponent = re.compile("E[-+0-9]").search


def may_hold_whole(text: str) -> bool:
    """Return whether JSON text may hold a whole number with a fraction or exponent."""
    return (
        ".0" in text
        or _small_exponent(text) is not None
        or _large_exponent(text) is not None
    )


def holds_whole(value: Any) -> bool:
    """Return whether a float without a fraction stands anywhere in a JSON value."""
    todo = [value]
    while todo:
        container = todo.pop()
        for item in container.values() if type(container) is dict else container:
            kind = type(item)
            if kind is dict or kind is list:
                todo.append(item)
            elif kind is float and item.is_integer():
                return True
    return False


def settle(root: Place, value: dict[str, Any]) -> dict[str, Any]:
    """Return valid arguments with an int wherever only an integer fits."""
    return _settle(root.parts(), value)  # type: ignore[no-any-return]  # an object still


def _settle(parts: list[Place], value: Any) -> Any:
    if isinstance(value, float):
        whole = value.is_integer() and any(
            "integer" in part.kinds and "number" not in part.kinds for part in parts
        )
        return int(value) if whole else value
    if isinstance(value, dict):
        parts = [part for part in parts if part.admits(value)]
        return {
            name: _settle(parts_below(parts, name), item)
            for name, item in value.items()
        }
    if isinstance(value, list):
        parts = [part for part in parts if part.admits(value)]
        return [
            _settle(parts_below(parts, index), item) for index, item in enumerate(value)
        ]
    return value
