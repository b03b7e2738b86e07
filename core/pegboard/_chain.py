"""The chain of one tool: everything a call of it needs, decided once.

Built at the tool's first call and never changed; a changed registry builds another.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pegboard import _signatures
from pegboard._arguments import ArgumentSchema, compile_output, is_closed
from pegboard._entries import Entry
from pegboard._functions import Hidden, unwrap
from pegboard._plan import CallHooks, Layer, Plan, Step, fold
from pegboard._plugins import Implementation, PluginSet
from pegboard._registry import Registry
from pegboard._slots import Slots
from pegboard.decisions import Abort
from pegboard.errors import PegboardError, ToolError, UsageError
from pegboard.middleware import Middleware
from pegboard.protocols import Runner
from pegboard.schemas import ToolDefinition
from pegboard.settings import ToolSettings
from pegboard.tools import Retry, Tool


class ChainBuilder:
    """Builds the plans of one executor's tools.

    Args:
        registry: Where the tools are.
        plugins: Whose hooks take part.
        middlewares: Passed in code: inside all plugins', the first one innermost.
        runners: Name -> runner.
        run_body: The innermost step.
        slots: `(identity, limit, runner)` -> what bounds a tool's bodies.
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
        slots: Callable[[str, int | None, str], tuple[Slots, ...]],
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
        over = self._registry.overrides(entry)
        plan = self._assemble(entry, tool, definition, over)
        plan.chain = fold(plan.layers, self._run_body)
        return plan

    def _assemble(
        self,
        entry: Entry,
        tool: Tool[..., Any],
        definition: ToolDefinition,
        over: ToolSettings,
    ) -> Plan:
        settings, hidden = self._registry.settings, tool.hidden
        schema = self._compile(entry, definition, hidden)
        single, bind = self._binder(entry, tool, hidden)
        runner_name = over.runner or tool.runner or _default_runner(tool)
        return Plan(
            tool=definition,
            function=tool.execute,
            is_valid=schema.is_valid,
            is_closed=is_closed(definition.input_schema),
            schema=schema,
            bind=bind,
            single=single,
            hidden=hidden,
            hooks=self._hooks_of(entry, tool, hidden),
            layers=self._layers(definition),
            runner=self._runner(entry, tool, runner_name),
            runner_name=runner_name,
            timeout=_first(over.timeout, tool.timeout, settings.timeout) or None,
            retry=_retry(tool, over),
            resources=tool.resources if over.resources is None else over.resources,
            execution=over.execution or tool.execution,
            strict=(over.arguments or settings.arguments) == "strict",
            updates=settings.updates if over.updates is None else over.updates,
            max_result_bytes=over.max_result_bytes or settings.max_result_bytes,
            output=_output_check(definition),
            slots=self._slots(entry.id, over.max_concurrency, runner_name),
            secrets=self._granted(entry, hidden),
            grace=settings.grace,
        )

    def _hooks_of(
        self, entry: Entry, tool: Tool[..., Any], hidden: Hidden
    ) -> CallHooks:
        plugins = self._plugins
        prepare = [
            (item.function, item.plugin, True)
            for item in plugins.implementations("prepare_arguments")
        ]
        if tool.prepare is not None:
            prepare.append((tool.prepare, entry.plugin, False))
        return CallHooks(
            prepare=tuple(prepare),
            before=plugins.implementations("before_tool_call"),
            after=tuple(reversed(plugins.implementations("after_tool_call"))),
            inject=self._injectors(entry) if hidden.injected else (),
            observed=bool(plugins.implementations("on_event")),
        )

    def _compile(
        self, entry: Entry, definition: ToolDefinition, hidden: Hidden
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
        self, entry: Entry, tool: Tool[..., Any], hidden: Hidden
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
        inner = unwrap(tool.execute) if tool.execute else None
        if name == "inline" and inspect.iscoroutinefunction(inner):
            return None
        runner = self._runners.get(name)
        if runner is None:
            known = ", ".join(sorted(self._runners))
            raise _unavailable(
                entry, f"its runner {name!r} is not installed; there are {known}"
            )
        plugin = self._plugins.get(entry.plugin)
        if runner.remote and (plugin is None or plugin.kind == "code"):
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

    def _granted(self, entry: Entry, hidden: Hidden) -> Mapping[str, str]:
        found = {}
        for name in hidden.injected.values():
            value = self._grants(entry.plugin, name)
            if value is not None:
                found[name] = value
        return found


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
