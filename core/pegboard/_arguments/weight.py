"""How often a validator may look at one value: references can multiply it without end.

Sixty definitions of two lines, each of which refers twice to the next one, are 2^60
checks of a value that fits none of them. What refers back to itself is not counted:
there the validator remembers what it has found out.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from pegboard._arguments.references import References

MAX_CHECKS = 10_000


class TooHeavy(Exception):
    """A value may be looked at more than MAX_CHECKS times.

    Attributes:
        where: The pointer of the place that is too heavy.
    """

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


class Scale:
    """Weighs the places of one schema.

    Args:
        references: Its references, none of which leads back over the same value.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._parts: dict[str, Counter[str]] = {}
        self._weights: dict[str, int] = {}

    def weigh(self, where: str = "#") -> int:
        """Return how often the value at a place, or one in it, is looked at at most.

        Raises:
            TooHeavy: too often.
        """
        if where in self._weights:
            return self._weights[where]
        self._weights[where] = 1  # until it is known: met again, it refers to itself
        parts = self._count_parts(where)
        below: defaultdict[str, int] = defaultdict(int)
        for part, times in parts.items():
            for keys, neighbour in self._references.below(part):
                # Properties of other names are other values; elements may be the same.
                step = str(keys[1]) if keys[0] == "properties" else ""
                below[step] += times * self.weigh(neighbour)
        anywhere = below.pop("", 0)
        weight = max(parts.total(), anywhere + max(below.values(), default=0))
        if weight > MAX_CHECKS:
            raise TooHeavy(where)
        self._weights[where] = weight
        return weight

    def _count_parts(self, where: str) -> Counter[str]:
        """Return the places that speak of the same value, with how often each does."""
        known = self._parts.get(where)
        if known is None:
            known = Counter({where: 1})
            for neighbour in self._references.beside(where):
                known.update(self._count_parts(neighbour))
            if known.total() > MAX_CHECKS:
                raise TooHeavy(where)
            self._parts[where] = known
        return known
