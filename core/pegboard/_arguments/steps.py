"""How a value is fitted to one place: the rules of coercion, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pegboard._arguments.casting import candidates, is_element
from pegboard._arguments.keywords import ASSERTIONS
from pegboard._arguments.places import Place, types
from pegboard._arguments.reading import Reading
from pegboard._arguments.text import MAX_DEPTH
from pegboard._arguments.visits import Fit, Request, Steps, Visit
from pegboard._arguments.wording import MAX_PROBLEMS, Path, kind
from pegboard.calls import Repair

_CONTAINERS = frozenset(("array", "object"))


def steps(visit: Visit) -> Steps:
    """Fit the value of a visit to its place, as far as it goes."""
    place, schema = visit.place, visit.schema
    if not isinstance(schema, dict):
        visit.blame("false")
        return
    if "type" in schema and not place.satisfies("type", visit.value):
        yield from _cast(visit)
        return
    if target := place.target():
        visit.take((yield visit.ask(target)))
    if visit.coerce and isinstance(visit.value, str):
        _pick_member(visit)
    if isinstance(visit.value, dict):
        yield from _fit_members(visit)
    elif isinstance(visit.value, list):
        yield from _fit_elements(visit)
    for keyword in ASSERTIONS:
        if keyword in schema and not place.satisfies(keyword, visit.value):
            visit.blame(keyword)
    for part in place.listed("allOf"):
        visit.take((yield visit.ask(part)))
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            yield from _choose(visit, keyword)
    yield from _fit_conditions(visit)
    yield from _fit_dependents(visit)
    if isinstance(visit.value, dict):
        _check_names(visit)
        yield from _fit_unevaluated(visit)


def _cast(visit: Visit) -> Steps:
    """Try what a value of the wrong type may stand for."""
    nearest = None
    for value, rule, inner in _candidates(visit):
        fit = yield Request(visit.place, value, visit.path, visit.text_fits)
        if not fit.problems:
            visit.repair(rule, visit.value, value)
            visit.repairs += inner
            visit.take(fit)
            return
        if nearest is None and rule != "lone_element":
            nearest = fit
    if nearest:  # of the right type, so what it lacks says more than the type
        visit.problems += nearest.problems
        return
    why = ""
    if isinstance(visit.value, str) and not visit.place.kinds.isdisjoint(_CONTAINERS):
        found = visit.read(visit.value)
        why = found if isinstance(found, str) else ""
    visit.blame("type", hint=why)


def _candidates(visit: Visit) -> Iterator[tuple[Any, str, list[Repair]]]:
    """Yield what the value may stand for, the rule, and the repairs of reading it."""
    if not visit.coerce or len(visit.path) >= MAX_DEPTH:
        return
    wanted = types(visit.schema)
    for value, rule in candidates(visit.value, wanted):
        if rule != "text_to_null" or not visit.text_fits:
            yield value, rule, []
    if isinstance(visit.value, str) and not wanted.isdisjoint(_CONTAINERS):
        found = visit.read(visit.value)
        if isinstance(found, Reading) and kind(found.value) in wanted:
            path = visit.path
            inner = [replace(each, path=path + each.path) for each in found.repairs]
            yield found.value, "text_to_json", inner
    if "array" in wanted and is_element(visit.value):
        # Not in a list of lists: there the outer one may be what is missing.
        if not visit.path or isinstance(visit.path[-1], str):
            yield [visit.value], "lone_element", []


def _pick_member(visit: Visit) -> None:
    """Replace a text by the only member of an enumeration that it can mean."""
    schema, value = visit.schema, visit.value
    members = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if value in members:
        return
    word = value.strip().casefold()
    meant = {m for m in members if isinstance(m, str) and m.strip().casefold() == word}
    if len(meant) == 1:
        visit.value = meant.pop()
        visit.repair("enum_member", value, visit.value)


def _fit_members(visit: Visit) -> Steps:
    """Fit each property of an object."""
    required = visit.schema.get("required") or ()
    for name in required:
        if name not in visit.value:
            visit.blame("required", name)
    # The names of a map say something by themselves: those are not dropped.
    optional = visit.schema.get("properties", {}).keys() - set(required)
    members = {}
    for name, item in visit.value.items():
        if len(visit.problems) >= MAX_PROBLEMS:
            return
        for place in visit.place.members(name):
            if visit.admits(place, item):
                continue
            if place.schema is False:
                visit.blame("unknown", name)
            elif visit.coerce and name in optional and _says_nothing(item, place):
                visit.repair("dropped", item, None, name)
                break
            else:
                fit = yield visit.ask_below(place, name, item)
                visit.note(fit)
                item = fit.value
        else:
            members[name] = item
    if visit.repairs:
        visit.value = members


def _says_nothing(item: Any, place: Place) -> bool:
    """Return whether a property is as good as left out with such a value."""
    return (item is None and "null" not in place.kinds) or (
        item == "" and "string" not in place.kinds
    )


def _fit_elements(visit: Visit) -> Steps:
    """Fit each element of an array."""
    first, rest = visit.place.elements()
    elements = list(visit.value)
    for index, item in enumerate(elements):
        place = first[index] if index < len(first) else rest
        if place is None or len(visit.problems) >= MAX_PROBLEMS:
            break
        if not visit.admits(place, item):
            fit = yield visit.ask_below(place, index, item)
            visit.note(fit)
            elements[index] = fit.value
    if visit.repairs:
        visit.value = elements


def _choose(visit: Visit, keyword: str) -> Steps:
    """Take the arm of a union that fits with the fewest repairs, or the nearest."""
    arms = visit.place.listed(keyword)
    fitting = sum(visit.admits(arm, visit.value) for arm in arms)
    if fitting > 1 and keyword == "oneOf":
        visit.blame("oneOf")
    if fitting:
        return
    visit.text_fits = visit.text_fits or "string" in visit.place.kinds
    best: tuple[tuple[Any, ...], Fit] | None = None
    for arm in arms:
        fit = yield visit.ask(arm)
        distance = _distance(fit, visit.path)
        if best is None or distance < best[0]:
            best = distance, fit
    assert best is not None
    (unfit, of_other_type, *_), fit = best
    if unfit and (of_other_type or _is_about(visit, fit)):
        visit.blame("type")
    else:
        visit.take(fit)


def _is_about(visit: Visit, fit: Fit) -> bool:
    """Return whether a scalar itself is what does not fit: then all arms are told."""
    return not isinstance(visit.value, (dict, list)) and all(
        each.path == visit.path for each in fit.problems
    )


def _distance(fit: Fit, path: Path) -> tuple[bool, bool, int, int]:
    """Return how far an arm of a union is from the value, the weightiest first.

    Whether it is unfit, and of another type; how many discriminators say that another
    arm was meant; how many problems there are, or repairs.
    """
    problems = fit.problems
    return (
        bool(problems),
        any(each.keyword == "type" and each.path == path for each in problems),
        sum(
            each.keyword in ("const", "enum") and len(each.path) == len(path) + 1
            for each in problems
        ),
        # A list around a value is weightier than any other repair: it may stand around
        # everything, so "null" would be a list before it is null.
        len(problems)
        or sum(2 if each.rule == "lone_element" else 1 for each in fit.repairs),
    )


def _fit_conditions(visit: Visit) -> Steps:
    """Fit what holds only where something else holds; find what must not hold."""
    place, schema = visit.place, visit.schema
    if "if" in schema:
        branch = "then" if visit.admits(place.child("if"), visit.value) else "else"
        if branch in schema:
            visit.take((yield visit.ask(place.child(branch))))
    if "not" in schema and visit.admits(place.child("not"), visit.value):
        visit.blame("not")
    if "contains" in schema and isinstance(visit.value, list):
        wanted = place.child("contains")
        count = sum(map(wanted.admits, visit.value))
        least, most = schema.get("minContains", 1), schema.get("maxContains", count)
        if not least <= count <= most:
            visit.blame("contains")


def _fit_dependents(visit: Visit) -> Steps:
    """Fit what holds where a property is given."""
    for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
        for name, needed in (visit.schema.get(keyword) or {}).items():
            if not isinstance(visit.value, dict) or name not in visit.value:
                continue
            if isinstance(needed, list):
                for other in needed:
                    if other not in visit.value:
                        visit.blame("required", other, hint=name)
            else:
                dependent = visit.place.child(keyword, name)
                visit.take((yield visit.ask(dependent)))


def _check_names(visit: Visit) -> None:
    """Find names that no property may have."""
    if "propertyNames" in visit.schema:
        names = visit.place.child("propertyNames")
        for name in visit.value:
            if not names.admits(name) and len(visit.problems) < MAX_PROBLEMS:
                visit.blame("propertyNames", name)


def _fit_unevaluated(visit: Visit) -> Steps:
    """Fit the properties that no other keyword of the schema speaks of."""
    if "unevaluatedProperties" not in visit.schema:
        return
    if visit.admits(visit.place, visit.value):
        return
    place = visit.place.child("unevaluatedProperties")
    parts = [part for part in visit.place.parts() if part.admits(visit.value)]
    for name, item in list(visit.value.items()):
        if visit.admits(place, item) or any(part.members(name) for part in parts):
            continue
        if place.schema is False:
            visit.blame("unknown", name)
        else:
            fit = yield visit.ask_below(place, name, item)
            visit.note(fit)
            visit.value = {**visit.value, name: fit.value}
