"""Schemas as generators write them, made ready for the validator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jsonschema_rs

from pegboard._arguments.keywords import pointer, subschemas
from pegboard._arguments.places import Options
from pegboard._arguments.references import References
from pegboard._arguments.wording import cut
from pegboard._frozen import thaw

LINEAR: Options = {
    "pattern_options": jsonschema_rs.RegexOptions(),
    "offline": True,
    "validate_formats": False,
}
# A backtrack may scan the whole text, so its limit bounds nothing without a cap.
_BACKTRACKING = jsonschema_rs.FancyRegexOptions(backtrack_limit=1_000)
_CAP = 1_000  # characters
_LONGEST_REASON = 300  # characters
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
        _mend_slips(private)
        notes: tuple[str, ...] = ()
        try:
            validator = jsonschema_rs.validator_for(private, **options)
        except ValueError as error:
            notes = _cap_patterns(private)
            if not notes:
                raise _refusal(private, error) from None
            options = {**options, "pattern_options": _BACKTRACKING}
            validator = _build(private, options)
        draft = _DRAFTS[type(validator)]
        cycle = References(private, draft).find_cycle()
    except RecursionError:
        raise SchemaError("the schema is nested too deep") from None
    if cycle:
        raise SchemaError(
            f"the references {' -> '.join([*cycle, cycle[0]])} lead back to themselves "
            "without going deeper into the value",
            path=cycle[0][1:],
        )
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


def _mend_slips(schema: dict[str, Any]) -> None:
    """Read a schema as its generator meant it, in place.

    A keyword that is null is absent; a limit that is exclusive by a boolean, as draft 4
    and OpenAPI 3.0 write it, is exclusive.
    """
    old = "draft-04" in str(schema.get("$schema"))
    for node, _ in _nodes(schema):
        for keyword in [key for key, value in node.items() if value is None]:
            if keyword not in ("const", "default"):
                del node[keyword]
        for keyword, limit in _FLAGS if not old else ():
            if isinstance(node.get(keyword), bool):
                if node.pop(keyword) and limit in node:
                    node[keyword] = node.pop(limit)


def _cap_patterns(schema: dict[str, Any]) -> tuple[str, ...]:
    """Bound each pattern that the linear engine does not know; return a note on each.

    Raises:
        SchemaError: such a pattern stands where it cannot be bounded.
    """
    notes = []
    for node, where in _nodes(schema):
        for pattern in node.get("patternProperties") or ():
            if not _is_linear(pattern):
                raise SchemaError(
                    f"the name pattern {pattern!r} looks around or back, or is no "
                    "pattern; name patterns have to be of the linear kind",
                    path=f"{where[1:]}/patternProperties",
                )
        pattern = node.get("pattern")
        if isinstance(pattern, str) and not _is_linear(pattern):
            del node["pattern"]
            bounded = [{"maxLength": _CAP}, {"pattern": pattern}]
            node["allOf"] = [*(node.get("allOf") or ()), *bounded]
            notes.append(
                f"the pattern {cut(pattern, 100)!r} at {where} looks around or back; "
                f"texts of more than {_CAP:,} characters do not match it"
            )
    return tuple(notes)


def _is_linear(pattern: str) -> bool:
    try:
        jsonschema_rs.validator_for({"pattern": pattern}, **LINEAR)
    except ValueError:
        return False
    return True


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

    path = pointer("", *getattr(error, "instance_path", ()))
    reason = getattr(error, "message", str(error))
    judge = jsonschema.validators.validator_for(
        schema, default=jsonschema.Draft202012Validator
    )
    fault = jsonschema.exceptions.best_match(
        judge(judge.META_SCHEMA).iter_errors(schema)
    )
    if fault is not None:
        path, reason = pointer("", *fault.absolute_path), fault.message
    elif not path:
        path = _dangling(schema)
    return SchemaError(f"{path or 'root'}: {cut(reason, _LONGEST_REASON)}", path=path)


def _dangling(schema: dict[str, Any]) -> str:
    """Return where the first reference that leads nowhere stands, "" if none does."""
    references = References(schema, 2020)
    for node, where in _nodes(schema):
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in node and references.target(where, node) is None:
                return f"{where[1:]}/{keyword}"
    return ""
