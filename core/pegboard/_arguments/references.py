"""Where the references of one schema lead, without leaving it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from pegboard._arguments.keywords import IN_PLACE, Keys, look_up, pointer, subschemas

_DEFINITIONS = frozenset(("$defs", "definitions"))
_ANCHORS = ("$anchor", "$dynamicAnchor")


class Circle(Exception):
    """References lead back to where they came from without going deeper.

    Attributes:
        places: The pointers of the places on the way, each once.
    """

    def __init__(self, places: list[str]) -> None:
        super().__init__(places)
        self.places = places


class References:
    """The references of a schema: pointer of a place to pointer of its target."""

    def __init__(self, schema: dict[str, Any], draft: int) -> None:
        self._schema = schema
        self._ways: dict[str, list[tuple[Keys, str]]] = {}  # place -> where it leads
        self._id = "id" if draft == 4 else "$id"
        self._bases: dict[str, str] = {}  # pointer of a place -> its base URI
        self._resources: dict[str, str] = {}  # URI -> pointer
        self._anchors: dict[str, list[str]] = {}  # URI with fragment -> pointers
        self._index(schema, "#", "")

    def target(self, place: str, schema: dict[str, Any]) -> str | None:
        """Return the pointer that a place's reference leads to, None if unknown.

        A dynamic reference leads where the only anchor of its name stands.
        """
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = schema.get(keyword)
            if isinstance(reference, str):
                return self._resolve(self._base(place), reference)
        return None

    def _index(self, schema: Any, place: str, base: str) -> None:
        """Note the base, the identifiers and the anchors of a schema and below."""
        todo = [(schema, place, base)]
        while todo:
            schema, place, base = todo.pop()
            if not isinstance(schema, dict):
                continue
            name = schema.get(self._id)
            if isinstance(name, str):
                base, fragment = urldefrag(urljoin(base, name))
                if fragment:  # how drafts before 2019-09 wrote an anchor
                    self._anchors.setdefault(f"{base}#{fragment}", []).append(place)
                else:
                    self._resources[base] = place
                    self._bases[place] = base
            elif place == "#":
                self._resources[base] = place
                self._bases[place] = base
            for keyword in _ANCHORS:
                if isinstance(schema.get(keyword), str):
                    uri = f"{base}#{schema[keyword]}"
                    self._anchors.setdefault(uri, []).append(place)
            todo += [
                (item, pointer(place, *keys), base) for keys, item in subschemas(schema)
            ]

    def _base(self, place: str) -> str:
        """Return the base URI that holds at a place: the nearest one above."""
        while place not in self._bases:
            place = place.rpartition("/")[0]
        return self._bases[place]

    def _resolve(self, base: str, reference: str) -> str | None:
        if reference.startswith("#"):  # urljoin does not know every scheme
            uri, fragment = base, reference[1:]
        else:
            uri, fragment = urldefrag(urljoin(base, reference))
        resource = self._resources.get(uri)
        if resource is None:
            return None
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            places = self._anchors.get(f"{uri}#{fragment}", ())
            return places[0] if len(places) == 1 else None
        place = resource + fragment
        try:
            look_up(self._schema, place)
        except LookupError:
            return None
        return place

    def in_order(self) -> Iterator[str]:
        """Yield what can be reached, each place after those it leads to beside it.

        Raises:
            Circle: places lead back to themselves over the same value.
        """
        done: set[str] = set()
        for start in self._reachable():
            trail: dict[str, Iterator[str]] = {}
            place: str | None = start
            while place is not None:
                if place in trail:
                    names = list(trail)
                    raise Circle(names[names.index(place) :])
                if place not in done:
                    trail[place] = self.beside(place)
                place = None
                while trail and place is None:
                    last = next(reversed(trail))
                    place = next(trail[last], None)
                    if place is None:
                        del trail[last]
                        done.add(last)
                        yield last

    def _reachable(self) -> Iterator[str]:
        seen = {"#"}
        todo = ["#"]
        while todo:
            place = todo.pop()
            yield place
            for keys, neighbour in self._neighbours(place):
                if neighbour not in seen and keys[0] not in _DEFINITIONS:
                    seen.add(neighbour)
                    todo.append(neighbour)

    def beside(self, place: str) -> Iterator[str]:
        """Yield the places that a place leads to over the same value."""
        for keys, neighbour in self._neighbours(place):
            if keys[0] == "$ref" or keys[0] in IN_PLACE:
                yield neighbour

    def below(self, place: str) -> Iterator[tuple[Keys, str]]:
        """Yield the places that speak of parts of the value, with the keys to them."""
        for keys, neighbour in self._neighbours(place):
            if keys[0] != "$ref" and keys[0] not in IN_PLACE | _DEFINITIONS:
                yield keys, neighbour

    def _neighbours(self, place: str) -> list[tuple[Keys, str]]:
        ways = self._ways.get(place)
        if ways is None:
            schema = look_up(self._schema, place)
            ways = [(keys, pointer(place, *keys)) for keys, _ in subschemas(schema)]
            if isinstance(schema, dict):
                target = self.target(place, schema)
                if target is not None:
                    ways.append((("$ref",), target))
            self._ways[place] = ways
        return ways
