"""What pydantic refuses, in the words that every other refusal has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pegboard._arguments.wording import invalid, where
from pegboard.errors import InvalidArguments

if TYPE_CHECKING:
    from pydantic import ValidationError


def explain_binding(error: ValidationError, value: dict[str, Any]) -> InvalidArguments:
    """Return the error for arguments that fit the schema but not the Python types.

    Args:
        error: What pydantic raised.
        value: The arguments it was given.
    """
    lines = []
    for each in error.errors(include_url=False, include_input=False):
        path = tuple(each["loc"])
        lines.append(f"{where(path)}: {each['msg']}")
    return invalid(lines)
