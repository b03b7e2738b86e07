"""Limits over all strict tools of one request."""

from __future__ import annotations

from pegboard.dialects._place import Json
from pegboard.dialects._references import parts

#: What is counted -> its most.
MOST = {"tools": 20, "optional properties": 24, "places of several types": 16}


class Totals:
    """Counts what the strict tools of one request use up together.

    Source: limits of Anthropic's strict mode that pydantic-ai 2.68 verified.
    """

    def __init__(self) -> None:
        self._used = dict.fromkeys(MOST, 0)

    def add(self, schema: Json) -> str | None:
        """Count a tool in, unless it would be too much; return what stands in its way.

        Args:
            schema: The tool's schema as written for the strict mode.
        """
        optional, several = _count(schema)
        wanted = dict(zip(MOST, (1, optional, several), strict=True))
        for what, most in MOST.items():
            if self._used[what] + wanted[what] > most:
                return f"at most {most} {what} in a request"
        for what in MOST:
            self._used[what] += wanted[what]
        return None


def _count(schema: Json) -> tuple[int, int]:
    optional = several = 0
    todo = [schema, *schema.get("$defs", {}).values()]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            optional += len(node.get("properties", {})) - len(node.get("required", []))
            several += "anyOf" in node or isinstance(node.get("type"), list)
            todo += [item for item, _ in parts(node, ())]
    return optional, several
