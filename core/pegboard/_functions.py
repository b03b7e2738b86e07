"""What a function says of itself: its docstring, and the parameters it hides."""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from pegboard.calls import Injected
from pegboard.context import ToolContext
from pegboard.errors import UsageError

_GOOGLE = re.compile(
    r"^\s*(Args|Arguments|Parameters|Params|Returns?|Yields?|Raises|Examples?"
    r"|Attributes):\s*$",
    re.MULTILINE,
).search
_NUMPY = re.compile(r"^\s*-{3,}\s*$", re.MULTILINE).search


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


def describe(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return a docstring's description and its text for each parameter."""
    text = inspect.getdoc(unwrap(function)) or ""
    if not (isinstance(function, functools.partial) or inspect.isroutine(function)):
        text = inspect.getdoc(type(function)) or text
    if not text:
        return "", {}
    if "\n" not in text:
        return text.strip(), {}
    style = _style_of(text)
    if style is None:
        return text.strip(), {}
    import docstring_parser  # 20 ms, and only tools with a long docstring need it

    try:
        parsed = docstring_parser.parse(text, docstring_parser.DocstringStyle[style])
    except docstring_parser.ParseError:
        return text.strip(), {}
    parts = (parsed.short_description, parsed.long_description)
    of_parameters = {
        item.arg_name.lstrip("*"): " ".join(item.description.split())
        for item in parsed.params
        if item.description
    }
    return "\n\n".join(part.strip() for part in parts if part), of_parameters


def _style_of(text: str) -> str | None:
    """Return the style of a docstring's sections, None if it has none.

    docstring-parser would try every style, which takes four times as long.
    """
    if _GOOGLE(text):
        return "GOOGLE"
    if _NUMPY(text):
        return "NUMPYDOC"
    if ":param" in text or ":return" in text or ":raise" in text:
        return "REST"
    return "EPYDOC" if "@param" in text or "@return" in text else None


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


def routine(function: Callable[..., Any]) -> Callable[..., Any]:
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
    for name, annotation in hints(function).items():
        kind = _hidden_kind(annotation)
        if isinstance(kind, Injected):
            injected[name] = kind.name
        elif kind is ToolContext:
            if context:
                raise UsageError(
                    f"{called(function)} takes a ToolContext in {context!r} and in"
                    f" {name!r}; keep one"
                )
            context = name
    return Hidden(context, injected)


def hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotation of each parameter, resolved if that can be done."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    raw = {name: item.annotation for name, item in parameters.items()}
    if not any(isinstance(value, str) for value in raw.values()):
        return raw
    try:
        found = typing.get_type_hints(unwrap(function), include_extras=True)
    except Exception:  # an unresolvable name: pydantic's error will name the parameter
        return raw
    return {name: found.get(name, value) for name, value in raw.items()}


def _hidden_kind(annotation: Any) -> Any:
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, Injected):
            return extra
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    options = [arm for arm in typing.get_args(annotation) if arm is not NoneType]
    found = options[0] if len(options) == 1 else annotation
    return ToolContext if found is ToolContext else None


def called(function: Callable[..., Any]) -> str:
    """Return how messages name a function."""
    name = getattr(unwrap(function), "__qualname__", type(function).__name__)
    return f"function {name!r}"
