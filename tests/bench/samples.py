"""Numbers that were measured, and how they are written."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

Sample = dict[str, float]


def keep(tree: dict[str, Any], *place: str, value: Any) -> None:
    """Append a value to the list at a place in a tree of dicts."""
    *path, last = place
    for key in path:
        tree = tree.setdefault(key, {})
    tree.setdefault(last, []).append(value)


def middle(samples: Iterable[Sample], value: Callable[[Sample], float]) -> float:
    """Return the median of something in each sample."""
    return median(value(sample) for sample in samples)


def ratio(samples: Iterable[Sample], over: str = "bare", of: str = "us") -> float:
    """Return the median of one number over another of the same sample."""
    return middle(samples, lambda sample: sample[of] / sample[over])


def number(value: float) -> str:
    """Return a number with the three digits that can be trusted."""
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"


def times(value: float) -> str:
    """Return a ratio as text."""
    return f"{value:.0f} x" if value >= 10 else f"{value:.2f} x"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are numbers or short."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
