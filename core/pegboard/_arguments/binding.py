"""What pydantic refuses, in the words that every other refusal has."""

from __future__ import annotations

from typing import Any

from pegboard._arguments.schema import ArgumentSchema
from pegboard._arguments.wording import Path, got, invalid, is_secret, where
from pegboard.errors import InvalidArguments

_PREFIXES = (
    ("Input should be ", "expected "),
    ("Value error, ", ""),
    ("Assertion failed, ", ""),
)
_WRITTEN_BY_AUTHORS = ("value_error", "assertion_error")  # they may quote the value


def explain_binding(
    error: Exception, value: dict[str, Any], schema: ArgumentSchema | None = None
) -> InvalidArguments:
    """Return the error for arguments that fit the schema but not the Python types.

    Args:
        error: What pydantic raised, or a validator that pydantic called.
        value: The arguments it was given.
        schema: Their schema, which knows what must not be shown.
    """
    from pydantic_core import ValidationError  # whoever binds has it loaded

    if not isinstance(error, ValidationError):
        name = type(error).__name__
        return invalid([f"arguments: a check of the tool failed on them ({name})"])
    details = error.errors(
        include_url=False, include_context=False, include_input=False
    )
    return invalid(_explain(each, value, schema) for each in details)


def _explain(detail: Any, value: dict[str, Any], schema: ArgumentSchema | None) -> str:
    missing = detail["type"].startswith("missing")
    path, found = _locate(detail["loc"], value, missing=missing)
    if missing:
        return f"{where(path)}: required, but missing"
    secret = schema.hides(path) if schema else is_secret(path)
    fact = detail["msg"]
    for prefix, instead in _PREFIXES:
        if fact.startswith(prefix):
            fact = instead + fact.removeprefix(prefix)
    if secret and detail["type"] in _WRITTEN_BY_AUTHORS:
        fact = "the tool does not accept this value"
    return f"{where(path)}: {fact}; got {got(found, secret=secret)}"


def _locate(
    steps: tuple[str | int, ...], value: Any, *, missing: bool
) -> tuple[Path, Any]:
    """Return the path that pydantic means, and the value there.

    Between the keys pydantic puts labels of its own, such as the arm of a union.
    """
    path: Path = ()
    for step in steps:
        if isinstance(value, dict):
            known = step in value
        else:
            known = isinstance(value, list) and step in range(len(value))
        if known:
            path, value = (*path, step), value[step]
    return ((*path, steps[-1]) if missing else path), value
