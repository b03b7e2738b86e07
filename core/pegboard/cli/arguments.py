"""What is typed after a tool's name -> its arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from pegboard.calls import Arguments
from pegboard.cli.recordings import STDIN, read_bytes


def read_arguments(words: Sequence[str]) -> Arguments:
    """Return the arguments of a call.

    Args:
        words: Nothing; one JSON object; "-" for one on stdin; or `key=text` and
            `key:=JSON`, mixed as need be.

    Raises:
        UsageError: a word is none of these, or a key stands twice.
    """
    if len(words) == 1 and words[0] == STDIN:
        return read_bytes(STDIN)
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return words[0]
    arguments: dict[str, Any] = {}
    for word in words:
        key, value = _pair(word)
        if key in arguments:
            raise click.UsageError(f"argument {key!r} is given twice")
        arguments[key] = value
    return arguments


def _pair(word: str) -> tuple[str, Any]:
    key, equals, text = word.partition("=")
    if not equals or not key.rstrip(":"):
        raise click.UsageError(
            f"{word!r} is no argument: write key=text, key:=JSON, one JSON object, or -"
            " to read one from stdin"
        )
    if not key.endswith(":"):
        return key, text
    try:
        return key[:-1], json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(
            f"what follows {key}= is no JSON: {error}; for a plain text write"
            f" {key[:-1]}=..."
        ) from None
