"""What the strict tools of one request use up together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pegboard.dialects._place import Json
from pegboard.dialects._references import parts


class Totals:
    """Adds up what the strict tools of one request use.

    Args:
        most: What is counted -> its most: tools, properties, optional properties,
            places of several types.
    """

    def __init__(self, most: Mapping[str, int]) -> None:
        self._most = most
        self._used: Counter[str] = Counter()

    def add(self, schema: Json) -> str | None:
        """Count a tool in, or return what it would be too much of.

        Args:
            schema: The tool's schema as written for the strict mode.
        """
        wanted = _count(schema)
        for what, most in self._most.items():
            if self._used[what] + wanted[what] > most:
                return f"at most {most} {what} in a request"
        self._used += wanted
        return None


def _count(schema: Json) -> Counter[str]:
    found = Counter(tools=1)
    todo = [schema, *schema.get("$defs", {}).values()]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            named = len(node.get("properties", ()))
            found["properties"] += named
            found["optional properties"] += named - len(node.get("required", ()))
            several = "anyOf" in node or isinstance(node.get("type"), list)
            found["places of several types"] += several
            todo += [item for item, _ in parts(node, ())]
    return found
