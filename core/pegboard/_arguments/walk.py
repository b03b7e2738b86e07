"""The walk over a value that does not fit: it changes what it may, explains the rest.

A place that fits is never entered, so nothing that is right can change; and what comes
out is used only if the whole schema admits it.
"""

from __future__ import annotations

from typing import Any

from pegboard._arguments.explaining import Problem
from pegboard._arguments.places import Place
from pegboard._arguments.reading import Reading, read_container
from pegboard._arguments.steps import steps
from pegboard._arguments.visits import Fit, Request, Steps, Visit
from pegboard._arguments.wording import Path, kind

MAX_PLACES = 5_000
_SAMPLES = 3


class TooManyPlaces(Exception):
    """More places do not fit than a walk may enter.

    Attributes:
        problems: A few of those found until then.
    """

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__()
        self.problems = problems


class Walk:
    """Fits one value to one schema.

    Args:
        coerce: Whether anything may be changed.
    """

    def __init__(self, *, coerce: bool) -> None:
        self._coerce = coerce
        self._left = MAX_PLACES
        # By ids, which stay a value's own because the value is kept beside.
        self._known: dict[tuple[str, Path, int, bool], tuple[Any, Fit]] = {}
        self._refused: dict[tuple[str, int], Any] = {}
        self._texts: dict[int, tuple[str, Reading | str]] = {}
        self._samples: list[Problem] = []

    def fit(self, place: Place, value: Any) -> Fit:
        """Return the value as it fits the place, or with what does not fit in it.

        Raises:
            TooManyPlaces: the walk was given up.
        """
        request = Request(place, value, ())
        answer = self._answer(request)
        stack: list[tuple[Visit, Steps]] = []
        while True:
            if answer is None:
                visit = self._enter(request)
                stack.append((visit, steps(visit)))
            elif not stack:
                return answer
            try:
                request = stack[-1][1].send(answer)  # type: ignore[arg-type]  # None starts it
            except StopIteration:
                answer = self._leave(stack.pop()[0])
            else:
                answer = self._answer(request)

    def _answer(self, request: Request) -> Fit | None:
        """Return what is known without a visit, None if it takes one."""
        if self._admits(request.place, request.value):
            return Fit(request.value)
        known = self._known.get(_key(request))
        return known[1] if known else None

    def _enter(self, request: Request) -> Visit:
        self._left -= 1
        if self._left < 0:
            raise TooManyPlaces(self._samples)
        place, value = request.place, request.value
        if len(self._samples) < _SAMPLES and not isinstance(value, (dict, list)):
            if kind(value) not in place.kinds:
                self._samples.append(Problem(request.path, "type", place, value))
        return Visit(request, self._coerce, self._admits, self._read)

    def _leave(self, visit: Visit) -> Fit:
        """Return what a visit came to, and remember it."""
        if self._admits(visit.place, visit.value):
            visit.problems.clear()
        elif not visit.problems:
            visit.blame("other")
        fit = Fit(visit.value, tuple(visit.repairs), tuple(visit.problems))
        self._known[_key(visit.request)] = visit.request.value, fit
        return fit

    def _admits(self, place: Place, value: Any) -> bool:
        """Return whether a value fits a place; what does not is asked once only."""
        key = place.pointer, id(value)
        if key in self._refused:
            return False
        if place.admits(value):
            return True
        self._refused[key] = value
        return False

    def _read(self, text: str) -> Reading | str:
        """Return what a text holds, or why it holds no object or array; read once."""
        known = self._texts.get(id(text))
        if known is None:
            known = self._texts[id(text)] = text, read_container(text)
        return known[1]


def _key(request: Request) -> tuple[str, Path, int, bool]:
    return request.place.pointer, request.path, id(request.value), request.text_fits
