"""Runs calls: the one door behind every other, for one call, a batch, or a stream."""

from __future__ import annotations

import asyncio
import copy
import itertools
import os
import secrets
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
)
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from pegboard._chain import ChainBuilder
from pegboard._execution.body import run_body
from pegboard._execution.door import Door
from pegboard._execution.run import Run
from pegboard._execution.stream import Stream
from pegboard._inbox import Inbox
from pegboard._plan import Plan
from pegboard._plugins import Plugin, PluginSet, name_of
from pegboard._registry import Registry
from pegboard._slots import Resources, Slots
from pegboard.batches import BatchResult
from pegboard.calls import MADE_ID, Arguments, ToolCall, make_call
from pegboard.decisions import Approve, Deny
from pegboard.errors import ToolError, UnknownTool, UsageError
from pegboard.events import BatchEnd, Event
from pegboard.middleware import Middleware
from pegboard.protocols import Runner
from pegboard.results import ToolResult
from pegboard.runners import InlineRunner, ThreadRunner

T = TypeVar("T")
_ids = itertools.count(1)
_prefix = secrets.token_hex(4)


def _renew_prefix() -> None:
    global _prefix
    _prefix = secrets.token_hex(4)


os.register_at_fork(after_in_child=_renew_prefix)


class Executor:
    """Runs calls of a registry through hooks and middlewares.

    Args:
        registry: Where the tools are.
        plugins: Objects with hook implementations, or a PluginSet.
        middlewares: Inside all plugins', the first one innermost.
        runners: More places where bodies run, by name.
        grants: `(plugin, name)` -> the value of an injected parameter, or None.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        plugins: Iterable[Any] | PluginSet = (),
        middlewares: Iterable[Middleware] = (),
        runners: Mapping[str, Runner] | None = None,
        grants: Callable[[str, str], str | None] = lambda plugin, name: None,
    ) -> None:
        self.registry = registry
        self.settings = registry.settings
        self.inbox = Inbox()
        self.resources = Resources()
        self.plugins = _as_set(plugins, registry)
        self.observers = self.plugins.implementations("on_event")
        self.runners: dict[str, Runner] = {
            "inline": InlineRunner(),
            "thread": ThreadRunner(self.inbox),
            **(runners or {}),
        }
        #: While there is one, no call is made: the policy that failed.
        self.closed_by: list[ToolError] = []
        self.door = Door(self._adopted)
        self._slots: dict[str, Slots] = {}
        self._middlewares = tuple(middlewares)
        self._grants = grants
        self._renew()

    def _renew(self) -> None:
        self._plans: dict[str, Plan] = {}
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
        self.inbox.loop = loop

    @property
    def thread(self) -> int | None:
        """The thread of the loop that the executor belongs to."""
        return self.door.thread

    def view(self, registry: Registry) -> Executor:
        """Return an executor of other tools that shares all the rest."""
        view = copy.copy(self)
        view.registry = registry
        view._renew()
        return view

    # -- chains

    def plan(self, name: str) -> Plan:
        """Return the chain of the tool that is offered by a name.

        Raises:
            ToolError: there is no such tool, or it cannot be called.
        """
        if self.closed_by:
            raise self.closed_by[0]
        if self._version != self.registry.version:
            self._plans.clear()
            self._version = self.registry.version
        plan = self._plans.get(name)
        if plan is None:
            if not name:
                raise UnknownTool("This call names no tool.", name="")
            plan = self._plans[name] = self._builder.build(self.registry.resolve(name))
        return plan

    def forget_plans(self) -> None:
        """Build every chain again at its next call: plugins or runners changed."""
        self.observers = self.plugins.implementations("on_event")
        self._renew()

    def _slots_for(self, identity: str, limit: int | None) -> tuple[Slots, ...]:
        """Return what bounds a tool's bodies; views of a board share it."""
        found = []
        for key, bound in (("", self.settings.max_concurrency), (identity, limit)):
            if bound:
                found.append(self._slots.setdefault(key, Slots(bound)))
        return tuple(found)

    def new_id(self) -> str:
        """Return an id for a call that came without one."""
        return f"{MADE_ID}{_prefix}{next(_ids):x}"

    # -- running

    async def call(
        self,
        name: str,
        arguments: Arguments = None,
        *,
        id: str = "",
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> ToolResult:
        """Run one call in the caller's own context.

        Args:
            name: The tool's offered name.
            arguments: JSON as text or bytes, a mapping, or None.
            id: The call's id; made up if empty.
            metadata: What hooks and the tool may know of who asks.
            dry_run: Whether a tool that is not read-only is only previewed.

        Returns:
            The result, whatever happened.

        Raises:
            Abort: a hook or middleware raised it on purpose.
        """
        self.door.enter()
        run = Run(self, metadata=metadata, dry_run=dry_run)
        return await run.single(make_call(name, arguments, id or self.new_id()))

    async def run(
        self,
        calls: Iterable[ToolCall],
        *,
        metadata: Mapping[str, Any] | None = None,
        sequential: bool = False,
        cancel: asyncio.Event | None = None,
        dry_run: bool = False,
        max_calls: int | None = None,
    ) -> BatchResult:
        """Run the calls of one model turn.

        Args:
            calls: What the model asked for.
            metadata: What hooks and tools may know of who asks.
            sequential: Whether each call ends before the next starts.
            cancel: Ends the batch early, with complete results.
            dry_run: Whether only read-only bodies execute.
            max_calls: How many run at most; None means no limit.

        Returns:
            One result a call, in call order.

        Raises:
            Abort: a hook or middleware raised it on purpose; has the batch.
        """
        self.door.enter()
        run = Run(self, metadata=metadata, dry_run=dry_run)
        return await self.run_prepared(
            run, calls, sequential=sequential, cancel=cancel, max_calls=max_calls
        )

    async def run_prepared(
        self,
        run: Run,
        calls: Iterable[ToolCall],
        *,
        sequential: bool = False,
        cancel: asyncio.Event | None = None,
        max_calls: int | None = None,
    ) -> BatchResult:
        """Run calls as the batch that was made for them."""
        sent = [self._as_call(call) for call in calls]
        in_turn = sequential or self._must_be_sequential(sent)
        async with _watching(cancel, run):
            await run.batch(sent, sequential=in_turn, limit=max_calls)
        result = run.result()
        if run.reporter.is_heard:
            run.reporter.emit(BatchEnd(result))
        return result

    def _as_call(self, call: ToolCall) -> ToolCall:
        if not isinstance(call, ToolCall):
            raise UsageError(
                f"a batch takes ToolCalls, not {type(call).__name__!r}; a dialect's"
                " calls() makes them of a provider's answer"
            )
        if call.id:
            return call
        return ToolCall(
            call.name, call.arguments, id=self.new_id(), truncated=call.truncated
        )

    def _must_be_sequential(self, calls: list[ToolCall]) -> bool:
        if self.settings.execution == "sequential":
            return True
        for name in {call.name for call in calls}:
            try:
                if self.plan(name).execution == "sequential":
                    return True
            except ToolError:
                continue  # the call itself will say so
        return False

    @asynccontextmanager
    async def _streaming(
        self, calls: Iterable[ToolCall], options: Mapping[str, Any]
    ) -> AsyncIterator[Stream]:
        stream = Stream(lambda: run.reporter.drop())
        run = Run(
            self,
            metadata=options.get("metadata"),
            dry_run=bool(options.get("dry_run")),
            sink=stream.put,
        )
        task = asyncio.get_running_loop().create_task(
            self.run_prepared(
                run,
                calls,
                sequential=bool(options.get("sequential")),
                cancel=options.get("cancel"),
                max_calls=options.get("max_calls"),
            )
        )
        task.add_done_callback(lambda task: stream.end())
        try:
            yield stream
            await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])

    async def stream(
        self, calls: Iterable[ToolCall], **options: Any
    ) -> AsyncGenerator[Event]:
        """Run the calls as `run` does, and yield each event as it happens.

        The last one is BatchEnd. Leaving the iteration early cancels the batch.

        Args:
            calls: What the model asked for.
            options: As for `run`.
        """
        self.door.enter()
        async with self._streaming(list(calls), options) as stream:
            async for event in stream:
                yield event

    async def resume(
        self,
        batch: BatchResult,
        decisions: Mapping[int | str, Approve | Deny],
        *,
        metadata: Mapping[str, Any] | None = None,
        cancel: asyncio.Event | None = None,
    ) -> BatchResult:
        """Finish the deferred calls of a batch; finished ones never run again.

        The batch is input, not authority: each call is validated and passes every
        guard again, with `call.approval` set.

        Args:
            batch: What `run` returned, in this process or another.
            decisions: By position or by unique id: Approve or Deny. Deferred calls
                without one stay deferred.
            metadata: What hooks and tools may know of who asks.
            cancel: Ends the batch early, with complete results.
        """
        from pegboard._execution.resumption import resume

        self.door.enter()
        return await resume(self, batch, decisions, metadata=metadata, cancel=cancel)

    # -- without a loop

    def call_sync(
        self, name: str, arguments: Arguments = None, **options: Any
    ) -> ToolResult:
        """Do what `call` does, for programs without a loop."""
        return self.door.wait(
            lambda: self.call(name, arguments, **options),
            "use `await board.call(...)`",
        )

    def run_sync(self, calls: Iterable[ToolCall], **options: Any) -> BatchResult:
        """Do what `run` does, for programs without a loop, and in a notebook."""
        return self.door.wait(
            lambda: self.run(calls, **options), "use `await board.run(...)`"
        )

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


@asynccontextmanager
async def _watching(cancel: asyncio.Event | None, run: Run) -> AsyncIterator[None]:
    if cancel is None:
        yield
        return
    if cancel.is_set():
        run.halt()
    watcher = asyncio.get_running_loop().create_task(cancel.wait())
    watcher.add_done_callback(lambda task: None if task.cancelled() else run.halt())
    try:
        yield
    finally:
        watcher.cancel()
