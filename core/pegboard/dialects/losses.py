"""What a schema loses on its way to a provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that an exported schema says otherwise than the tool's own.

    Attributes:
        tool: The tool's name.
        kind: described (the limit is now only in the description; Pegboard still
            checks it), narrowed (the model can say less than the tool would take) or
            refused (what was asked for, such as strict, cannot be had for this tool).
        path: Keys and positions from the root of the tool's schema to the node.
        keyword: The keyword of that node, "" if the node as a whole is meant.
        message: What happened, in words.
    """

    tool: str
    kind: Literal["described", "narrowed", "refused"]
    path: Path
    keyword: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as a JSON object."""
        return {
            "tool": self.tool,
            "kind": self.kind,
            "path": list(self.path),
            "keyword": self.keyword,
            "message": self.message,
        }
