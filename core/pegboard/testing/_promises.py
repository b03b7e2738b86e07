"""What a tool or plugin promises, and what is said of a promise that is not kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Broken:
    """One promise that is not kept.

    Attributes:
        subject: Whose it is: "tool 'forecast'", "plugin 'freeze'".
        promise: Which one, in one word; docs/testing.md has them all.
        message: The fact.
        remedy: The way out.
    """

    subject: str
    promise: str
    message: str
    remedy: str

    def to_dict(self) -> dict[str, str]:
        """Return it as a JSON object."""
        return asdict(self)


class ContractError(AssertionError):
    """A tool or plugin does not keep what it promises.

    Attributes:
        broken: The promises that are not kept, each with the way out.
    """

    def __init__(self, broken: Iterable[Broken]) -> None:
        self.broken = tuple(broken)
        super().__init__("\n".join(describe(self.broken)))


def demand(broken: Iterable[Broken]) -> None:
    """Raise ContractError if there is a promise that is not kept."""
    if found := tuple(broken):
        raise ContractError(found)


def describe(broken: Iterable[Broken]) -> list[str]:
    """Return lines that say what is broken, one paragraph a subject."""
    by_subject: dict[str, list[Broken]] = {}
    for item in broken:
        by_subject.setdefault(item.subject, []).append(item)
    lines = []
    for subject, items in by_subject.items():
        count = "a promise" if len(items) == 1 else f"{len(items)} promises"
        lines.append(f"{subject} breaks {count}:")
        for item in items:
            lines.append(f"  {item.promise}: {item.message}")
            lines.append(f"    {item.remedy}")
    return lines
