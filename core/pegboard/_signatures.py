"""A function's signature -> its schemas, and the binder from JSON to Python types.

One pydantic core schema gives both, so that what is shown and what is accepted
cannot drift apart. pydantic is imported here and nowhere above at import time.
"""

from __future__ import annotations

import functools
import inspect
import typing
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from pegboard._inlining import find_blind_union, inline
from pegboard.calls import Injected
from pegboard.content import BLOCKS
from pegboard.context import ToolContext
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
class Hidden:
    """The parameters that the model never sees.

    Attributes:
        context: The parameter that takes the ToolContext, if any.
        injected: Parameter -> the name its value is asked for by.
    """

    context: str | None = None
    injected: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """All hidden parameters."""
        own = (self.context,) if self.context else ()
        return frozenset((*own, *self.injected))


@dataclass(frozen=True, slots=True)
class Derived:
    """What a signature says.

    Attributes:
        input_schema: JSON Schema of the arguments.
        bind: Valid arguments -> `(args, kwargs)`; raises pydantic's ValidationError.
    """

    input_schema: dict[str, Any]
    bind: Bind


def describe(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return a docstring's description and its text for each parameter."""
    text = inspect.getdoc(unwrap(function)) or ""
    if not (isinstance(function, functools.partial) or inspect.isroutine(function)):
        text = inspect.getdoc(type(function)) or text
    if not text:
        return "", {}
    if "\n" not in text:
        return text.strip(), {}
    import docstring_parser  # 20 ms, and only tools with a long docstring need it

    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return text.strip(), {}
    parts = (parsed.short_description, parsed.long_description)
    of_parameters = {
        item.arg_name.lstrip("*"): " ".join(item.description.split())
        for item in parsed.params
        if item.description
    }
    return "\n\n".join(part.strip() for part in parts if part), of_parameters


def unwrap(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function inside partials, methods and callable objects."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif inspect.isroutine(function) or inspect.isclass(function):
            return function
        else:
            function = type(function).__call__


def _routine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what pydantic can read: it knows no callable objects."""
    if isinstance(function, functools.partial) or inspect.isroutine(function):
        return function
    return function.__call__  # type: ignore[no-any-return,operator]  # a bound method


def find_hidden(function: Callable[..., Any]) -> Hidden:
    """Return the parameters annotated with ToolContext or Injected.

    Raises:
        UsageError: two parameters take the context.
    """
    context: str | None = None
    injected: dict[str, str] = {}
    for name, annotation in _hints(function).items():
        kind = _hidden_kind(annotation)
        if isinstance(kind, Injected):
            injected[name] = kind.name
        elif kind is ToolContext:
            if context:
                raise UsageError(
                    f"{_called(function)} takes a ToolContext in {context!r} and in"
                    f" {name!r}; keep one"
                )
            context = name
    return Hidden(context, injected)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    raw = {name: item.annotation for name, item in parameters.items()}
    if not any(isinstance(value, str) for value in raw.values()):
        return raw
    try:
        hints = typing.get_type_hints(unwrap(function), include_extras=True)
    except Exception:  # an unresolvable name: pydantic's error will name the parameter
        return raw
    return {name: hints.get(name, value) for name, value in raw.items()}


def _hidden_kind(annotation: Any) -> Any:
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, Injected):
            return extra
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    options = [arm for arm in typing.get_args(annotation) if arm is not NoneType]
    found = options[0] if len(options) == 1 else annotation
    return ToolContext if found is ToolContext else None


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
            f"{_called(function)}: {blind} is a recursive union of several object types"
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
            f"{_called(function)} has no signature to derive a schema from;"
            " use Tool.from_schema"
        ) from error
    for item in parameters:
        if item.kind is item.VAR_POSITIONAL:
            raise UsageError(
                f"{_called(function)}: a model cannot fill *{item.name};"
                " take a list instead"
            )
        if item.kind is item.POSITIONAL_ONLY:
            raise UsageError(
                f"{_called(function)}: parameter {item.name!r} is positional-only and"
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
            f"{_called(function)}: no schema can be derived for {where}:"
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
            _routine(function),
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
    hints = _hints(function)
    free = [name for name in hints if name not in hidden.names]
    if len(free) != 1:
        raise UsageError(
            f"{_called(function)} needs exactly one parameter for the arguments,"
            f" not {len(free)}"
        )
    annotation = hints[free[0]]
    origin = typing.get_origin(annotation) or annotation
    if origin in (inspect.Parameter.empty, Any, dict, Mapping, object):
        return free[0], None
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    return free[0], adapter.validator.validate_python


def _called(function: Callable[..., Any]) -> str:
    name = getattr(unwrap(function), "__qualname__", type(function).__name__)
    return f"function {name!r}"
