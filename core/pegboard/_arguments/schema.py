"""A tool's input schema, compiled: what decides, coerces and explains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

import jsonschema_rs

from pegboard._arguments.coercion import Fit, TooManyPlaces, Walk
from pegboard._arguments.keywords import pointer, subschemas
from pegboard._arguments.places import Options, Places
from pegboard._arguments.references import References
from pegboard._arguments.wording import invalid, where
from pegboard._frozen import thaw
from pegboard.calls import Repair

_ENVELOPES = frozenset(("args", "arguments", "input", "kwargs", "parameters", "params"))
_LINEAR = jsonschema_rs.RegexOptions()
_BOUNDED = jsonschema_rs.FancyRegexOptions(backtrack_limit=1_000)
_CAP = 1_000  # characters of a text that a pattern with look-around may be tried on
_DRAFTS = {
    jsonschema_rs.Draft4Validator: 4,
    jsonschema_rs.Draft6Validator: 6,
    jsonschema_rs.Draft7Validator: 7,
    jsonschema_rs.Draft201909Validator: 2019,
    jsonschema_rs.Draft202012Validator: 2020,
}


class SchemaError(ValueError):
    """A schema cannot be used.

    Attributes:
        path: Where in the schema the fault is, a JSON pointer; "" for the root.
    """

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class ArgumentSchema:
    """A compiled input schema.

    Args:
        schema: JSON Schema of the arguments; a private copy is kept.
        hidden: Names that a model may never set, refused in an open schema too.

    Attributes:
        is_valid: Returns whether an object fits; ValueError if it is not JSON.
        notes: What is odd about the schema without making it unusable.

    Raises:
        SchemaError: the schema is invalid, leads outside itself, or refers in a circle.
    """

    is_valid: Callable[[Any], bool]

    def __init__(
        self, schema: Mapping[str, Any], *, hidden: Collection[str] = ()
    ) -> None:
        private = _without_slips(thaw(dict(schema)))
        private.setdefault("type", "object")
        self._schema, self._options, self.notes = _compile(private)
        validator = jsonschema_rs.validator_for(self._schema, **self._options)
        self._draft = _DRAFTS[type(validator)]
        if cycle := References(self._schema, self._draft).find_cycle():
            raise SchemaError(
                f"the references {' -> '.join([*cycle, cycle[0]])} lead back to "
                "themselves without going deeper into the arguments",
                path=cycle[0].removeprefix("#"),
            )
        self._hidden = frozenset(hidden)
        self._built: Places | None = None
        self._decide = validator.is_valid
        self.is_valid = self._is_valid if self._hidden else validator.is_valid

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
        outer, lines = self._walk(value, strict=strict)
        if not lines:
            return outer.value, outer.repairs
        if not strict and (inner := self._unwrap(value)):
            return inner.value, inner.repairs
        raise invalid(lines)

    def _is_valid(self, value: Any) -> bool:
        return self._hidden.isdisjoint(value) and self._decide(value)

    def _walk(self, value: dict[str, Any], *, strict: bool) -> tuple[Fit, list[str]]:
        """Return what a walk came to, and the problems that are left."""
        walk = Walk(coerce=not strict)
        lines = [
            f"{where((name,))}: no such property" for name in self._hidden & {*value}
        ]
        try:
            fit = walk.fit(self._places().at("#"), value)
        except TooManyPlaces:
            lines.append("arguments: too many places do not fit; the first of them:")
            return Fit(value), lines + [each.text for each in walk.samples]
        return fit, lines + [each.text for each in fit.problems]

    def _unwrap(self, value: dict[str, Any]) -> Fit | None:
        """Return what fits of an object that stands alone in a well-known envelope."""
        if len(value) != 1 or not _ENVELOPES.issuperset(value):
            return None
        ((name, inner),) = value.items()
        if name in (self._schema.get("properties") or ()) or not isinstance(
            inner, dict
        ):
            return None
        fit, lines = self._walk(inner, strict=False)
        if lines:
            return None
        return fit._replace(repairs=(Repair((), "unwrapped", name), *fit.repairs))

    def _places(self) -> Places:
        if self._built is None:
            self._built = Places(self._schema, self._draft, self._options)
        return self._built


def _without_slips(schema: Any) -> Any:
    """Drop the keywords that a generator wrote as null, from a schema and below."""
    todo = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            for keyword in [key for key in node if node[key] is None]:
                if keyword not in ("const", "default"):
                    del node[keyword]
            todo += [item for _, item in subschemas(node)]
    return schema


def _compile(
    schema: dict[str, Any],
) -> tuple[dict[str, Any], Options, tuple[str, ...]]:
    """Return the schema to be used, the options to build it with, and notes."""
    options: Options = {
        "pattern_options": _LINEAR,
        "offline": True,
        "validate_formats": False,
    }
    try:
        jsonschema_rs.validator_for(schema, **options)
    except ValueError as error:
        notes = _cap_patterns(schema, options)
        if not notes:
            _refuse(error)
        options["pattern_options"] = _BOUNDED
        try:
            jsonschema_rs.validator_for(schema, **options)
        except ValueError as second:
            _refuse(second)
        return schema, options, notes
    return schema, options, ()


def _cap_patterns(schema: dict[str, Any], options: Options) -> tuple[str, ...]:
    """Bound every pattern that the linear engine refuses, in place; name them."""
    notes = []
    todo: list[tuple[Any, str]] = [(schema, "#")]
    while todo:
        node, place = todo.pop()
        if not isinstance(node, dict):
            continue
        todo += [(item, pointer(place, *keys)) for keys, item in subschemas(node)]
        pattern = node.get("pattern")
        if isinstance(pattern, str) and not _is_linear(pattern, options):
            del node["pattern"]
            node["allOf"] = [
                *(node.get("allOf") or ()),
                {"maxLength": _CAP},
                {"pattern": pattern},
            ]
            notes.append(
                f"the pattern {pattern!r} at {place} looks around or back, so it is "
                f"tried on texts of at most {_CAP:,} characters; longer ones are refused"
            )
    return tuple(notes)


def _is_linear(pattern: str, options: Options) -> bool:
    try:
        jsonschema_rs.validator_for({"pattern": pattern}, **options)
    except ValueError:
        return False
    return True


def _refuse(error: ValueError) -> NoReturn:
    path = "".join(f"/{step}" for step in getattr(error, "instance_path", ()))
    message = getattr(error, "message", str(error))
    raise SchemaError(
        f"the schema is invalid at {path or 'its root'}: {message}", path=path
    )
