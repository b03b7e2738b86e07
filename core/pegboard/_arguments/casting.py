"""Values of another type that say the same: the only ones a value may become."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from math import isfinite
from typing import Any

from pegboard._arguments.places import Kinds
from pegboard._arguments.text import MAX_DIGITS

# Digits are ASCII, and as JSON writes them: no sign +, no zeros in front, no exponent.
_INTEGER = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.0+)?")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_SEPARATOR = re.compile(r"[,;\r\n]")
_LONGEST_NUMBER = 400  # characters; with a fraction no float holds more digits exactly


def candidates(value: Any, wanted: Kinds) -> Iterator[tuple[Any, str]]:
    """Yield what a value of an unwanted type may stand for, with the rule that says so.

    Objects and arrays apart: text of one takes a reader, and `is_element` tells of the
    other.

    Args:
        value: The value as it came.
        wanted: The types that are wanted, none of which it has.
    """
    if isinstance(value, str):
        yield from _of_text(value.strip(), wanted)
    elif isinstance(value, float):
        if "integer" in wanted and value.is_integer():
            yield int(value), "whole_number"
    elif isinstance(value, int) and not isinstance(value, bool):
        if "boolean" in wanted and value in (0, 1):
            yield value == 1, "number_to_boolean"
        if "string" in wanted:
            yield str(value), "integer_to_text"


def is_element(value: Any) -> bool:
    """Return whether a value by itself may stand for a list of it."""
    if isinstance(value, str):
        word = value.strip()
        return bool(word) and word[0] not in "[{" and not _SEPARATOR.search(value)
    return value is not None and not isinstance(value, list)


def _of_text(word: str, wanted: Kinds) -> Iterator[tuple[Any, str]]:
    if "integer" in wanted and (match := _INTEGER.fullmatch(word)):
        if len(match[1].lstrip("-")) <= MAX_DIGITS:
            yield int(match[1]), "text_to_number"
    elif "number" in wanted and _is_exact(word):
        yield float(word), "text_to_number"
    if "boolean" in wanted and word.lower() in ("true", "false"):
        yield word.lower() == "true", "text_to_boolean"
    if "null" in wanted and word == "null":
        yield None, "text_to_null"


def _is_exact(word: str) -> bool:
    """Return whether a text is a number that a float holds without rounding."""
    if len(word) > _LONGEST_NUMBER or not _NUMBER.fullmatch(word):
        return False
    number = float(word)
    return isfinite(number) and Decimal(repr(number)) == Decimal(word)
