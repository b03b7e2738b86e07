"""Items of one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard.dialects._place import Json, Pen, Place
from pegboard.dialects._unions import joined
from pegboard.dialects.losses import Path


def write(pen: Pen, place: Place) -> None:
    """Write the items of a place that may be a list; a list always has items."""
    if "array" not in place.types or "items" in place.made:
        return
    heads = [
        [(item, (*path, "prefixItems", i)) for i, item in enumerate(value)]
        for value, path in place.values("prefixItems")
    ]
    items = [
        (value, (*path, "items"))
        for value, path in place.values("items")
        if isinstance(value, (Mapping, bool))
    ]
    if not heads:
        place.made["items"] = _write_items(pen, place, items)
        return
    shut = any(value is False for value, _ in items)
    written = [pen.write([head], place) for head in heads[0]]
    if pen.subset.takes("prefixItems"):
        place.made["prefixItems"] = written
        if not shut:
            place.made["items"] = _write_items(pen, place, items)
        elif pen.subset.keywords is None:
            place.made["items"] = False
    else:
        rest = [] if shut else [_write_items(pen, place, items)]
        place.made["items"] = joined([*written, *rest], pen)
        for value, path in place.values("prefixItems"):
            pen.lose(place, "prefixItems", value, path)
    if shut and pen.subset.takes("maxItems"):
        most = place.made.get("maxItems", len(written))
        place.made["maxItems"] = min(most, len(written))
    for value, path in list(place.values("prefixItems"))[1:]:
        pen.lose(place, "prefixItems", value, path)


def _write_items(pen: Pen, place: Place, items: list[tuple[Any, Path]]) -> Json:
    if any(value is False for value, _ in items):
        place.made["maxItems"] = 0
        items = []
    return pen.write(items or [(True, (*place.path, "items"))], place)
