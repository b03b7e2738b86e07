"""What a plugin promises: specs kept, nothing changed, everything refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from pegboard._plugins import name_of
from pegboard.board import Pegboard
from pegboard.calls import ToolCall
from pegboard.errors import PluginError, UsageError
from pegboard.events import ToolEnd
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition
from pegboard.testing._boards import make_board
from pegboard.testing._definitions import Report, check_definition
from pegboard.testing._hooks import HookCheck
from pegboard.testing._promises import Broken, demand
from pegboard.testing._recording import RecordingPlugin
from pegboard.testing._samples import (
    SAMPLE_CALLS,
    SAMPLE_TOOLS,
    prepared,
    sample_nest,
)

#: Seconds that the sync part of a hook may take.
BUDGET = 0.1


def assert_plugin_contract(
    plugin: Any,
    *,
    settings: Mapping[str, Any] | None = None,
    tools: Iterable[Any] = (),
    calls: Iterable[ToolCall] = (),
    refuses: Iterable[ToolCall] = (),
    beside: Iterable[Any] = (),
    budget: float = BUDGET,
) -> None:
    """Check that a plugin keeps what every board and every other plugin relies on.

    Its hooks are asked about sample tools, calls, results and events, and about those
    passed in. No tool's body is run but for `refuses` and `beside`.

    Args:
        plugin: An instance, a class or a module with hook implementations.
        settings: Its own table, as in `[tool.pegboard.plugins.NAME]`.
        tools: More tools that it is asked about.
        calls: More calls that it is asked about.
        refuses: Calls that it must refuse, whichever way they come.
        beside: Plugins that may stand on either side of it: each call ends the same.
        budget: Seconds that the sync part of a hook may take.

    Raises:
        ContractError: what it does not keep, each with the way out.
    """
    demand(
        check_plugin(
            plugin,
            settings=settings,
            tools=tuple(tools),
            calls=tuple(calls),
            refuses=tuple(refuses),
            beside=tuple(beside),
            budget=budget,
        )
    )


def check_plugin(
    plugin: Any,
    *,
    name: str = "",
    settings: Mapping[str, Any] | None = None,
    tools: tuple[Any, ...] = (),
    calls: tuple[ToolCall, ...] = (),
    refuses: tuple[ToolCall, ...] = (),
    beside: tuple[Any, ...] = (),
    budget: float = BUDGET,
) -> list[Broken]:
    """Return each promise of a plugin that is not kept; see assert_plugin_contract.

    With a `name`, messages call the plugin by it.
    """
    bench = _Bench(plugin, name, settings, tools)
    try:
        board = bench.board()
    except PluginError as error:
        return [bench.report("specs", str(error), "Mend the hook: docs/hooks.md.")]
    except UsageError as error:
        return [bench.report("settings", str(error), "Mend the settings' model.")]
    with board:
        broken = list(bench.check_load(board))
        broken += bench.check_hooks(board, (*calls, *refuses), budget)
    for other in beside:
        broken += bench.check_order(other, calls or SAMPLE_CALLS)
    return [*broken, *bench.check_refusals(refuses)]


class _Bench:
    """Makes boards with the plugin under test, and looks at them."""

    def __init__(
        self,
        plugin: Any,
        name: str,
        settings: Mapping[str, Any] | None,
        tools: tuple[Any, ...],
    ) -> None:
        self._plugin = plugin
        self._name = name_of(plugin)
        self._settings = dict(settings or {})
        self._tools = tools
        self.report: Report = partial(Broken, f"plugin {name or self._name!r}")

    def board(self, *others: Any, order: Iterable[str] = ()) -> Pegboard:
        """Return a board with the plugin, sample tools and those passed in."""
        own = {self._name: self._settings} if self._settings else {}
        return make_board(
            [*SAMPLE_TOOLS, sample_nest, *self._tools],
            plugins=[self._plugin, *others],
            settings={"plugins": own, "order": list(order)},
        )

    def check_load(self, board: Pegboard) -> Iterator[Broken]:
        """Yield what is wrong with its lifespan and with the tools it brings."""
        for problem in [p for p in board.problems if p.severity == "error"]:
            yield self.report("loads", problem.message, problem.remedy)
        plugins = board.executor.plugins
        plugin = plugins.get(self._name)
        assert plugin is not None  # else there would be no board
        once, twice = plugins.tools_of(plugin), plugins.tools_of(plugin)
        for tool in once:
            yield from check_definition(tool)
        if [tool.name for tool in once] != [tool.name for tool in twice]:
            yield self.report(
                "listed",
                "register_tools brings other tools the second time",
                "Bring the same ones in the same order, so that prompt caches hold.",
            )

    def check_hooks(
        self, board: Pegboard, calls: tuple[ToolCall, ...], budget: float
    ) -> list[Broken]:
        """Return what its hooks do that they should not."""
        metadata = {"user": "somebody"}
        shown = [
            prepared(call, _definition(board, call.name), metadata=metadata)
            for call in (*SAMPLE_CALLS, *calls)
        ]
        check = HookCheck(board.executor.plugins, self._name, self.report, budget)
        board.executor.door.wait(
            lambda: check.check(board.definitions(), shown), "leave the event loop"
        )
        return check.broken

    def check_order(self, other: Any, calls: tuple[ToolCall, ...]) -> Iterator[Broken]:
        """Yield the calls that end otherwise if another plugin stands outside."""
        names = (self._name, name_of(other))
        outcomes = []
        for order in (names, names[::-1]):
            with self.board(other, order=order) as board:
                outcomes.append([_outcome(board, call) for call in calls])
        for call, outside, inside in zip(calls, *outcomes, strict=True):
            if outside != inside:
                yield self.report(
                    "order",
                    f"{call.name} ends otherwise when {names[1]!r} stands outside it",
                    "Say so in its documentation, or mend it; `order` fixes the place.",
                )

    def check_refusals(self, calls: Iterable[ToolCall]) -> list[Broken]:
        """Return the ways in which calls get past it."""
        broken = []
        for call in calls:
            recording = RecordingPlugin("pegboard-testing")
            with self.board(recording) as board:
                found = board.executor.door.wait(
                    lambda: self._passed(board, recording, call),  # noqa: B023 - awaited at once
                    "leave the event loop",
                )
            shown = f"{call.name}({call.arguments!r})"
            broken += [
                self.report(
                    "refuses",
                    f"{shown} is not refused in {way}: {result.code or result.status}",
                    "Return Block or Defer from before_tool_call.",
                )
                for way, result in found
            ]
        return broken

    async def _passed(
        self, board: Pegboard, recording: RecordingPlugin, call: ToolCall
    ) -> list[tuple[str, ToolResult]]:
        passed = []
        async for way in _ways(board, call):
            for event in recording.events:
                if isinstance(event, ToolEnd) and event.call.name == call.name:
                    result = event.result
                    if result.by != self._name or result.status == "success":
                        passed.append((way, result))
            recording.steps.clear()
        return passed


async def _ways(board: Pegboard, call: ToolCall) -> AsyncIterator[str]:
    """Make a call in every way there is; yield each once it is made."""
    await board.call(call.name, call.arguments)
    yield "a single call"
    await board.run([call, call])
    yield "a batch"
    await board.run([call], sequential=True)
    yield "a sequential batch"
    await board.run([call], dry_run=True)
    yield "a dry run"
    async for _ in board.stream([call]):
        pass
    yield "a stream"
    inner = {"name": call.name, "arguments": call.arguments or {}}
    await board.call("sample_nest", inner)
    yield "a nested call"


def _definition(board: Pegboard, name: str) -> ToolDefinition | None:
    return board.registry.define(board.registry.resolve(name))


def _outcome(board: Pegboard, call: ToolCall) -> tuple[Any, ...]:
    result = board.call_sync(call.name, call.arguments, id=call.id)
    return result.status, result.code, result.content, result.data, result.details
