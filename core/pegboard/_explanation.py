"""What a call of one tool passes through, from outside in, and why in this order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from pegboard._plan import Layer, Plan
from pegboard._plugins import Implementation, PluginSet

#: Part of the order -> the reason for a place in it.
REASONS = {
    "required": "required by the organisation",
    "order": "placed by `order` in the settings",
    "name": "placed by its name",
    "code": "passed in code",
    "tool": "the tool's own",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a call passes.

    Attributes:
        plugin: Who brings it; "code" for what was passed in code.
        version: The version of the plugin's distribution, "" in code.
        distribution: That distribution, "" in code.
        part: Why it has its place: required, order, name, code or tool.
        name: Which middleware, if the plugin brings several; else the hook.
    """

    plugin: str
    version: str
    distribution: str
    part: str
    name: str

    @property
    def reason(self) -> str:
        """Why the step has its place, in words."""
        return REASONS[self.part]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that takes part in the calls of one tool, outside in.

    Attributes:
        tool: The tool's identity.
        name: The name that the model calls.
        version: The version of the distribution that brings it.
        prepare: What may change arguments, in the order it is asked.
        before: Guards, in the order they are asked.
        layers: Middlewares, the outermost first.
        after: What may change a result, in the order it is asked: inside out.
        inject: What is asked for hidden values.
        observers: What is told of events.
        runner: Where the body runs: inline, thread, process or a plugin's runner.
        timeout: Seconds that the body may take, None for no limit.
        attempts: Tries in all.
        execution: "sequential" if it makes a whole batch so.
        arguments: "coerce" or "strict".
        resources: What calls of it are kept apart by.
    """

    tool: str
    name: str
    version: str
    prepare: tuple[Step, ...]
    before: tuple[Step, ...]
    layers: tuple[Step, ...]
    after: tuple[Step, ...]
    inject: tuple[Step, ...]
    observers: tuple[Step, ...]
    runner: str
    timeout: float | None
    attempts: int
    execution: str
    arguments: str
    resources: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a JSON object."""
        return asdict(self)


def explain(plan: Plan, plugins: PluginSet) -> Explanation:
    """Return what a built plan says, with who brings what."""
    hooks = {
        hook: _steps(hook, found, plugins)
        for hook, found in (
            ("before_tool_call", plan.before),
            ("after_tool_call", plan.after),
            ("inject", plan.inject),
            ("on_event", plugins.implementations("on_event")),
        )
    }
    return Explanation(
        tool=plan.tool.id,
        name=plan.tool.name,
        version=plan.tool.version,
        prepare=_preparers(plan, plugins),
        before=hooks["before_tool_call"],
        layers=tuple(_layer(layer, plugins) for layer in plan.layers),
        after=hooks["after_tool_call"],
        inject=hooks["inject"],
        observers=hooks["on_event"],
        runner=plan.runner_name,
        timeout=plan.timeout,
        attempts=plan.retry.attempts if plan.retry else 1,
        execution=plan.execution,
        arguments="strict" if plan.strict else "coerce",
        resources=plan.resources,
    )


def _steps(
    hook: str, found: Iterable[Implementation], plugins: PluginSet
) -> tuple[Step, ...]:
    return tuple(_step(item.plugin, item.part, hook, plugins) for item in found)


def _preparers(plan: Plan, plugins: PluginSet) -> tuple[Step, ...]:
    steps = _steps(
        "prepare_arguments", plugins.implementations("prepare_arguments"), plugins
    )
    if len(plan.prepare) > len(steps):
        own = plan.prepare[-1][1]
        return (*steps, _step(own, "tool", "prepare", plugins))
    return steps


def _layer(layer: Layer, plugins: PluginSet) -> Step:
    kind = type(layer.middleware)
    name = getattr(layer.middleware, "__qualname__", kind.__qualname__)
    return _step(layer.plugin, layer.part, name, plugins)


def _step(name: str, part: str, what: str, plugins: PluginSet) -> Step:
    plugin = plugins.get(name)
    if plugin is None:
        return Step(name, "", "", part, what)
    return Step(name, plugin.version, plugin.distribution, part, what)
