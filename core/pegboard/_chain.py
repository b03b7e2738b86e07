"""The chain of one tool: everything a call of it needs, decided once.

Built at the tool's first call and never changed; a changed registry builds another.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pegboard import _signatures
from pegboard._arguments import ArgumentSchema, compile_output
from pegboard._plugins import Implementation, PluginSet
from pegboard._registry import Entry, Registry
from pegboard._slots import Slots
from pegboard.calls import PreparedCall
from pegboard.decisions import Abort
from pegboard.errors import PegboardError, ToolError, UsageError
from pegboard.middleware import Middleware
from pegboard.protocols import Runner
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition
from pegboard.settings import Settings, ToolSettings
from pegboard.tools import Retry, Tool

Step = Callable[[PreparedCall], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class Layer:
    """One middleware with whoever brought it."""

    middleware: Middleware
    plugin: str
    part: str


@dataclass(slots=True, eq=False)
class Plan:
    """Everything that one call of one tool needs.

    Attributes:
        tool: The definition as it is offered.
        function: The body; None for a tool that is only shown.
        is_valid: Decides over arguments.
        schema: Coerces and explains, when `is_valid` said no.
        bind: Valid arguments -> `(args, kwargs)`; None if the body takes the dict.
        single: The one parameter that takes all arguments (a schema written by hand).
        hidden: Parameters that the model never sees.
        prepare: Hooks that change arguments, and the tool's own.
        before: Guards. after: Rewriters, inside out. inject: Givers of hidden values.
        layers: Middlewares, outside in. chain: The same, folded around the body.
        runner: Where the body runs; None for an async function on the loop.
        timeout: Seconds, None for no limit.
        output: Checks `data`; None if nothing was promised.
        slots: What bounds its bodies in flight.
        watched: Whether anybody at all takes part in its calls.
        attended: Whether something must be awaited before the chain.
        plain: Whether the body is an async function that wants nothing but arguments.
    """

    tool: ToolDefinition
    function: Callable[..., Any] | None
    is_valid: Callable[[Any], bool]
    schema: ArgumentSchema
    bind: Callable[[Any], Any] | None
    single: str | None
    hidden: _signatures.Hidden
    prepare: tuple[tuple[Callable[..., Any], str, bool], ...]
    before: tuple[Implementation, ...]
    after: tuple[Implementation, ...]
    inject: tuple[Implementation, ...]
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
    watched: bool
    attended: bool
    plain: bool
    secrets: Mapping[str, str] = field(default_factory=dict)
    chain: Step = field(init=False)


class ChainBuilder:
    """Builds the plans of one executor's tools.

    Args:
        registry: Where the tools are.
        plugins: Whose hooks take part.
        middlewares: Passed in code: inside all plugins', the first one innermost.
        runners: Name -> runner.
        run_body: The innermost step.
        slots: `(identity, limit)` -> what bounds a tool's bodies.
        grants: `(plugin, name)` -> a granted secret, or None.
    """

    def __init__(
        self,
        registry: Registry,
        plugins: PluginSet,
        *,
        middlewares: Iterable[Middleware] = (),
        runners: Mapping[str, Runner],
        run_body: Step,
        slots: Callable[[str, int | None], tuple[Slots, ...]],
        grants: Callable[[str, str], str | None] = lambda plugin, name: None,
    ) -> None:
        self._registry = registry
        self._plugins = plugins
        self._middlewares = tuple(middlewares)
        self._runners = runners
        self._run_body = run_body
        self._slots = slots
        self._grants = grants

    def build(self, entry: Entry) -> Plan:
        """Build the plan of a tool.

        Raises:
            ToolError: the tool cannot be called; code tool_unavailable or hook_failed.
        """
        try:
            tool = entry.tool
        except PegboardError as error:
            raise _unavailable(entry, str(error)) from error
        definition = self._registry.define(entry)
        if definition is None:
            raise _unavailable(entry, entry.unavailable)
        settings, over = self._registry.settings, self._registry.overrides(entry)
        runner_name = over.runner or tool.runner or _default_runner(tool)
        plan = self._assemble(entry, tool, definition, settings, over, runner_name)
        plan.chain = fold(plan.layers, self._run_body)
        return plan

    def _assemble(
        self,
        entry: Entry,
        tool: Tool[..., Any],
        definition: ToolDefinition,
        settings: Settings,
        over: ToolSettings,
        runner_name: str,
    ) -> Plan:
        plugins = self._plugins
        hidden = tool.hidden
        schema = self._compile(entry, definition, hidden)
        single, bind = self._binder(entry, tool, hidden)
        layers = self._layers(definition)
        prepare = [
            (item.function, item.plugin, True)
            for item in plugins.implementations("prepare_arguments")
        ]
        if tool.prepare is not None:
            prepare.append((tool.prepare, entry.plugin, False))
        before = plugins.implementations("before_tool_call")
        after = tuple(reversed(plugins.implementations("after_tool_call")))
        observed = bool(plugins.implementations("on_event"))
        runner = self._runner(entry, tool, runner_name)
        retry = _retry(tool, over)
        resources = tool.resources if over.resources is None else over.resources
        return Plan(
            tool=definition,
            function=tool.execute,
            is_valid=schema.is_valid,
            schema=schema,
            bind=bind,
            single=single,
            hidden=hidden,
            prepare=tuple(prepare),
            before=before,
            after=after,
            inject=self._injectors(entry) if hidden.injected else (),
            layers=layers,
            runner=runner,
            runner_name=runner_name,
            timeout=_first(over.timeout, tool.timeout, settings.timeout) or None,
            retry=retry,
            resources=resources,
            execution=over.execution or tool.execution,
            strict=(over.arguments or settings.arguments) == "strict",
            updates=settings.updates if over.updates is None else over.updates,
            max_result_bytes=over.max_result_bytes or settings.max_result_bytes,
            output=_output_check(definition),
            slots=self._slots(entry.id, over.max_concurrency),
            watched=bool(prepare or before or after or layers or observed),
            attended=bool(prepare or before or hidden.injected or resources),
            plain=runner is None and retry is None and not hidden.names,
            secrets=self._granted(entry, hidden),
        )

    def _compile(
        self, entry: Entry, definition: ToolDefinition, hidden: _signatures.Hidden
    ) -> ArgumentSchema:
        try:
            schema = ArgumentSchema(definition.input_schema, hidden=hidden.names)
        except ValueError as error:
            self._registry.give_up(entry, f"its input schema is invalid: {error}")
            raise _unavailable(entry, entry.unavailable) from error
        for note in schema.notes:
            self._registry.note(entry, note)
        return schema

    def _binder(
        self, entry: Entry, tool: Tool[..., Any], hidden: _signatures.Hidden
    ) -> tuple[str | None, Callable[[Any], Any] | None]:
        if tool.execute is None:
            return None, None
        if tool.typed:
            return None, tool.derived.bind
        try:
            return _signatures.bind_single(tool.execute, hidden)
        except UsageError as error:
            self._registry.give_up(entry, str(error))
            raise _unavailable(entry, str(error)) from error

    def _runner(self, entry: Entry, tool: Tool[..., Any], name: str) -> Runner | None:
        inner = _signatures.unwrap(tool.execute) if tool.execute else None
        if name == "inline" and inspect.iscoroutinefunction(inner):
            return None
        runner = self._runners.get(name)
        if runner is None:
            known = ", ".join(sorted(self._runners))
            raise _unavailable(
                entry, f"its runner {name!r} is not installed; there are {known}"
            )
        if runner.remote and self._plugins.get(entry.plugin) is None:
            raise _unavailable(
                entry,
                f"runner {name!r} finds a body again by plugin and tool name, and this"
                " tool was passed in code; put it into a tool pack, or use"
                " runner='thread'",
            )
        return runner

    def _layers(self, definition: ToolDefinition) -> tuple[Layer, ...]:
        layers: list[Layer] = []
        for item in self._plugins.implementations("tool_middleware"):
            try:
                found = item.function(definition)
                for middleware in _listed(found):
                    layers.append(Layer(middleware, item.plugin, item.part))
            except (KeyboardInterrupt, Abort):
                raise
            except BaseException as error:
                raise ToolError(
                    f"{definition.name} did not run: plugin {item.plugin!r} failed in"
                    f" tool_middleware ({type(error).__name__})",
                    code="hook_failed",
                    details={"plugin": item.plugin},
                ) from error
        layers += [
            Layer(middleware, "code", "code")
            for middleware in reversed(self._middlewares)
        ]
        return tuple(layers)

    def _injectors(self, entry: Entry) -> tuple[Implementation, ...]:
        allowed = []
        for item in self._plugins.implementations("inject"):
            plugin = self._plugins.get(item.plugin)
            if plugin is None or plugin.kind != "tools" or plugin.name == entry.plugin:
                allowed.append(item)
        return tuple(allowed)

    def _granted(self, entry: Entry, hidden: _signatures.Hidden) -> Mapping[str, str]:
        found = {}
        for name in hidden.injected.values():
            value = self._grants(entry.plugin, name)
            if value is not None:
                found[name] = value
        return found


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
            result = await middleware(call, inner)
        except Exception as error:
            # The innermost layer that lets it out is the one that is named.
            if not hasattr(error, "pegboard_layer"):
                _blame(error, plugin)
            raise
        if type(result) is not ToolResult:
            wrong = TypeError(
                f"middleware returned {type(result).__name__!r}, not a ToolResult"
            )
            _blame(wrong, plugin)
            raise wrong
        return result

    return step


def _blame(error: BaseException, plugin: str) -> None:
    try:
        error.pegboard_layer = plugin  # type: ignore[attr-defined]  # read by the net
    except AttributeError:
        pass  # an exception with slots: then the outer net says "a middleware"


def _listed(found: Any) -> list[Middleware]:
    if found is None:
        return []
    layers = [found] if callable(found) else list(found)
    for layer in layers:
        if not callable(layer):
            raise TypeError(f"{type(layer).__name__!r} is no middleware")
    return layers


def _default_runner(tool: Tool[..., Any]) -> str:
    return "inline" if tool.is_async else "thread"


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _retry(tool: Tool[..., Any], over: ToolSettings) -> Retry | None:
    changed = over.retry
    if changed is None:
        return tool.retry
    start = tool.retry or Retry()
    return Retry(
        start.attempts if changed.attempts is None else changed.attempts,
        start.wait if changed.wait is None else changed.wait,
        start.max_wait if changed.max_wait is None else changed.max_wait,
        start.on,
    )


_PLAIN_TYPES: Mapping[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "string": (str,),
}


def _output_check(definition: ToolDefinition) -> Callable[[Any], bool] | None:
    schema = definition.output_schema
    if schema is None:
        return None
    if len(schema) == 1 and schema.get("type") in _PLAIN_TYPES:
        # What a plain annotation promises needs no compiled validator (5 KB each).
        return functools.partial(_is_plain, _PLAIN_TYPES[schema["type"]])
    try:
        return compile_output(schema)
    except ValueError as error:
        raise ToolError(
            f"{definition.name} is unavailable: its output schema is invalid: {error}",
            code="tool_unavailable",
        ) from error


def _is_plain(kinds: tuple[type, ...], value: Any) -> bool:
    return type(value) in kinds


def _unavailable(entry: Entry, reason: str) -> ToolError:
    return ToolError(
        f"{entry.offered} is unavailable: {reason}", code="tool_unavailable"
    )
