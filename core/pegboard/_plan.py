"""The plan of one tool: everything that each of its calls needs, decided once."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pegboard._arguments import ArgumentSchema
from pegboard._functions import Hidden
from pegboard._plugins import Implementation
from pegboard._slots import Slots
from pegboard.calls import PreparedCall
from pegboard.decisions import Abort
from pegboard.middleware import Middleware
from pegboard.protocols import Runner
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition
from pegboard.tools import Retry

Step = Callable[[PreparedCall], Coroutine[Any, Any, ToolResult]]


@dataclass(frozen=True, slots=True)
class Layer:
    """One middleware with whoever brought it."""

    middleware: Middleware
    plugin: str
    part: str


@dataclass(frozen=True, slots=True)
class CallHooks:
    """The hook implementations that take part in one tool's calls.

    Attributes:
        prepare: Change arguments, outside in: function, plugin, and whether it is a
            hook (the tool's own prepare is not).
        before: Guards, outside in.
        after: Rewriters, inside out.
        inject: Givers of hidden values, outside in.
        observed: Whether anybody looks at events.
    """

    prepare: tuple[tuple[Callable[..., Any], str, bool], ...] = ()
    before: tuple[Implementation, ...] = ()
    after: tuple[Implementation, ...] = ()
    inject: tuple[Implementation, ...] = ()
    observed: bool = False


@dataclass(slots=True, eq=False)
class Plan:
    """Everything that one call of one tool needs.

    Attributes:
        tool: The definition as it is offered.
        function: The body; None for a tool that is only shown.
        is_valid: Decides over arguments.
        is_closed: Whether the schema lets nothing too deep or out of range through.
        schema: Coerces and explains, when `is_valid` said no.
        bind: Valid arguments -> `(args, kwargs)`; None if the body takes the dict.
        single: The one parameter that takes all arguments (a schema written by hand).
        hidden: Parameters that the model never sees.
        hooks: Who prepares, guards, rewrites.
        layers: Middlewares, outside in.
        runner: Where the body runs; None for an async function on the loop.
        timeout: Seconds, None for no limit.
        output: Checks `data`; None if nothing was promised.
        slots: What bounds its bodies in flight.
        secrets: Values of hidden parameters that the settings grant.
        grace: Seconds for the cleanup of a body that is told to stop.
        chain: The layers folded around the body.
        prepare, before, after, inject: Those of `hooks`, one step nearer.
        guards, rewriters: The functions of `before` and `after`, two steps nearer.
        watched: Whether anybody at all takes part in its calls.
        attended: Whether something must be awaited before the chain.
        plain: Whether the body is an async function that wants nothing but arguments.
        bare: Whether nobody but the body has a part in its calls.
        free: Whether the body waits for nothing: no slot, no resource, no runner.
        asked: Whether guards are all that stands before the chain.
        begins_late: Whether its time counts from when the runner says so.
    """

    tool: ToolDefinition
    function: Callable[..., Any] | None
    is_valid: Callable[[Any], bool]
    is_closed: bool
    schema: ArgumentSchema
    bind: Callable[[Any], Any] | None
    single: str | None
    hidden: Hidden
    hooks: CallHooks
    layers: tuple[Layer, ...]
    runner: Runner | None
    runner_name: str
    timeout: float | None
    retry: Retry | None
    resources: tuple[str, ...]
    execution: str
    strict: bool
    updates: bool
    max_result_bytes: int
    output: Callable[[Any], bool] | None
    slots: tuple[Slots, ...]
    secrets: Mapping[str, str] = field(default_factory=dict)
    chain: Step = field(init=False)
    grace: float = 5.0
    prepare: tuple[tuple[Callable[..., Any], str, bool], ...] = field(init=False)
    before: tuple[Implementation, ...] = field(init=False)
    after: tuple[Implementation, ...] = field(init=False)
    inject: tuple[Implementation, ...] = field(init=False)
    guards: tuple[Callable[..., Any], ...] = field(init=False)
    rewriters: tuple[Callable[..., Any], ...] = field(init=False)
    watched: bool = field(init=False)
    attended: bool = field(init=False)
    plain: bool = field(init=False)
    bare: bool = field(init=False)
    free: bool = field(init=False)
    asked: bool = field(init=False)
    begins_late: bool = field(init=False)

    def __post_init__(self) -> None:
        hooks = self.hooks
        self.prepare, self.before = hooks.prepare, hooks.before
        self.after, self.inject = hooks.after, hooks.inject
        self.guards = tuple(item.function for item in hooks.before)
        self.rewriters = tuple(item.function for item in hooks.after)
        takes_part = (hooks.prepare, hooks.before, hooks.after, self.layers)
        self.watched = hooks.observed or any(takes_part)
        self.attended = bool(
            hooks.prepare or hooks.before or self.hidden.injected or self.resources
        )
        others = hooks.prepare or self.hidden.injected or self.resources
        self.asked = bool(hooks.before) and not others
        self.plain = (
            self.runner is None and self.retry is None and not self.hidden.names
        )
        has_body = self.function is not None
        self.free = self.plain and has_body and not (self.slots or self.resources)
        self.bare = self.plain and not (
            self.watched or self.attended or self.slots or self.hooks.inject
        )
        self.begins_late = getattr(self.runner, "begins_late", False)


def fold(layers: Iterable[Layer], innermost: Step) -> Step:
    """Return the layers folded around the innermost step, the first outermost."""
    step = innermost
    for layer in reversed(tuple(layers)):
        step = _wrap(layer, step)
    return step


def _wrap(layer: Layer, inner: Step) -> Step:
    middleware, plugin = layer.middleware, layer.plugin

    async def step(call: PreparedCall) -> ToolResult:
        try:
            result: Any = await middleware(call, inner)
            if type(result) is not ToolResult:
                kind = type(result).__name__
                raise TypeError(f"middleware returned {kind!r}, not a ToolResult")
            if result.status == "deferred":
                raise TypeError("only before_tool_call may defer a call")
            if result.call is None and result.by is None:
                return result.replace(by=plugin)
            return result
        except BaseException as error:
            _blame(error, plugin, call)
            raise
        finally:
            result = None  # its exception's traceback leads here: a circle otherwise

    return step


def _blame(error: BaseException, plugin: str, call: Any) -> None:
    """Note who failed: the innermost layer that was handed a call and let it out."""
    if type(call) is not PreparedCall or hasattr(error, "pegboard_layer"):
        return
    if isinstance(error, Abort):
        call._state.run.abort(error)  # whatever the layers outside make of it
    try:
        error.pegboard_layer = plugin  # type: ignore[attr-defined]  # read by the net
    except AttributeError:
        pass  # an exception with slots: then the outer net says "a middleware"
