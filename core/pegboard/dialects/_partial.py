"""Arguments that arrive as values at JSON paths, the way Gemini streams them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]")
_VALUES = tuple(
    spelling
    for kind in ("string", "number", "bool")
    for spelling in (f"{kind}Value", f"{kind}_value")
)
#: Longest list that a path may name a place of.
MAX_ITEMS = 10_000


class Partial:
    """Puts one call's arguments together.

    Attributes:
        value: The arguments so far.
        broken: Whether a piece named no place that can be.
    """

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}
        self.broken = False
        self._open = ""

    def add(self, piece: Mapping[str, Any]) -> None:
        """Take one piece: a path, a value, and whether more of it will come."""
        path = str(piece.get("jsonPath") or piece.get("json_path") or "")
        # No value at all is null: an SDK's object names every kind of value.
        value = next((piece[k] for k in _VALUES if piece.get(k) is not None), None)
        steps = read_path(path)
        if not steps:
            self.broken = True
            return
        more = isinstance(value, str) and self._open == path
        self._open = (
            path if piece.get("willContinue", piece.get("will_continue")) else ""
        )
        self.broken |= not put(self.value, steps, value, more=more)


def read_path(path: str) -> list[str | int]:
    """Return the keys and positions of a JSON path, [] if it is none."""
    steps: list[str | int] = []
    at = 1
    if not path.startswith("$"):
        return []
    while at < len(path):
        found = _STEP.match(path, at)
        if not found:
            return []
        name, position, quoted = found.groups()
        step = int(position) if position else name or re.sub(r"\\(.)", r"\1", quoted)
        steps.append(step)
        at = found.end()
    return steps


def put(place: Any, steps: list[Any], value: Any, *, more: bool) -> bool:
    """Put a value at a place, making what leads there; tell whether it could be.

    Args:
        place: The object to put it into.
        steps: Where: keys and positions.
        value: The value.
        more: Whether it continues the text that is there.
    """
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if not _make_room(place, step):
            return False
        if following is None:
            before = place[step] if isinstance(place, list) else place.get(step)
            place[step] = before + value if more and isinstance(before, str) else value
        elif not isinstance(inner := _at(place, step), (dict, list)):
            place[step] = inner = [] if isinstance(following, int) else {}
            place = inner
        else:
            place = inner
    return True


def _make_room(place: Any, step: str | int) -> bool:
    if isinstance(step, str):
        return isinstance(place, dict)
    if not isinstance(place, list) or step >= MAX_ITEMS:
        return False
    place.extend([None] * (step + 1 - len(place)))
    return True


def _at(place: Any, step: Any) -> Any:
    return place[step] if isinstance(place, list) else place.get(step)
