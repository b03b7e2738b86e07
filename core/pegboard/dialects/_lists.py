"""Items of one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard.dialects._limits import words
from pegboard.dialects._place import Json, Pen, Place, speaks_of
from pegboard.dialects._unions import joined
from pegboard.dialects.losses import Path


def write(pen: Pen, place: Place) -> None:
    """Write the items of a place that may be a list; a list always has items."""
    if not speaks_of(place, "array", pen.subset) or "items" in place.made:
        return
    items = [
        (value, (*path, "items"))
        for value, path in place.values("items")
        if isinstance(value, (Mapping, bool))
    ]
    if place.says("prefixItems"):
        _write_places(pen, place, items)
    elif items or place.types:
        place.made["items"] = _write_items(pen, place, items)


def _write_places(pen: Pen, place: Place, items: list[tuple[Any, Path]]) -> None:
    """Write a list whose first items each have a schema of their own."""
    heads, shut = _heads(place)
    written: list[Json] = []
    for head in heads:
        node = pen.try_write(head, place)
        if node is None:  # nothing fits here, so a list ends before it
            shut = True
            break
        written.append(node)
    if pen.subset.takes("prefixItems"):
        if written:
            place.made["prefixItems"] = written
        if not shut or not written:
            place.made["items"] = _write_items(pen, place, [] if shut else items)
        elif pen.subset.keywords is None:
            place.made["items"] = False
    else:
        rest = [] if shut and written else [_write_items(pen, place, items)]
        place.made["items"] = joined([*written, *rest])
        for value, path in place.values("prefixItems"):
            pen.lose(place, "prefixItems", value, path)
        for value, path in items:
            note = words("unevaluatedItems", value)
            note = "no further items" if value is False else note
            pen.lose(place, "items", value, path[:-1], message=note)
    if shut and pen.subset.takes("maxItems"):
        most = place.made.get("maxItems", len(written))
        place.made["maxItems"] = min(most, len(written))


def _heads(place: Place) -> tuple[list[list[tuple[Any, Path]]], bool]:
    """Return what holds for each of the first items, and whether no more may follow."""
    layers = [(s.get("prefixItems", []), s.get("items"), p) for s, p in place.layers]
    ends = [len(prefix) for prefix, rest, _ in layers if rest is False]
    count = min(ends) if ends else max(len(prefix) for prefix, _, _ in layers)
    heads: list[list[tuple[Any, Path]]] = []
    for number in range(count):
        heads.append([])
        for prefix, rest, path in layers:
            if number < len(prefix):
                heads[-1].append((prefix[number], (*path, "prefixItems", number)))
            elif rest is not None:
                heads[-1].append((rest, (*path, "items")))
    return heads, bool(ends)


def _write_items(pen: Pen, place: Place, items: list[tuple[Any, Path]]) -> Json:
    node = pen.try_write(items or [(True, (*place.path, "items"))], place)
    if node is not None:
        return node
    if pen.subset.takes("maxItems"):
        place.made["maxItems"] = 0
    else:
        for value, path in items:
            pen.lose(place, "items", value, path[:-1], message="no items")
    return {"type": "string"}  # of which there will be none
