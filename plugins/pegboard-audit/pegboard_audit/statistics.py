"""Figures of a log, by tool."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import ceil
from typing import Any

from pegboard_audit.lines import Record

FAILED = ("error", "timeout")
UNKNOWN = "(unknown tool)"


def count_calls(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return one JSON object a tool, in order of name.

    Each has `tool`, `calls`, `statuses` (status -> calls), `error_rate` (the share of
    errors and timeouts, 0 to 1), and `p50` and `p95`: seconds that half and 95% of the
    calls that ran took at most; None if none ran.
    """
    statuses: defaultdict[str, Counter[str]] = defaultdict(Counter)
    durations: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        tool = str(record.get("tool") or UNKNOWN)
        statuses[tool][str(record.get("status"))] += 1
        if record.get("executed") != "no":
            durations[tool].append(float(record.get("duration") or 0))
    return [
        {
            "tool": tool,
            "calls": statuses[tool].total(),
            "statuses": dict(sorted(statuses[tool].items())),
            "error_rate": round(
                sum(statuses[tool][status] for status in FAILED)
                / statuses[tool].total(),
                4,
            ),
            "p50": _percentile(durations[tool], 0.50),
            "p95": _percentile(durations[tool], 0.95),
        }
        for tool in sorted(statuses)
    ]


def _percentile(values: list[float], share: float) -> float | None:
    """Return the smallest value that at least this share of all does not exceed."""
    return sorted(values)[ceil(share * len(values)) - 1] if values else None
