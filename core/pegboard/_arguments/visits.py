"""What the walk over a value is made of: requests, visits and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from pegboard._arguments.explaining import Problem
from pegboard._arguments.places import Place
from pegboard._arguments.reading import Reading
from pegboard._arguments.wording import Path
from pegboard._frozen import freeze
from pegboard.calls import Repair


class Request(NamedTuple):
    """A value that is to be fitted to a place.

    Attributes:
        place: The place.
        value: The value.
        path: Where the value stands.
        text_fits: Whether a union around the place admits texts.
    """

    place: Place
    value: Any
    path: Path
    text_fits: bool = False


class Fit(NamedTuple):
    """What became of a value.

    Attributes:
        value: The value, changed as little as needed.
        repairs: What was changed.
        problems: What still does not fit.
    """

    value: Any
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()


# A step suspends where it needs another place fitted, instead of calling: a value may
# be nested a hundred deep, with several places of the schema to each level.
Steps = Generator[Request, Fit, None]


class Visit:
    """One place while a value is fitted to it.

    Args:
        request: What is asked.
        coerce: Whether anything may be changed.
        admits: Returns whether a value fits a place.
        read: Returns what a text holds: a reading, or why it holds nothing.

    Attributes:
        value: The value as it is by now.
        repairs: What was changed so far.
        problems: What does not fit so far.
    """

    __slots__ = (
        "admits",
        "coerce",
        "path",
        "place",
        "problems",
        "read",
        "repairs",
        "request",
        "schema",
        "text_fits",
        "value",
    )

    def __init__(
        self,
        request: Request,
        coerce: bool,
        admits: Callable[[Place, Any], bool],
        read: Callable[[str], Reading | str],
    ) -> None:
        self.request = request
        self.place, self.value, self.path, self.text_fits = request
        self.schema: Any = request.place.schema
        self.coerce = coerce
        self.admits = admits
        self.read = read
        self.repairs: list[Repair] = []
        self.problems: list[Problem] = []

    def ask(self, place: Place) -> Request:
        """Return the request to fit the value, as it is by now, to another place."""
        return Request(place, self.value, self.path, self.text_fits)

    def ask_below(self, place: Place, step: str | int, item: Any) -> Request:
        """Return the request to fit a part of the value."""
        return Request(place, item, (*self.path, step))

    def take(self, fit: Fit) -> None:
        """Go on with what the value became elsewhere."""
        self.value = fit.value
        self.note(fit)

    def note(self, fit: Fit) -> None:
        """Keep what was changed and what does not fit elsewhere."""
        self.repairs += fit.repairs
        self.problems += fit.problems

    def repair(self, rule: str, before: Any, after: Any, *step: str) -> None:
        """Note a change of the value, or of the part at a step."""
        # Frozen, since a body may change the arguments that it is given.
        change = Repair((*self.path, *step), rule, freeze(before), freeze(after))
        self.repairs.append(change)

    def blame(self, keyword: str, name: str = "", hint: str = "") -> None:
        """Note that the value does not meet a keyword, with the name it is about."""
        self.problems.append(
            Problem(self.path, keyword, self.place, self.value, name, hint)
        )
