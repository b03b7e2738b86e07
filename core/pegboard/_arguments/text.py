"""The fast path: strict JSON objects, which is what models nearly always send."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from jiter import from_json

MAX_BYTES = 1_048_576
MAX_DEPTH = 100
MAX_DIGITS = 4_300

# A pattern that starts with a literal is found at the speed of memchr; one class for
# both cases would cost more than the parser.
_small_exponent = re.compile("e[+0-9]").search
_large_exponent = re.compile("E[+0-9]").search
_LONGEST_FINITE = 308  # digits that a finite float may have


def parse_text(
    text: str, limit: int = MAX_BYTES, is_checked: bool = False
) -> dict[str, Any]:
    """Return the JSON object that `text` is, if nothing at all is odd about it.

    Args:
        text: What the model sent.
        limit: Most bytes of UTF-8 accepted.
        is_checked: Whether the schema that decides next refuses by itself what is too
            deep or out of range (`is_closed`): then two scans of the text are saved.

    Raises:
        ValueError: anything else. It decides nothing: `read_arguments` does.
    """
    data = text.encode()
    size = len(data)
    if size > limit:
        raise ValueError("longer than the limit")
    value = from_json(
        data, catch_duplicate_keys=True, allow_inf_nan=False, cache_mode="keys"
    )
    if type(value) is not dict:
        raise ValueError("not an object")
    if is_checked:
        return value
    if (
        _small_exponent(text) is not None
        or _large_exponent(text) is not None
        or (size > _LONGEST_FINITE and _has_long_number(text))
        or (size > 2 * MAX_DEPTH and text.count("{") + text.count("[") > MAX_DEPTH)
    ):
        check_value(value)
    return value


def check_value(value: Any) -> None:
    """Raise ValueError if a JSON value is too deep or holds a number out of range."""
    todo = [(value, 1)]
    while todo:
        container, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH}")
        depth += 1
        for item in container.values() if type(container) is dict else container:
            kind = type(item)
            if kind is dict or kind is list:
                todo.append((item, depth))
            elif kind is float and not isfinite(item):
                raise ValueError("a number out of range")


def is_too_deep(value: Any) -> bool:
    """Return whether a JSON value is nested deeper than it may be."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            part
            for container in level
            for part in (container.values() if type(container) is dict else container)
            if type(part) is dict or type(part) is list
        ]
        if not level:
            return False
    return True


def _has_long_number(text: str) -> bool:
    # A run of 309 digits covers one of every 309 characters.
    step = _LONGEST_FINITE + 1
    return any(map(str.isdigit, text[_LONGEST_FINITE::step]))
