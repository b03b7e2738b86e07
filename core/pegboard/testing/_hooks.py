"""What the hooks of one plugin promise: each is asked by itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pegboard._plugins import PluginSet
from pegboard.calls import PreparedCall
from pegboard.decisions import Abort, Block, Defer, Respond
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition
from pegboard.testing._definitions import Report
from pegboard.testing._layers import check_layer
from pegboard.testing._promises import Broken
from pegboard.testing._samples import sample_events, sample_results

#: Seconds that one hook may take at all.
LIMIT = 10.0
NOBODYS = "PEGBOARD_TESTING_NOBODY_GRANTED_THIS"
_FAILED = object()

_COST = {
    "prepare_arguments": "every such call would end as hook_failed",
    "before_tool_call": "every such call would be refused",
    "after_tool_call": "the result of every such call would be withheld",
    "tool_middleware": "no call of that tool would run",
    "inject": "every call that needs a value would end as hook_failed",
    "on_event": "where the plugin is required, every batch would be aborted",
}


class HookCheck:
    """Asks the hooks of one plugin and notes what they do.

    Args:
        plugins: The set that the plugin is in.
        name: The plugin's name.
        report: Makes a broken promise of the plugin's.
        budget: Seconds that the sync part of a hook may take.

    Attributes:
        broken: What was found, once a hook and promise.
    """

    def __init__(
        self, plugins: PluginSet, name: str, report: Report, budget: float
    ) -> None:
        self._plugins = plugins
        self._name = name
        self._report = report
        self._budget = budget
        self._fastest: dict[str, float] = {}
        self._found: dict[tuple[str, str], Broken] = {}

    @property
    def broken(self) -> list[Broken]:
        """What was found, in the order found."""
        return list(self._found.values())

    def _note(self, hook: str, promise: str, message: str, remedy: str) -> None:
        broken = self._report(promise, f"{hook} {message}", remedy)
        self._found.setdefault((hook, promise), broken)

    async def check(
        self, tools: Iterable[ToolDefinition], calls: Sequence[PreparedCall]
    ) -> None:
        """Ask every hook about these tools and calls, and about sample events."""
        for call in calls:
            await self._ask("prepare_arguments", (call,), (Mapping,))
            await self._ask("before_tool_call", (call,), (Block, Respond, Defer))
            for result in sample_results(call.sent):
                await self._ask("after_tool_call", (call, result), (ToolResult,))
        for event in sample_events(calls):
            await self._ask("on_event", (event,), None)
        for tool in tools:
            if await self._ask("inject", (tool, NOBODYS), (object,)) is not None:
                self._note(
                    "inject",
                    "granted",
                    f"gives a value for {NOBODYS!r}, a name it cannot know",
                    "Return None for every name that is not yours to give.",
                )
            await self._check_layers(tool, calls)
        self._check_budget()

    async def _ask(
        self, hook: str, args: tuple[Any, ...], kinds: tuple[type, ...] | None
    ) -> Any:
        """Return what an implementation returned; None if there is none, or it failed.

        Args:
            hook: The hook.
            args: What it is asked about.
            kinds: What it may return besides None; None if it is ignored.
        """
        item = next(
            (i for i in self._plugins.implementations(hook) if i.plugin == self._name),
            None,
        )
        if item is None:
            return None
        before = _look(args)
        value = await self._call(hook, item.function, args)
        if _look(args) != before:
            remedy = "Work on a copy; a result is changed by returning replace(...)."
            self._note(hook, "unchanged", "changes what it is shown", remedy)
        if value is _FAILED or value is None or kinds is None:
            return None
        if not isinstance(value, kinds):
            wanted = ", ".join(kind.__name__ for kind in kinds)
            self._note(
                hook,
                "specs",
                f"returned {type(value).__name__!r}; {_COST[hook]}",
                f"Return {wanted} or None.",
            )
            return None
        return value

    async def _call(self, hook: str, function: Any, args: tuple[Any, ...]) -> Any:
        start = time.perf_counter()
        try:
            value = function(*args)
            took = time.perf_counter() - start
            self._fastest[hook] = min(took, self._fastest.get(hook, took))
            if hasattr(value, "__await__"):
                if hook in ("on_event", "tool_middleware"):
                    value.close()
                    raise TypeError("it returned an awaitable, and nobody awaits it")
                value = await asyncio.wait_for(value, LIMIT)
        except Abort:  # on purpose: it ends a batch
            return None
        except BaseException as error:
            said = f"{type(error).__name__}: {error}".rstrip(": ")
            self._note(
                hook,
                "closed",
                f"raised {said} for {_shown(args)}; {_COST[hook]}",
                "Handle whatever a model may send and a tool may give.",
            )
            return _FAILED
        return value

    async def _check_layers(
        self, tool: ToolDefinition, calls: Iterable[PreparedCall]
    ) -> None:
        found = await self._ask("tool_middleware", (tool,), (object,))
        if found is None:
            return
        call = next(
            (c for c in calls if c.tool is not None and c.tool.id == tool.id), None
        )
        layers = [found] if callable(found) else found
        try:
            layers = list(layers)
        except TypeError:
            layers = [found]
        for layer in layers:
            if not callable(layer):
                remedy = "Return async functions (call, call_next), or None."
                message = f"returned {type(layer).__name__!r}, which is no middleware"
                self._note("tool_middleware", "specs", message, remedy)
            elif call is not None:
                async for promise, message, remedy in check_layer(layer, call):
                    self._note("its middleware", promise, message, remedy)

    def _check_budget(self) -> None:
        for hook, took in self._fastest.items():
            if took > self._budget:
                self._note(
                    hook,
                    "budget",
                    f"took {took:.3f} s at best, more than {self._budget:g} s; nothing"
                    " else runs meanwhile",
                    "Make it async and await what takes long, or do it once at load.",
                )


def _look(args: tuple[Any, ...]) -> list[str]:
    """Return a text of all that an implementation could change in place."""
    seen = []
    for arg in args:
        if isinstance(arg, PreparedCall):
            seen.append(repr(arg.metadata))
        elif isinstance(arg, ToolResult):
            seen.append(repr(arg.to_dict()))
        else:
            inner = (getattr(arg, key, None) for key in ("call", "result"))
            seen += _look(tuple(part for part in inner if part is not None))
    return seen


def _shown(args: tuple[Any, ...]) -> str:
    first = args[0]
    if isinstance(first, PreparedCall):
        shown = f"{first.name}({dict(first.arguments or {})!r})"
        return shown if len(shown) <= 100 else shown[:97] + "..."
    if isinstance(first, ToolDefinition):
        return f"tool {first.name!r}"
    return type(first).__name__
