"""Schemas as generators write them, made ready for the validator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jsonschema_rs

from pegboard._arguments.keywords import REFERENCES, pointer, subschemas
from pegboard._arguments.patterns import LINEAR, LONGEST_TEXT, is_linear, is_pattern
from pegboard._arguments.places import Options
from pegboard._arguments.references import Circle, References
from pegboard._arguments.weight import Scale, TooHeavy
from pegboard._arguments.wording import cut
from pegboard._frozen import thaw

_LONGEST_REASON = 300  # characters
_SHOWN = 100  # characters of a pattern
_FLAGS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
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


class Compiled(NamedTuple):
    """A schema that is ready to decide.

    Attributes:
        schema: The private copy that was compiled.
        draft: 4, 6, 7, 2019 or 2020.
        options: How its validators are built.
        is_valid: Returns whether a value fits.
        notes: What is odd about it.
    """

    schema: dict[str, Any]
    draft: int
    options: Options
    is_valid: Callable[[Any], bool]
    notes: tuple[str, ...]


def compile_schema(schema: Mapping[str, Any], options: Options = LINEAR) -> Compiled:
    """Return a schema compiled: offline, with patterns in linear time, formats off.

    Args:
        schema: The schema; it is copied.
        options: How to build its validators.

    Raises:
        SchemaError: it is invalid, leads outside itself, or refers in a circle.
    """
    try:
        private = thaw(dict(schema))
        refers = _mend_slips(private)
        notes: tuple[str, ...] = ()
        try:
            validator = jsonschema_rs.validator_for(private, **options)
        except ValueError:
            notes = _bound_patterns(private)
            validator = _build(private, options)
        draft = _DRAFTS[type(validator)]
        if refers:
            _check_references(References(private, draft))
    except RecursionError:
        raise SchemaError("root: the schema is nested too deep") from None
    return Compiled(private, draft, options, validator.is_valid, notes)


def compile_output(schema: Mapping[str, Any]) -> Callable[[Any], bool]:
    """Return what decides over the data of a tool's results.

    Raises:
        SchemaError: as for arguments.
    """
    return compile_schema(schema).is_valid


def _build(schema: dict[str, Any], options: Options) -> jsonschema_rs.Validator:
    try:
        return jsonschema_rs.validator_for(schema, **options)
    except ValueError as error:
        raise _refusal(schema, error) from None


def _check_references(references: References) -> None:
    """Refuse references that would keep a validator busy without end.

    Raises:
        SchemaError: they lead in a circle, multiply, or go on for long.
    """
    try:
        Scale(references).weigh()
    except Circle as error:
        path = error.places[0][1:]
        way = " -> ".join([*error.places, error.places[0]])
        raise SchemaError(
            f"{path or 'root'}: the references {way} lead back to themselves without "
            "going deeper into the value",
            path=path,
        ) from None
    except TooHeavy as error:
        path = error.where[1:]
        raise SchemaError(f"{path or 'root'}: {error}", path=path) from None


def _mend_slips(schema: dict[str, Any]) -> bool:
    """Read a schema as its generator meant it, in place; return if it has references.

    A keyword that is null is absent; a limit that is exclusive by a boolean, as draft 4
    and OpenAPI 3.0 write it, is exclusive.
    """
    refers = False
    flags = () if "draft-04" in str(schema.get("$schema")) else _FLAGS
    todo: list[Any] = [schema]
    while todo:
        node = todo.pop()
        if not isinstance(node, dict):
            continue
        if None in node.values():
            for keyword in [key for key, value in node.items() if value is None]:
                if keyword not in ("const", "default"):
                    del node[keyword]
        for keyword, limit in flags:
            if isinstance(node.get(keyword), bool):
                if node.pop(keyword) and limit in node:
                    node[keyword] = node.pop(limit)
        refers = refers or not REFERENCES.isdisjoint(node)
        todo += [item for _, item in subschemas(node)]
    return refers


def _bound_patterns(schema: dict[str, Any]) -> tuple[str, ...]:
    """Bound each pattern that the linear engine does not know; return a note on each.

    Raises:
        SchemaError: no engine knows it, or it stands where it cannot be bounded.
    """
    notes = []
    for node, where in _nodes(schema):
        for pattern in node.get("patternProperties") or ():
            if not is_linear(pattern):
                path = f"{where[1:]}/patternProperties"
                raise SchemaError(
                    f"{path}: the pattern {cut(pattern, _SHOWN)!r} looks around or "
                    "back, or is none; names need one that does not",
                    path=path,
                )
        pattern = node.get("pattern")
        if not isinstance(pattern, str) or is_linear(pattern):
            continue
        path = f"{where[1:]}/pattern"
        if not is_pattern(pattern):
            shown = cut(pattern, _SHOWN)
            raise SchemaError(f"{path}: {shown!r} is not a pattern", path=path)
        node["boundedPattern"] = node.pop("pattern")
        notes.append(
            f"{path}: the pattern {cut(pattern, _SHOWN)!r} looks around or back, so no "
            f"text of more than {LONGEST_TEXT:,} characters matches it"
        )
    return tuple(notes)


def _nodes(schema: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each schema in a schema, itself first, with its pointer."""
    todo: list[tuple[Any, str]] = [(schema, "#")]
    while todo:
        node, where = todo.pop()
        if isinstance(node, dict):
            yield node, where
            todo += [(item, pointer(where, *keys)) for keys, item in subschemas(node)]


def _refusal(schema: dict[str, Any], error: ValueError) -> SchemaError:
    """Return the error for a schema that the validator refuses."""
    # 150 ms, and needed for bad news only.
    import jsonschema  # type: ignore[import-untyped]  # it ships no types

    judge = jsonschema.Draft202012Validator
    if isinstance(schema.get("$schema"), str):
        judge = jsonschema.validators.validator_for(schema, default=judge)
    fault = jsonschema.exceptions.best_match(
        judge(judge.META_SCHEMA).iter_errors(schema)
    )
    if fault is None:  # not the form of the schema, but where it leads
        path, reason = _dangling(schema), getattr(error, "message", str(error))
    else:
        path, reason = pointer("", *fault.absolute_path), fault.message
    return SchemaError(f"{path or 'root'}: {cut(reason, _LONGEST_REASON)}", path=path)


def _dangling(schema: dict[str, Any]) -> str:
    """Return where the first reference that leads nowhere stands, "" if none does."""
    references = References(schema, 2020)
    for node, where in _nodes(schema):
        for keyword in REFERENCES.intersection(node):
            if references.target(where, node) is None:
                return f"{where[1:]}/{keyword}"
    return ""
