"""The slow strict parser: it refuses what the fast one does, and says why."""

from __future__ import annotations

from collections import Counter
from json import JSONDecodeError, JSONDecoder
from math import isfinite
from typing import Any

from pegboard._arguments.text import MAX_DIGITS
from pegboard._arguments.tokenizer import Document
from pegboard._arguments.wording import cut, malformed, quote


def parse_document(document: Document) -> Any:
    """Return the value of a document.

    Raises:
        InvalidArguments: it is no JSON, repeats a key, or a number is out of range.
    """
    try:
        return _decoder.decode(document.text)
    except JSONDecodeError as error:
        fact = error.msg[0].lower() + error.msg[1:]
        position = document.origin(error.pos) + 1
        raise malformed(f"{fact} at character {position}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in counts if counts[key] > 1)
        raise malformed(f"the key {quote(twice)} occurs twice in one object")
    return members


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise malformed(f"an integer has more than {MAX_DIGITS:,} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise malformed(f"the number {cut(digits, 20)} is out of range")
    return number


# NaN and Infinity never get here: the tokenizer knows no such words.
_decoder = JSONDecoder(
    object_pairs_hook=_unique,
    parse_float=_finite,
    parse_int=_integer,
)
