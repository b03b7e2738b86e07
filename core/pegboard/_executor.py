"""Runs calls: the one door behind every other, for one call, a batch, or a stream."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from pegboard._chain import ChainBuilder
from pegboard._execution.alone import run_short
from pegboard._execution.batching import run_batch
from pegboard._execution.body import run_body
from pegboard._execution.caller import Caller
from pegboard._execution.door import Door
from pegboard._execution.ids import new_id
from pegboard._execution.invocation import Invocation
from pegboard._execution.run import Run
from pegboard._execution.stream import Stream
from pegboard._inbox import Inbox
from pegboard._loader import origin_of
from pegboard._plan import Plan
from pegboard._plugins import Plugin, PluginSet, name_of
from pegboard._processes import ProcessRunner
from pegboard._registry import Registry
from pegboard._slots import Resources, Slots
from pegboard._wire import Origin
from pegboard.batches import BatchResult
from pegboard.calls import Arguments, ToolCall, make_call
from pegboard.errors import ToolError, UnknownTool
from pegboard.events import Event
from pegboard.middleware import Middleware
from pegboard.protocols import Runner
from pegboard.results import ToolResult
from pegboard.runners import InlineRunner, ThreadRunner


class Executor(Caller):
    """Runs calls of a registry through hooks and middlewares.

    Args:
        registry: Where the tools are.
        plugins: Objects with hook implementations, or a PluginSet.
        middlewares: Inside all plugins', the first one innermost.
        runners: More places where bodies run, by name.
        grants: `(plugin, name)` -> the value of an injected parameter, or None.
        max_calls: Calls of one batch that are run; the rest are not started.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        plugins: Iterable[Any] | PluginSet = (),
        middlewares: Iterable[Middleware] = (),
        runners: Mapping[str, Runner] | None = None,
        grants: Callable[[str, str], str | None] = lambda plugin, name: None,
        max_calls: int | None = None,
    ) -> None:
        self.registry = registry
        self.max_calls = max_calls
        self.settings = registry.settings
        self.inbox = Inbox()
        self.resources = Resources()
        self.plugins = _as_set(plugins, registry)
        self.observers = self.plugins.implementations("on_event")
        self.runners: dict[str, Runner] = {
            "inline": InlineRunner(),
            "thread": ThreadRunner(self.inbox),
            "process": ProcessRunner(self._origin, memory=self.settings.process_memory),
            **(runners or {}),
        }
        #: While there is one, no call is made: the policy that failed.
        self.closed_by: list[ToolError] = []
        self.door = Door(self._adopted)
        self._slots: dict[str, Slots] = {}
        self._middlewares = tuple(middlewares)
        self._grants = grants
        self._renew()

    def _origin(self, name: str) -> Origin:
        plugin = self.plugins.get(name)
        assert plugin is not None  # a chain is built for those that can be found again
        return origin_of(plugin, self.settings)

    def _renew(self) -> None:
        self._plans: dict[str, Plan] = {}
        self._quiet = Run(self)
        self._registered = self.registry.store
        self._version = -1
        self._builder = ChainBuilder(
            self.registry,
            self.plugins,
            middlewares=self._middlewares,
            runners=self.runners,
            run_body=run_body,
            slots=self._slots_for,
            grants=self._grants,
        )

    def _adopted(self, loop: asyncio.AbstractEventLoop) -> None:
        # Whoever had a place on a loop that is gone does not come back to give it up.
        self.inbox.adopt(loop)
        self.resources.reset()
        for slots in self._slots.values():
            slots.reset()

    @property
    def thread(self) -> int | None:
        """The thread of the loop that the executor belongs to."""
        return self.door.thread

    def view(self, registry: Registry) -> Executor:
        """Return an executor of other tools that shares all the rest."""
        view = copy.copy(self)
        view.registry, view._entered = registry, None
        view._renew()
        return view

    # -- chains

    def plan(self, name: str) -> Plan:
        """Return the chain of the tool that is offered by a name.

        Raises:
            ToolError: there is no such tool, or it cannot be called.
        """
        if self.closed_by:
            raise self.closed_by[0].with_traceback(None)
        if self._version != self._registered.version:
            self._plans.clear()
            self._version = self._registered.version
        plan = self._plans.get(name)
        if plan is None:
            if not name:
                raise UnknownTool("This call names no tool.", name="")
            plan = self._plans[name] = self._builder.build(self.registry.resolve(name))
        return plan

    # -- batches

    async def run_prepared(
        self, run: Run, calls: Iterable[ToolCall], **options: Any
    ) -> BatchResult:
        """Run calls as the batch that was made for them; see run_batch."""
        return await run_batch(self, run, calls, **options)

    def execution_of(self, name: str) -> str:
        """Return parallel or sequential for a tool; imports no pack that is not known.

        Raises:
            PegboardError: there is no such tool, or its pack cannot be loaded.
        """
        plan = self._plans.get(name)
        if plan is not None and self._version == self._registered.version:
            return plan.execution
        entry = self.registry.resolve(name)
        return self.registry.overrides(entry).execution or entry.tool.execution

    def new_run(
        self,
        *,
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool = False,
        sink: Callable[[Event], None] | None = None,
    ) -> Run:
        """Return a batch that has not begun."""
        return Run(self, metadata=metadata, dry_run=dry_run, sink=sink)

    def new_stream(self, **options: Any) -> tuple[Run, Stream]:
        """Return a batch that has not begun, and the stream of its events."""
        stream = Stream(lambda: run.reporter.drop())
        run = self.new_run(**options, sink=stream.put)
        return run, stream

    def forget_plans(self) -> None:
        """Build every chain again at its next call: plugins or runners changed."""
        self.observers = self.plugins.implementations("on_event")
        self._renew()

    def _slots_for(
        self, identity: str, limit: int | None, runner: str
    ) -> tuple[Slots, ...]:
        """Return what bounds a tool's bodies; views of a board share it.

        The narrowest first: who waits for it holds no place that others could use.
        """
        found = []
        for key, bound in (
            (identity, limit),
            (f"runner {runner}", getattr(self.runners[runner], "limit", None)),
            ("", self.settings.max_concurrency),
        ):
            if bound:
                found.append(self._slots.setdefault(key, Slots(bound)))
        return tuple(found)

    # -- running

    @property
    def executor(self) -> Executor:
        """Itself."""
        return self

    async def ready(self) -> Executor:
        """Make the running loop the executor's, if it has none."""
        self.door.enter()
        self._entered = self
        return self

    def begin(
        self,
        name: str,
        arguments: Arguments,
        id: str,
        metadata: Mapping[str, Any] | None,
        dry_run: bool,
    ) -> Awaitable[ToolResult]:
        """Begin one call; what it returns is to be awaited at once."""
        sent = make_call(name, arguments, id or new_id())
        plan = None  # found as `known_plan` does, without a call
        if self._version == self._registered.version and not self.closed_by:
            plan = self._plans.get(name)
        if plan is not None and plan.bare and not (metadata or dry_run):
            return run_short(Invocation(self._quiet, sent, 0), plan)
        return Run(self, metadata, dry_run).single(sent, plan)

    def known_plan(self, name: str) -> Plan | None:
        """Return the chain of a tool that may be called, if it stands already."""
        if self.closed_by or self._version != self._registered.version:
            return None
        return self._plans.get(name)

    def tell(self, event: Event) -> None:
        """Tell the observers of something outside any batch."""
        Run(self).reporter.emit(event)

    # -- the end

    async def close(self) -> None:
        """Stop the runners."""
        for runner in self.runners.values():
            await runner.close()


def _as_set(plugins: Iterable[Any] | PluginSet, registry: Registry) -> PluginSet:
    if isinstance(plugins, PluginSet):
        return plugins
    settings = registry.settings
    made = PluginSet(settings.required, settings.order)
    for value in plugins:
        plugin = value if isinstance(value, Plugin) else Plugin(name_of(value), value)
        made.add(plugin)
    return made
