"""What is wrong with a plugin or tool, kept for `board.problems` and `doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that somebody should mend; nothing else is disturbed by it.

    Attributes:
        message: The fact, with the parties named.
        remedy: The way out, as something to do or type; "" if there is none.
        plugin: The plugin it is about, "" if none.
        distribution: The distribution that brings the plugin, "" if none.
        tool: The identity of the tool it is about, "" if none.
        severity: "error" if something does not work, "warning" if it works less well.
    """

    message: str
    remedy: str = ""
    plugin: str = ""
    distribution: str = ""
    tool: str = ""
    severity: str = "error"

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as a JSON object."""
        return {
            "severity": self.severity,
            "plugin": self.plugin,
            "distribution": self.distribution,
            "tool": self.tool,
            "message": self.message,
            "remedy": self.remedy,
        }
