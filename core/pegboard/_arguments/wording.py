"""What a model reads of arguments that cannot be used: fixed wording, bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pegboard.errors import InvalidArguments

Path = tuple[str | int, ...]

MAX_PROBLEMS = 8
MAX_CHARACTERS = 2_000
_SHOWN = 60  # characters of a value or a name
_LISTED = 12  # members of a list of names or values
_LINE = 400  # characters of one problem

_NAME = re.compile(r"[^\W\d][\w$-]*")
_SECRET = re.compile(r"key|token|secret|passw|passphrase|pwd|credential", re.IGNORECASE)
_INTRODUCTION = (
    "The arguments do not fit the input schema of the tool. It was not run. "
    "Correct this and call it again:"
)


def malformed(fact: str) -> InvalidArguments:
    """Return the error for text that is no usable JSON."""
    return InvalidArguments(
        f"The arguments are not valid JSON: {fact}. The tool was not run. "
        "Send the call again with one JSON object.",
        code="malformed_arguments",
        problems=(fact,),
    )


def truncated(fact: str) -> InvalidArguments:
    """Return the error for text that ends too early."""
    return InvalidArguments(
        f"The arguments are not valid JSON: the text is cut off {fact}. The tool was "
        "not run. Send the whole call again, shorter if an output limit was reached.",
        code="truncated_arguments",
        problems=(f"the text is cut off {fact}",),
    )


def not_an_object(value: Any) -> InvalidArguments:
    """Return the error for JSON that is no object."""
    fact = f"expected one JSON object, got {got(value)}"
    return InvalidArguments(
        f"The arguments are not usable: {fact}. The tool was not run. "
        "Send the call again with one JSON object.",
        code="malformed_arguments",
        problems=(fact,),
    )


def invalid(problems: Iterable[str]) -> InvalidArguments:
    """Return the error for an object that does not fit the schema."""
    lines: list[str] = []
    room = MAX_CHARACTERS - len(_INTRODUCTION)
    for problem in problems:
        line = cut(problem, _LINE)
        if line in lines:
            continue
        room -= len(line) + 3  # a line break, a dash and a space
        if room < 0 or len(lines) == MAX_PROBLEMS:
            break
        lines.append(line)
    message = "\n- ".join([_INTRODUCTION, *lines])
    return InvalidArguments(message, code="invalid_arguments", problems=lines)


def where(path: Path) -> str:
    """Return a path as text: `filters[1].op`, "arguments" for the root."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.fullmatch(step):
            text += f".{cut(step, _SHOWN)}" if text else cut(step, _SHOWN)
        else:
            text += f"[{quote(step)}]"
    if len(text) > 2 * _SHOWN:
        text = f"{text[:_SHOWN]}...{text[-_SHOWN:]}"
    return text or "arguments"


def is_secret(path: Path) -> bool:
    """Return whether a name on the path says that its value is nobody's business."""
    return any(isinstance(step, str) and _SECRET.search(step) for step in path)


def kind(value: Any) -> str:
    """Return the JSON type of a value; a float without a fraction is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "object" if isinstance(value, dict) else "array"


def got(value: Any, *, secret: bool = False) -> str:
    """Return what came, in a few words; a container only by its outline."""
    name = kind(value)
    if name == "null":
        return name
    if isinstance(value, dict):
        if secret or not value:
            return "an object" if value else "an empty object"
        return f"an object with {quoted(value)}"
    if isinstance(value, list):
        count = len(value)
        if count < 2:
            return "an array of 1 element" if value else "an empty array"
        return f"an array of {count:,} elements"
    if secret:
        return f"{name} (not shown)"
    if isinstance(value, str) and value.lstrip().startswith("{"):
        # It may be an object, and hold what its names say is nobody's business.
        return f"string of {len(value):,} characters that begins with {{"
    return f"{name} {literal(value)}"


def literal(value: Any) -> str:
    """Return a value as JSON, bounded."""
    if isinstance(value, str):
        return quote(value)
    return cut(json.dumps(value, ensure_ascii=False), _SHOWN)


def quote(text: str) -> str:
    """Return a text in double quotes, bounded."""
    if len(text) <= _SHOWN:
        return json.dumps(text, ensure_ascii=False)
    shown = json.dumps(text[:_SHOWN], ensure_ascii=False)
    return f"{shown}... ({len(text):,} characters)"


def quoted(names: Iterable[str]) -> str:
    """Return names in double quotes with commas between, the first twelve of them."""
    listed = list(names)
    more = f", ... ({len(listed)} in all)" if len(listed) > _LISTED else ""
    return ", ".join(quote(name) for name in listed[:_LISTED]) + more


def one_of(values: Sequence[Any]) -> str:
    """Return the members of an enumeration, the first twelve of them."""
    if len(values) == 1:
        return literal(values[0])
    more = f", ... ({len(values)} in all)" if len(values) > _LISTED else ""
    return "one of " + ", ".join(map(literal, values[:_LISTED])) + more


def cut(text: str, length: int) -> str:
    """Return a text of at most `length` characters."""
    return text if len(text) <= length else text[: length - 3] + "..."
