"""The walk over a value that does not fit: it changes what it may, explains the rest.

A place that fits is never entered, so nothing right can change; and what comes out is
used only if the whole schema admits it.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, NamedTuple

from pegboard._arguments import explaining
from pegboard._arguments.casting import candidates
from pegboard._arguments.explaining import Problem
from pegboard._arguments.keywords import ASSERTIONS
from pegboard._arguments.places import Place, types
from pegboard._arguments.reading import Reading, read_text
from pegboard._arguments.text import MAX_DEPTH
from pegboard._arguments.wording import MAX_PROBLEMS, Path, is_secret
from pegboard._frozen import freeze
from pegboard.calls import Repair
from pegboard.errors import InvalidArguments

MAX_PLACES = 5_000


class Request(NamedTuple):
    """A place and the value to be fitted to it.

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


class TooManyPlaces(Exception):
    """More places do not fit than the walk may enter."""


# Suspends where one Python frame a level would otherwise be needed: a value may be
# nested a hundred deep, with several places of the schema to each level.
Walking = Generator[Request, Fit, None]


class _Visit:
    """One place being fitted: the request, and what has come of it so far."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.place, self.value, self.path, self.text_fits = request
        self.schema: Any = request.place.schema
        self.repairs: list[Repair] = []
        self.problems: list[Problem] = []

    def ask(self, place: Place, *value: Any) -> Request:
        return Request(place, *(value or (self.value,)), self.path, self.text_fits)

    def take(self, fit: Fit) -> None:
        self.value = fit.value
        self.repairs += fit.repairs
        self.problems += fit.problems

    def repair(self, path: Path, rule: str, before: Any, after: Any) -> None:
        self.repairs.append(Repair(path, rule, freeze(before), freeze(after)))


class Walk:
    """Fits one value to one schema.

    Args:
        coerce: Whether anything may be changed.

    Attributes:
        samples: The first things that did not fit, for a walk that is given up.
    """

    def __init__(self, *, coerce: bool) -> None:
        self.samples: list[Problem] = []
        self._coerce = coerce
        self._left = MAX_PLACES
        # What was found out of a value at a place. The value is kept, so that its id
        # is nobody else's.
        self._known: dict[tuple[str, Path, int, bool], tuple[Fit, Any]] = {}
        self._texts: dict[int, tuple[str, Reading | None]] = {}
        self._write_only: set[Path] = set()

    def fit(self, place: Place, value: Any) -> Fit:
        """Return the value as it fits the place, or with the problems that it has.

        Raises:
            TooManyPlaces: the walk was given up.
        """
        request = Request(place, value, ())
        answer = self._answer(request)
        if answer is not None:
            return answer
        stack = [self._start(request)]
        while True:
            visit, steps = stack[-1]
            try:
                request = steps.send(answer)  # type: ignore[arg-type]  # None starts it
            except StopIteration:
                answer = self._conclude(visit)
                stack.pop()
                if not stack:
                    return answer
            else:
                answer = self._answer(request)
                if answer is None:
                    stack.append(self._start(request))

    def _answer(self, request: Request) -> Fit | None:
        """Return what is known of a request, None if it takes a visit to know."""
        if request.place.admits(request.value):
            return Fit(request.value)
        known = self._known.get(_key(request))
        return known[0] if known else None

    def _start(self, request: Request) -> tuple[_Visit, Walking]:
        self._left -= 1
        if self._left < 0:
            raise TooManyPlaces
        visit = _Visit(request)
        return visit, self._steps(visit)

    def _conclude(self, visit: _Visit) -> Fit:
        """Return what a visit came to, and remember it."""
        if visit.place.admits(visit.value):
            visit.problems.clear()
        elif not visit.problems:
            visit.problems.append(
                explaining.other(visit.place, visit.value, visit.path)
            )
        self.samples += visit.problems[: 3 - len(self.samples)]
        problems = tuple(dict.fromkeys(visit.problems))
        fit = Fit(visit.value, tuple(visit.repairs), problems)
        self._known[_key(visit.request)] = fit, visit.request.value
        return fit

    def _steps(self, visit: _Visit) -> Walking:
        place, schema = visit.place, visit.schema
        if not isinstance(schema, dict):
            visit.problems.append(explaining.unwanted(visit.path))
            return
        if schema.get("writeOnly") is True:
            self._write_only.add(visit.path)
        if "type" in schema and not place.satisfies("type", visit.value):
            yield from self._cast(visit)
            return
        if target := place.target():
            visit.take((yield visit.ask(target)))
        if self._coerce and isinstance(visit.value, str):
            _pick_member(visit)
        if isinstance(visit.value, dict):
            yield from self._members(visit)
        elif isinstance(visit.value, list):
            yield from self._elements(visit)
        for keyword in ASSERTIONS:
            if keyword in schema and not place.satisfies(keyword, visit.value):
                visit.problems.append(
                    explaining.limit(
                        place,
                        keyword,
                        visit.value,
                        visit.path,
                        secret=self._hides(visit),
                    )
                )
        for part in place.listed("allOf"):
            visit.take((yield visit.ask(part)))
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                yield from self._choose(visit, keyword)
        yield from self._conditions(visit)

    def _cast(self, visit: _Visit) -> Walking:
        """Try what a value of the wrong type may stand for."""
        problem = explaining.mismatch(
            visit.place, visit.value, visit.path, secret=self._hides(visit)
        )
        visit.problems = [problem]
        if not self._coerce or len(visit.path) > MAX_DEPTH:
            return
        self.samples += [problem][: 3 - len(self.samples)]
        for value, rule in candidates(visit.value, types(visit.schema), self._parse):
            if rule == "text_to_null" and visit.text_fits:
                continue
            fit = yield visit.ask(visit.place, value)
            if not fit.problems:
                visit.repair(visit.path, rule, visit.value, value)
                if rule == "text_to_json":
                    visit.repairs += self._parse_repairs(visit)
                visit.problems.clear()
                visit.take(fit)
                return
            if rule != "lone_element" and visit.problems == [problem]:
                visit.problems = list(fit.problems)

    def _members(self, visit: _Visit) -> Walking:
        """Fit each property of an object."""
        place, path = visit.place, visit.path
        required = visit.schema.get("required") or ()
        for name in required:
            if name not in visit.value:
                visit.problems.append(explaining.missing(place, name, path))
        members = {}
        for name, item in visit.value.items():
            if len(visit.problems) >= MAX_PROBLEMS:
                return
            for member in place.members(name):
                if member.admits(item):
                    continue
                if member.schema is False:
                    visit.problems.append(
                        explaining.unknown(visit.place, name, visit.value, path)
                    )
                    continue
                if self._coerce and name not in required and _is_void(item, member):
                    visit.repair((*path, name), "dropped", item, None)
                    break
                fit = yield Request(member, item, (*path, name))
                visit.repairs += fit.repairs
                visit.problems += fit.problems
                item = fit.value
            else:
                members[name] = item
        if visit.repairs:
            visit.value = members

    def _elements(self, visit: _Visit) -> Walking:
        """Fit each element of an array."""
        first, rest = visit.place.elements()
        elements = list(visit.value)
        for index, item in enumerate(elements):
            if len(visit.problems) >= MAX_PROBLEMS:
                return
            place = first[index] if index < len(first) else rest
            if place is None:
                break
            if not place.admits(item):
                fit = yield Request(place, item, (*visit.path, index))
                visit.repairs += fit.repairs
                visit.problems += fit.problems
                elements[index] = fit.value
        if visit.repairs:
            visit.value = elements

    def _choose(self, visit: _Visit, keyword: str) -> Walking:
        """Take the arm of a union that fits with the fewest repairs, or the nearest."""
        arms = visit.place.listed(keyword)
        fitting = sum(arm.admits(visit.value) for arm in arms)
        if fitting > 1 and keyword == "oneOf":
            visit.problems.append(explaining.ambiguous(visit.path, visit.value))
        if fitting:
            return
        text_fits = visit.text_fits or "string" in visit.place.kinds
        ranked = []
        for arm in arms:
            fit = yield Request(arm, visit.value, visit.path, text_fits)
            ranked.append((_rank(fit, visit.path), fit))
        rank, best = min(ranked, key=lambda each: each[0])
        if best.problems and (rank[1] or not isinstance(visit.value, (dict, list))):
            visit.problems.append(
                explaining.mismatch(
                    visit.place, visit.value, visit.path, secret=self._hides(visit)
                )
            )
        else:
            visit.take(best)

    def _conditions(self, visit: _Visit) -> Walking:
        """Fit what holds only where something else holds, and what must not hold."""
        place, schema = visit.place, visit.schema
        if "if" in schema:
            branch = "then" if place.child("if").admits(visit.value) else "else"
            if branch in schema:
                visit.take((yield visit.ask(place.child(branch))))
        if "not" in schema and place.child("not").admits(visit.value):
            visit.problems.append(explaining.forbidden(visit.path, visit.value))
        if not isinstance(visit.value, dict):
            return
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for name, needed in (schema.get(keyword) or {}).items():
                if name not in visit.value:
                    continue
                if not isinstance(needed, list):
                    visit.take((yield visit.ask(place.child(keyword, name))))
                    continue
                for other in needed:
                    if other not in visit.value:
                        visit.problems.append(
                            explaining.missing(place, other, visit.path, name)
                        )
        if "propertyNames" in schema:
            names = place.child("propertyNames")
            for name in visit.value:
                if not names.admits(name) and len(visit.problems) < MAX_PROBLEMS:
                    visit.problems.append(explaining.misnamed(names, name, visit.path))

    def _hides(self, visit: _Visit) -> bool:
        """Return whether the value is nobody's business."""
        path = visit.path
        above = (path[:length] for length in range(len(path) + 1))
        return is_secret(path) or any(each in self._write_only for each in above)

    def _parse(self, text: str) -> Any:
        reading = self._reading(text)
        return reading.value if reading else None

    def _parse_repairs(self, visit: _Visit) -> list[Repair]:
        reading = self._reading(visit.value)
        repairs = reading.repairs if reading else ()
        return [replace(each, path=visit.path + each.path) for each in repairs]

    def _reading(self, text: str) -> Reading | None:
        """Return the object or array that a text holds; each text is read once."""
        known = self._texts.get(id(text))
        if known is None:
            known = self._texts[id(text)] = text, _read(text)
        return known[1]


