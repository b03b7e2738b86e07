"""Patterns in linear time; the few that look around or back on short texts only."""

from __future__ import annotations

from typing import Any

import jsonschema_rs

from pegboard._arguments.places import Options

# A backtrack may scan the whole text, so a limit on backtracks bounds nothing without
# one on the text: 1,000 of each are 2 ms at worst, on a megabyte they would be minutes.
LONGEST_TEXT = 1_000  # characters
_ENGINE: Options = {
    "pattern_options": jsonschema_rs.FancyRegexOptions(backtrack_limit=1_000)
}


class BoundedPattern:
    """The keyword `boundedPattern`: a `pattern` that no long text matches."""

    def __init__(self, schema: object, pattern: str, path: object) -> None:
        del schema, path
        judge = jsonschema_rs.validator_for({"pattern": pattern}, **_ENGINE)
        self._matches = judge.is_valid

    def validate(self, value: Any) -> None:
        """Raise ValueError for a text that does not match or is too long to try."""
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT or not self._matches(value):
                raise ValueError("no match")


LINEAR: Options = {
    "keywords": {"boundedPattern": BoundedPattern},
    "offline": True,
    "pattern_options": jsonschema_rs.RegexOptions(),
    "validate_formats": False,
}


def is_linear(pattern: str) -> bool:
    """Return whether the linear engine knows all that a pattern is made of."""
    return _builds({"pattern": pattern})


def is_pattern(pattern: str) -> bool:
    """Return whether either engine knows all that a pattern is made of."""
    return is_linear(pattern) or _builds({"boundedPattern": pattern})


def _builds(schema: dict[str, Any]) -> bool:
    try:
        jsonschema_rs.validator_for(schema, **LINEAR)
    except ValueError:
        return False
    return True
