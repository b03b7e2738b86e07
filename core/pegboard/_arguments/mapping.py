"""Arguments that come as a mapping: a private copy that is JSON and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from pegboard._arguments.text import MAX_DEPTH, MAX_DIGITS
from pegboard._arguments.wording import Path, where
from pegboard.errors import InvalidArguments

_LARGEST = 10**MAX_DIGITS - 1
_SMALLEST = -_LARGEST


class _NoJson(Exception):
    """A value has no place in JSON; the path to it grows on the way out."""

    def __init__(self, fact: str) -> None:
        super().__init__(fact)
        self.path: Path = ()


def copy_mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a private copy in plain dicts, lists, texts, numbers, booleans and None.

    Subclasses and tuples become what they are in JSON.

    Raises:
        InvalidArguments: something in it is not JSON, out of range or too deep.
        UnicodeEncodeError: a text holds a lone surrogate; `read_arguments` replaces
            it and says so.
    """
    try:
        return _copy_object(value, 1)
    except _NoJson as error:
        fact = f"{where(error.path)} {error}"
        raise InvalidArguments(
            f"The arguments are not usable: {fact}. The tool was not run.",
            code="malformed_arguments",
            problems=(fact,),
        ) from None


def _copy_object(value: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise _NoJson(f"is nested deeper than {MAX_DEPTH}")
    copy = {}
    for key, item in value.items():
        if type(key) is not str or not key.isascii():
            key = _copy_key(key)
        kind = type(item)
        # What is nearly everything is dealt with here, without a call.
        if (
            (kind is str and item.isascii())
            or (kind is int and _SMALLEST <= item <= _LARGEST)
            or item is None
            or kind is bool
        ):
            copy[key] = item
        else:
            try:
                copy[key] = _copy(item, depth)
            except _NoJson as error:
                error.path = (key, *error.path)
                raise
    if len(copy) != len(value):
        raise _NoJson("has two equal keys")
    return copy


def _copy_list(value: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
    if depth > MAX_DEPTH:
        raise _NoJson(f"is nested deeper than {MAX_DEPTH}")
    copy: list[Any] = []
    try:
        for item in value:
            copy.append(_copy(item, depth))
    except _NoJson as error:
        error.path = (len(copy), *error.path)
        raise
    return copy


def _copy(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is int:
        if _SMALLEST <= value <= _LARGEST:
            return value
        raise _NoJson(f"is an integer of more than {MAX_DIGITS:,} digits")
    if kind is str:
        if not value.isascii():
            value.encode()
        return value
    if kind is dict:
        return _copy_object(value, depth + 1)
    if kind is list:
        return _copy_list(value, depth + 1)
    if kind is float:
        if isfinite(value):
            return value
        raise _NoJson(f"is {value}, which is not a JSON number")
    if value is None or kind is bool:
        return value
    return _copy_odd(value, depth)


def _copy_odd(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return _copy_object(value, depth + 1)
    if isinstance(value, (list, tuple)):
        return _copy_list(value, depth + 1)
    # A member of an enumeration, a float of numpy: the plain value inside.
    if isinstance(value, str):
        return _copy(str.__str__(value), depth)
    if isinstance(value, int):
        return _copy(int.__int__(value), depth)
    if isinstance(value, float):
        return _copy(float.__float__(value), depth)
    raise _NoJson(f"is of type {type(value).__name__}, which JSON does not have")


def _copy_key(key: Any) -> str:
    if not isinstance(key, str):
        raise _NoJson("has a name that is not a text")
    return _copy(str.__str__(key), 1)  # type: ignore[no-any-return]  # a text stays one
