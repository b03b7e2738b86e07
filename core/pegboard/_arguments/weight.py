"""How often a validator may look at one value: references can multiply it without end.

Sixty definitions of two lines, each of which refers twice to the next one, are 2^60
checks of a value that fits none of them. What refers back to itself is not counted:
there the validator remembers what it has found out.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from pegboard._arguments.references import References

MAX_CHECKS = 10_000
MAX_CHAIN = 50  # places that lead one to the other over the same value


class TooHeavy(Exception):
    """A value would be looked at too often, or by too long a way.

    Attributes:
        where: The pointer of the place that is too heavy.
    """

    def __init__(self, where: str, fact: str) -> None:
        super().__init__(fact)
        self.where = where


class Scale:
    """Weighs the places of one schema.

    Args:
        references: Its references.

    Raises:
        Circle: references lead back over the same value.
        TooHeavy: a value is looked at too often, or by too long a way.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._parts: dict[str, Counter[str]] = {}
        self._weights: dict[str, int] = {}
        chains: dict[str, int] = {}
        for where in references.in_order():
            parts = Counter({where: 1})
            chains[where] = 1
            for neighbour in references.beside(where):
                parts.update(self._parts[neighbour])
                chains[where] = max(chains[where], 1 + chains[neighbour])
            if parts.total() > MAX_CHECKS:
                raise _too_many(where)
            if chains[where] > MAX_CHAIN:
                fact = f"a chain of more than {MAX_CHAIN} references begins here"
                raise TooHeavy(where, fact)
            self._parts[where] = parts

    def weigh(self, where: str = "#") -> int:
        """Return how often the value at a place, or one in it, is looked at at most.

        Raises:
            TooHeavy: too often.
        """
        if where in self._weights:
            return self._weights[where]
        self._weights[where] = 1  # until it is known: met again, it refers to itself
        below: defaultdict[str, int] = defaultdict(int)
        for part, times in self._parts[where].items():
            for keys, neighbour in self._references.below(part):
                # Properties of other names are other values; elements may be the same.
                step = str(keys[1]) if keys[0] == "properties" else ""
                below[step] += times * self.weigh(neighbour)
        anywhere = below.pop("", 0)
        most = anywhere + max(below.values(), default=0)
        weight = max(self._parts[where].total(), most)
        if weight > MAX_CHECKS:
            raise _too_many(where)
        self._weights[where] = weight
        return weight


def _too_many(where: str) -> TooHeavy:
    fact = f"the references multiply to more than {MAX_CHECKS:,} checks of one value"
    return TooHeavy(where, fact)
