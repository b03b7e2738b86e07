"""A function's signature -> its schemas, and the binder from JSON to Python types.

One pydantic core schema gives both, so that what is shown and what is accepted
cannot drift apart. pydantic is imported here and nowhere above at import time.
"""

from __future__ import annotations

import inspect
import typing
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from pegboard._functions import Hidden, called, describe, hints, routine, unwrap
from pegboard._inlining import find_blind_union, inline
from pegboard.content import BLOCKS
from pegboard.errors import UsageError
from pegboard.results import ToolResult

Bind = Callable[[Any], Any]

#: Return types whose schema needs no pydantic; None: the text says it all.
_PLAIN_OUTPUTS: Mapping[Any, dict[str, Any] | None] = {
    inspect.Signature.empty: None,
    Any: None,
    None: None,
    NoneType: None,
    str: None,
    ToolResult: None,
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    list: {"type": "array"},
    **dict.fromkeys(BLOCKS, None),
}


@dataclass(frozen=True, slots=True)
class Derived:
    """What a signature says.

    Attributes:
        input_schema: JSON Schema of the arguments.
        bind: Valid arguments -> `(args, kwargs)`; raises pydantic's ValidationError.
    """

    input_schema: dict[str, Any]
    bind: Bind


def derive(function: Callable[..., Any], hidden: Hidden) -> Derived:
    """Return the input schema and the binder of a function.

    Raises:
        UsageError: a parameter cannot be described; the message names it.
    """
    _check_kinds(function)
    core, raw = _generate(function, hidden.names)
    blind = find_blind_union(raw)
    if blind:
        raise UsageError(
            f"{called(function)}: {blind} is a recursive union of several object types"
            " without a discriminator, which takes time exponential in its depth;"
            ' add one (Field(discriminator="kind"))'
        )
    parameters = inspect.signature(function).parameters.values()
    if any(item.kind is item.VAR_KEYWORD for item in parameters):
        raw.setdefault("additionalProperties", True)
    schema = inline(raw)
    texts = describe(function)[1]
    for name, item in schema.get("properties", {}).items():
        if name in texts and "description" not in item:
            schema["properties"][name] = {"description": texts[name], **item}
    from pydantic_core import SchemaValidator

    return Derived(schema, SchemaValidator(core).validate_python)


def _check_kinds(function: Callable[..., Any]) -> None:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{called(function)} has no signature to derive a schema from;"
            " use Tool.from_schema"
        ) from error
    for item in parameters:
        if item.kind is item.VAR_POSITIONAL:
            raise UsageError(
                f"{called(function)}: a model cannot fill *{item.name};"
                " take a list instead"
            )
        if item.kind is item.POSITIONAL_ONLY:
            raise UsageError(
                f"{called(function)}: parameter {item.name!r} is positional-only and"
                " models name their arguments; remove the '/'"
            )


def _generate(
    function: Callable[..., Any], hidden: frozenset[str]
) -> tuple[Any, dict[str, Any]]:
    try:
        return _core_and_schema(function, lambda name: name in hidden)
    except Exception as error:
        for name, item in inspect.signature(function).parameters.items():
            if name not in hidden and _is_at_fault(function, name, item, error):
                where = f"parameter {name!r}"
                break
        else:
            where = "its parameters"
        raise UsageError(
            f"{called(function)}: no schema can be derived for {where}:"
            f" {str(error).splitlines()[0]}"
        ) from error


def _is_at_fault(
    function: Callable[..., Any],
    name: str,
    parameter: inspect.Parameter,
    error: Exception,
) -> bool:
    missing = getattr(error, "name", None)
    if isinstance(missing, str):
        return missing in str(parameter.annotation)
    return _failure(function, name) is not None


def _failure(function: Callable[..., Any], name: str) -> Exception | None:
    try:
        _core_and_schema(function, lambda other: other != name)
    except Exception as error:
        return error
    return None


def _core_and_schema(
    function: Callable[..., Any], skip: Callable[[str], bool]
) -> tuple[Any, dict[str, Any]]:
    with warnings.catch_warnings():
        # pydantic 2.14 warns once that arguments_schema is experimental
        # (2026-11; delete this when it no longer does).
        warnings.simplefilter("ignore")
        from pydantic.experimental.arguments_schema import generate_arguments_schema
        from pydantic.json_schema import GenerateJsonSchema

        core = generate_arguments_schema(
            routine(function),
            "arguments",
            parameters_callback=lambda index, name, kind: (
                "skip" if skip(name) else None
            ),
        )
        return core, GenerateJsonSchema().generate(core)


def derive_output(function: Callable[..., Any]) -> dict[str, Any] | None:
    """Return the JSON Schema of what a function returns, None if text says it all.

    Texts, content blocks, results, generators and unannotated functions have none.
    """
    inner = unwrap(function)
    annotation = getattr(inner, "__annotations__", {}).get(
        "return", inspect.Signature.empty
    )
    if isinstance(annotation, str):
        try:
            annotation = typing.get_type_hints(inner, include_extras=True)["return"]
        except Exception:  # an unresolvable name: nothing is promised
            return None
    try:
        return _PLAIN_OUTPUTS[annotation]
    except (KeyError, TypeError):
        pass
    if _is_stream(inner) or _holds_blocks(annotation):
        return None
    from pydantic import TypeAdapter

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a default that JSON cannot show
            adapter: TypeAdapter[Any] = TypeAdapter(annotation)
            return inline(adapter.json_schema(mode="serialization"), closed=False)
    except Exception:  # a type that pydantic does not know promises nothing
        return None


def _is_stream(function: Callable[..., Any]) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _holds_blocks(annotation: Any) -> bool:
    if annotation is ToolResult or annotation in BLOCKS:
        return True
    return any(_holds_blocks(arm) for arm in typing.get_args(annotation) if arm != ...)


def bind_single(
    function: Callable[..., Any], hidden: Hidden
) -> tuple[str, Bind | None]:
    """Return how a function of one parameter takes arguments that fit a given schema.

    Returns:
        The parameter's name, and a binder to its type; None if it takes a plain dict.

    Raises:
        UsageError: it has not exactly one parameter that the model fills.
    """
    found = hints(function)
    free = [name for name in found if name not in hidden.names]
    if len(free) != 1:
        raise UsageError(
            f"{called(function)} needs exactly one parameter for the arguments,"
            f" not {len(free)}"
        )
    annotation = found[free[0]]
    origin = typing.get_origin(annotation) or annotation
    if origin in (inspect.Parameter.empty, Any, dict, Mapping, object):
        return free[0], None
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    return free[0], adapter.validator.validate_python
