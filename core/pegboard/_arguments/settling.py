"""Whole numbers written with a fraction: 3.0 is an integer, and handed on as 3."""

from __future__ import annotations

import re
from typing import Any

from pegboard._arguments.places import Place

_EXPONENTS = re.compile("e[-+0-9]").search, re.compile("E[-+0-9]").search


def may_hold_whole(text: str) -> bool:
    """Return whether JSON text may hold a whole number with a fraction or exponent."""
    return ".0" in text or any(search(text) for search in _EXPONENTS)


def holds_whole(value: Any) -> bool:
    """Return whether a float without a fraction stands anywhere in a JSON value."""
    todo = [value]
    while todo:
        container = todo.pop()
        for item in container.values() if isinstance(container, dict) else container:
            if isinstance(item, (dict, list)):
                todo.append(item)
            elif isinstance(item, float) and item.is_integer():
                return True
    return False


def settle(place: Place, value: dict[str, Any]) -> dict[str, Any]:
    """Return valid arguments with an int wherever only an integer fits."""
    return _settle([place], value)  # type: ignore[no-any-return]  # an object stays one


def _settle(places: list[Place], value: Any) -> Any:
    if isinstance(value, float):
        whole = value.is_integer() and any(
            "integer" in place.kinds and "number" not in place.kinds for place in places
        )
        return int(value) if whole else value
    if not isinstance(value, (dict, list)):
        return value
    parts = [part for place in places for part in place.parts() if part.admits(value)]
    if isinstance(value, dict):
        return {
            name: _settle([p for part in parts for p in part.members(name)], item)
            for name, item in value.items()
        }
    return [
        _settle([p for part in parts for p in part.element(index)], item)
        for index, item in enumerate(value)
    ]
