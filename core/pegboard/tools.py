"""Tools: functions, methods and objects that a model can call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

from pegboard import _functions, _signatures
from pegboard._frozen import freeze
from pegboard._functions import Hidden
from pegboard.errors import UsageError
from pegboard.schemas import ToolAnnotations, ToolDefinition

P = ParamSpec("P")
R = TypeVar("R")
Execution = Literal["parallel", "sequential"]


@dataclass(frozen=True, slots=True)
class Retry:
    """How often, and after which errors, a body is tried again.

    Retries share the call's timeout, never follow a timeout, and happen only where
    the tool is idempotent or read-only, or the error is ToolError(retryable=True).

    Attributes:
        attempts: Tries in all, the first included.
        wait: Seconds before the second try; doubled each time, with full jitter.
        max_wait: Longest wait in seconds.
        on: Exception types that are worth another try.
    """

    attempts: int = 3
    wait: float = 0.5
    max_wait: float = 30.0
    on: tuple[type[BaseException], ...] = (OSError, TimeoutError)


class Tool(Generic[P, R]):
    """A named capability: description, input schema, body.

    Stays callable as the function it wraps, and binds on a class like a method.
    Schemas are derived when they are first asked for.

    Attributes:
        name: The tool's own name; a board may offer it under another.
        execute: The body; None for a tool that is only shown.
        prepare: Changes the model's arguments before they are validated; gets a
            private copy and returns the arguments to go on with.
        execution: sequential makes every batch that calls it run in order.
        runner: inline, thread, or the name of a runner; None means inline for async
            functions and thread for others.
        timeout: Seconds; None means the board's.
        retry: How often to try again; None means never.
        resources: Templates over the arguments, such as "file:{path}": calls that
            share one run one after the other.
        hidden: The parameters that the model never sees.
    """

    __slots__ = (
        "__weakref__",
        "_annotations",
        "_definition",
        "_derived",
        "_description",
        "_hidden",
        "_label",
        "_output_schema",
        "_schema",
        "_tags",
        "execute",
        "execution",
        "name",
        "prepare",
        "resources",
        "retry",
        "runner",
        "timeout",
    )

    def __init__(
        self,
        execute: Callable[P, R] | None,
        *,
        name: str | None = None,
        description: str | None = None,
        input_schema: Mapping[str, Any] | None = None,
        output_schema: Mapping[str, Any] | None = None,
        annotations: ToolAnnotations = ToolAnnotations(),  # noqa: B008 - it is frozen
        label: str | None = None,
        tags: Sequence[str] = (),
        prepare: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None,
        execution: Execution = "parallel",
        runner: str | None = None,
        timeout: float | None = None,
        retry: Retry | None = None,
        resources: Sequence[str] = (),
    ) -> None:
        if execute is not None and not callable(execute):
            raise UsageError(f"a tool needs a callable, not {type(execute).__name__!r}")
        if execution not in ("parallel", "sequential"):
            known = "'parallel' or 'sequential'"
            raise UsageError(f"execution is {known}, not {execution!r}")
        self.execute = execute
        self.name = name or _name_of(execute)
        self.prepare = prepare
        self.execution = execution
        self.runner = runner
        self.timeout = timeout
        self.retry = retry
        self.resources = tuple(resources)
        self._description = description
        self._schema = None if input_schema is None else freeze(dict(input_schema))
        self._output_schema = output_schema and freeze(dict(output_schema))
        self._annotations = annotations
        self._label = label
        self._tags = tuple(tags)
        self._definition: ToolDefinition | None = None
        self._derived: _signatures.Derived | None = None
        self._hidden: Hidden | None = None

    @classmethod
    def from_schema(
        cls,
        name: str,
        description: str,
        schema: Mapping[str, Any],
        function: Callable[..., Any] | None,
        **options: Any,
    ) -> Tool[..., Any]:
        """Make a tool of a JSON Schema and a function.

        Args:
            name: The tool's name.
            description: What the model reads.
            schema: JSON Schema of the arguments; copied.
            function: Takes the arguments as one dict, or bound to the type of its one
                parameter; None for a tool that is only shown.
            options: As for `tool`.
        """
        made: Tool[..., Any] = Tool(
            function, name=name, description=description, input_schema=schema, **options
        )
        return made

    @property
    def definition(self) -> ToolDefinition:
        """All that a model may know of the tool.

        Raises:
            UsageError: the signature cannot be described; names the parameter.
        """
        if self._definition is None:
            self._definition = self._define()
        return self._definition

    def _define(self) -> ToolDefinition:
        description, schema, output = (
            self._description,
            self._schema,
            self._output_schema,
        )
        if description is None:
            description = _functions.describe(self.execute)[0] if self.execute else ""
        if output is None and self.execute and self._schema is None:
            output = _signatures.derive_output(self.execute)
        return ToolDefinition(
            name=self.name,
            description=description,
            input_schema=dict(self.derived.input_schema if schema is None else schema),
            output_schema=None if output is None else dict(output),
            annotations=self._annotations,
            label=self._label,
            tags=self._tags,
        )

    @property
    def derived(self) -> _signatures.Derived:
        """What the signature says: schema and binder (not for a given schema)."""
        if self._derived is None:
            if self.execute is None:
                raise UsageError(f"tool {self.name!r} has neither schema nor function")
            self._derived = _signatures.derive(self.execute, self.hidden)
        return self._derived

    @property
    def hidden(self) -> Hidden:
        """The parameters annotated with ToolContext or Injected."""
        if self._hidden is None:
            found = _functions.find_hidden(self.execute) if self.execute else Hidden()
            self._hidden = found
        return self._hidden

    @property
    def typed(self) -> bool:
        """Whether the schema comes from the signature."""
        return self._schema is None

    @property
    def is_async(self) -> bool:
        """Whether the body is a coroutine function or an async generator."""
        inner = _functions.unwrap(self.execute) if self.execute else None
        return inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)

    @property
    def read_only(self) -> bool:
        """Whether the tool says that it changes nothing."""
        return self._annotations.read_only is True

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function as if it had never been decorated."""
        if self.execute is None:
            raise UsageError(f"tool {self.name!r} has no body")
        return self.execute(*args, **kwargs)

    @overload
    def __get__(self, instance: None, owner: type) -> Tool[P, R]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Tool[..., R]: ...
    def __get__(self, instance: object | None, owner: type) -> Tool[..., R]:
        """Return the tool bound to an instance, as a method would be."""
        if instance is None or not inspect.isfunction(self.execute):
            return self
        bound: Tool[..., R] = Tool.__new__(Tool)
        for slot in Tool.__slots__[1:]:
            setattr(bound, slot, getattr(self, slot))
        bound.execute = self.execute.__get__(instance, owner)
        bound._definition = bound._derived = bound._hidden = None
        return bound

    @property
    def __wrapped__(self) -> Callable[P, R] | None:
        """The function, for inspect and for documentation tools."""
        return self.execute

    def __getattr__(self, name: str) -> Any:
        # Only what the function carries as a function: its module, docstring, names.
        if name in ("__name__", "__qualname__", "__module__", "__annotations__"):
            return getattr(_functions.unwrap(self.execute or type(self)), name)
        raise AttributeError(f"'Tool' object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<Tool {self.name!r}>"


def _name_of(function: Any) -> str:
    inner = _functions.unwrap(function) if function is not None else None
    name: str = getattr(inner, "__name__", "")
    if name == "__call__":
        name = type(function).__name__
    if not name or name == "<lambda>":
        raise UsageError(
            f"{function!r} has no name of its own; pass name='...' to make it a tool"
        )
    return name


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...
@overload
def tool(
    function: None = None, /, **options: Any
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
@overload
def tool(function: Callable[P, R], /, **options: Any) -> Tool[P, R]: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Turn a function into a Tool; with or without arguments.

    Args:
        function: The function, method, partial or callable object.
        options: name, description, output_schema, label, tags, prepare, execution,
            runner, timeout, retry, resources as for Tool; annotations, or the four
            hints of ToolAnnotations by themselves (`read_only=True`).

    Raises:
        UsageError: the function has no name, or an option does not exist.
    """
    if function is None:
        return functools.partial(tool, **options)
    hints = {
        name: options.pop(name)
        for name in ("read_only", "destructive", "idempotent", "open_world")
        if name in options
    }
    if hints:
        if "annotations" in options:
            raise UsageError(f"give annotations or {', '.join(hints)}, not both")
        options["annotations"] = ToolAnnotations(**hints)
    try:
        return Tool(function, **options)
    except TypeError as error:
        raise UsageError(
            f"tool({_name_of(function)}): {str(error).partition(' ')[2]}"
        ) from None
