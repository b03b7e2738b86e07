"""Runs calls: the one door behind every other, for one call, a batch, or a stream."""

from __future__ import annotations

import asyncio
import copy
import itertools
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pegboard._arguments import parse_text
from pegboard._chain import ChainBuilder
from pegboard._execution.body import run_body
from pegboard._execution.caller import Caller
from pegboard._execution.door import Door
from pegboard._execution.invocation import Invocation
from pegboard._execution.run import Run
from pegboard._inbox import Inbox
from pegboard._plan import Plan
from pegboard._plugins import Plugin, PluginSet, name_of
from pegboard._registry import Registry
from pegboard._slots import Resources, Slots
from pegboard.batches import BatchResult
from pegboard.calls import MADE_ID, ToolCall
from pegboard.decisions import Abort
from pegboard.errors import PegboardError, ToolError, UnknownTool, UsageError
from pegboard.events import BatchEnd, Event
from pegboard.middleware import Middleware
from pegboard.protocols import Runner
from pegboard.runners import InlineRunner, ThreadRunner

_ids = itertools.count(1)
_prefix = f"{MADE_ID}{secrets.token_hex(4)}"


def _renew_prefix() -> None:
    global _prefix
    _prefix = f"{MADE_ID}{secrets.token_hex(4)}"


os.register_at_fork(after_in_child=_renew_prefix)


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

    def take_alone(self, sent: ToolCall) -> Invocation | None:
        """Take up a call in which nobody takes part; None if anybody might.

        It needs no batch of its own: no hook, observer or middleware could tell.
        """
        plan = self._plans.get(sent.name)
        if plan is None or not plan.bare or self.observers or self.closed_by:
            return None
        if self._version != self._registered.version:
            return None
        inv = Invocation(self._quiet, sent, 0)
        inv.plan = plan
        if not self._takes_at_once(inv, plan):
            try:
                inv.accept(*inv.read(self.settings.max_argument_bytes))
            except ToolError as error:
                inv.turn_down(error)
        return inv

    def _takes_at_once(self, inv: Invocation, plan: Plan) -> bool:
        """Whether the arguments are as they should be: two calls less for most."""
        text = inv.sent.arguments
        if type(text) is not str or plan.bind is None:
            return False
        try:
            value = parse_text(text, self.settings.max_argument_bytes)
            if not plan.is_valid(value):
                return False
            inv.bound = plan.bind(value)
        except Exception:  # the long way decides and explains
            return False
        return True

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

    def new_id(self) -> str:
        """Return an id for a call that came without one."""
        return f"{_prefix}{next(_ids):x}"

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

    async def run_prepared(
        self,
        run: Run,
        calls: Iterable[ToolCall],
        *,
        sequential: bool = False,
        cancel: asyncio.Event | None = None,
        max_calls: int | None = None,
        whole: Callable[[BatchResult], BatchResult] | None = None,
    ) -> BatchResult:
        """Run calls as the batch that was made for them.

        Args:
            run: The batch.
            calls: What the model asked for.
            sequential: Whether each call ends before the next starts.
            cancel: Ends the batch early, with complete results.
            max_calls: How many run at most.
            whole: Puts what was run into the batch that it is a part of.
        """
        sent = [self._as_call(call) for call in calls]
        in_turn = sequential or self._must_be_sequential(sent)
        limit = self.max_calls if max_calls is None else max_calls
        try:
            async with _watching(cancel, run):
                await run.batch(sent, sequential=in_turn, limit=limit)
        except Abort as abort:
            if whole is not None and abort.batch is not None:
                abort.batch = whole(abort.batch)
            raise
        result = run.result()
        if whole is not None:
            result = whole(result)
        self._tell_end(run, result)
        return result

    def _tell_end(self, run: Run, result: BatchResult) -> None:
        if run.is_heard:
            try:
                run.reporter.emit(BatchEnd(result))
            except Abort as abort:
                abort.batch = result
                raise

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
        return any(
            self._is_sequential(name) for name in dict.fromkeys(c.name for c in calls)
        )

    def _is_sequential(self, name: str) -> bool:
        plan = self._plans.get(name)
        if plan is not None and self._version == self.registry.version:
            return plan.execution == "sequential"
        try:
            entry = self.registry.resolve(name)
            own = self.registry.overrides(entry).execution or entry.tool.execution
        except PegboardError:
            return False  # the call itself will say so
        return own == "sequential"

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

    async def watch() -> None:
        await cancel.wait()
        run.halt()

    if cancel.is_set():
        run.halt()
    watcher = asyncio.get_running_loop().create_task(watch())
    try:
        yield
    finally:
        watcher.cancel()
        await asyncio.wait([watcher])
