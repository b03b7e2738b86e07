"""A tool's input schema: what decides, coerces and explains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from pegboard._arguments.compiling import SchemaError, compile_schema
from pegboard._arguments.explaining import Problem
from pegboard._arguments.places import Place, Places, parts_below, types
from pegboard._arguments.reading import Reading, read_container
from pegboard._arguments.settling import holds_whole, may_hold_whole, settle
from pegboard._arguments.text import MAX_DEPTH, is_too_deep
from pegboard._arguments.visits import Fit
from pegboard._arguments.walk import MAX_PLACES, TooManyPlaces, Walk
from pegboard._arguments.wording import MAX_PROBLEMS, Path, invalid, is_secret
from pegboard.calls import Repair

_ENVELOPES = frozenset(("args", "arguments", "input", "kwargs", "parameters", "params"))


class ArgumentSchema:
    """A compiled input schema.

    Args:
        schema: JSON Schema of the arguments; a private copy is kept.
        hidden: Names that a model may never set, refused in an open schema too.

    Attributes:
        is_valid: Returns whether an object fits; ValueError if it is not JSON.
        notes: What is odd about the schema without making it unusable.

    Raises:
        SchemaError: the schema is invalid, leads outside itself, refers in a circle,
            or admits no object.
    """

    is_valid: Callable[[Any], bool]

    def __init__(
        self, schema: Mapping[str, Any], *, hidden: Collection[str] = ()
    ) -> None:
        if schema.get("type") is None:
            schema = {**schema, "type": "object"}
        self._compiled = compile_schema(schema)
        if "object" not in types(self._compiled.schema):
            raise SchemaError(
                f"/type: arguments are an object, and {schema['type']!r} admits none",
                path="/type",
            )
        self._hidden = frozenset(hidden)
        self._root: Place | None = None  # built when first needed: most are never
        self.notes = self._compiled.notes
        self.is_valid = self._admits if hidden else self._compiled.is_valid

    def fit(
        self, value: dict[str, Any], *, strict: bool = False
    ) -> tuple[dict[str, Any], tuple[Repair, ...]]:
        """Return the arguments made to fit, and what was changed.

        Args:
            value: Arguments that `is_valid` refused; not changed themselves.
            strict: Change nothing, only explain.

        Raises:
            InvalidArguments: they cannot be made to fit; one problem a line.
        """
        fit, problems = self._walk(value, strict=strict)
        if problems and not strict:
            unwrapped = self._unwrap(value)
            if unwrapped is not None:
                fit, problems = unwrapped, []
        if problems:
            raise invalid(problems)
        return self.settle(fit.value, None)[0], fit.repairs

    def settle(
        self, value: dict[str, Any], text: str | None
    ) -> tuple[dict[str, Any], str | None]:
        """Return valid arguments with 3 for 3.0 wherever only an integer fits.

        Args:
            value: Arguments that `is_valid` admits; not changed themselves.
            text: Their JSON text if it is known.

        Returns:
            The arguments and their text; the same value if there is no such number.
        """
        if text is not None and not ("." in text or "e" in text or "E" in text):
            return value, text  # no number in it has a fraction or an exponent
        if (text is not None and not may_hold_whole(text)) or not holds_whole(value):
            return value, text
        return settle(self._place(), value), None

    def hides(self, path: Path) -> bool:
        """Return whether the value at a path must not be shown to anybody."""
        if is_secret(path):
            return True
        parts = self._place().parts()
        for step in path:
            if _are_write_only(parts):
                return True
            parts = parts_below(parts, step)
        # A value that should have been a list of such values is one of them.
        return _are_write_only(parts) or _are_write_only(parts_below(parts, 0))

    def _admits(self, value: Any) -> bool:
        return self._hidden.isdisjoint(value) and self._compiled.is_valid(value)

    def _walk(self, value: dict[str, Any], *, strict: bool) -> tuple[Fit, list[str]]:
        """Return what a walk came to, with the sentences on what does not fit."""
        walk = Walk(coerce=not strict)
        root = self._place()
        problems = [
            Problem((), "unknown", root, value, name)
            for name in value
            if name in self._hidden
        ]
        lines = []
        fit = Fit(value)
        try:
            fit = walk.fit(root, value)
            problems += fit.problems
            if not problems and is_too_deep(fit.value):
                lines.append(f"arguments: texts read, nested deeper than {MAX_DEPTH}")
        except TooManyPlaces as error:
            lines.append(f"arguments: more than {MAX_PLACES:,} places do not fit")
            problems += error.problems
        for problem in problems[:MAX_PROBLEMS]:
            lines.append(problem.explain(secret=self.hides(problem.path)))
        return fit, lines

    def _unwrap(self, value: dict[str, Any]) -> Fit | None:
        """Return what an object that stands alone in a well-known envelope becomes."""
        if len(value) != 1 or not _ENVELOPES.issuperset(value):
            return None
        ((name, inner),) = value.items()
        if name in self._hidden or any(
            part.named(name) for part in self._place().parts()
        ):
            return None
        repairs = [Repair((), "unwrapped", name)]
        if isinstance(inner, str):
            found = read_container(inner)
            if isinstance(found, Reading):
                repairs += [Repair((), "text_to_json", inner), *found.repairs]
                inner = found.value
        if not isinstance(inner, dict):
            return None
        fit, problems = self._walk(inner, strict=False)
        return None if problems else fit._replace(repairs=(*repairs, *fit.repairs))

    def _place(self) -> Place:
        """Return the root as the walk sees it."""
        if self._root is None:
            compiled = self._compiled
            places = Places(compiled.schema, compiled.draft, compiled.options)
            self._root = places.at("#")
        return self._root


def _are_write_only(parts: list[Place]) -> bool:
    return any(part.schema.get("writeOnly") is True for part in parts)
