"""Numbers as people read them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an s unless there is one."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def duration(seconds: float) -> str:
    """Return a duration in milliseconds, or in seconds from one on."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