def _key(request: Request) -> tuple[str, Path, int, bool]:
    return request.place.pointer, request.path, id(request.value), request.text_fits


def _read(text: str) -> Reading | None:
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[", "`"):
        return None
    try:
        return read_text(text)
    except InvalidArguments:
        return None


def _pick_member(visit: _Visit) -> None:
    """Replace a text by the only member of an enumeration that it can mean."""
    schema = visit.schema
    members = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if visit.value in members:
        return
    word = visit.value.strip().casefold()
    meant = {m for m in members if isinstance(m, str) and m.strip().casefold() == word}
    if len(meant) == 1:
        member = meant.pop()
        visit.repair(visit.path, "enum_member", visit.value, member)
        visit.value = member


def _is_void(item: Any, place: Place) -> bool:
    """Return whether an optional property says nothing with what it holds."""
    return (item is None and "null" not in place.kinds) or (
        item == "" and "string" not in place.kinds
    )


def _rank(fit: Fit, path: Path) -> tuple[bool, bool, int, int]:
    """Return how far an arm of a union is: 0 for one that fits without a repair."""
    problems = fit.problems
    return (
        bool(problems),
        any(each.keyword == "type" and each.path == path for each in problems),
        sum(
            each.keyword in ("const", "enum") and len(each.path) == len(path) + 1
            for each in problems
        ),
        len(problems) or len(fit.repairs),
    )
