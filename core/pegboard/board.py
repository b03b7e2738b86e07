"""The board: plugins, registry, settings and executor in one object."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pegboard._assembly import Assembly
from pegboard._execution.caller import Caller
from pegboard._lifespans import Lifespans
from pegboard._registry import Registry
from pegboard.errors import PluginError
from pegboard.events import ToolsChanged
from pegboard.middleware import Middleware
from pegboard.problems import Problem
from pegboard.schemas import ToolDefinition
from pegboard.settings import Settings, load_settings, make_settings

if TYPE_CHECKING:
    from pegboard._discovery import Discovery
    from pegboard._executor import Executor
    from pegboard._explanation import Explanation
    from pegboard._manifest.records import Record


class Pegboard(Caller):
    """What an application holds: definitions out, calls in, results back.

    Made of tools and plugins passed in code; `Pegboard.discover` adds what is
    installed. A board belongs to the first event loop that uses it, or to a thread of
    its own that a sync call starts.

    Args:
        tools: Functions, Tools, or whatever can be one.
        plugins: Objects, classes or modules with hook implementations.
        middlewares: Inside all plugins', the first one innermost.
        settings: Overrides of every settings file, by the same keys.
        secrets: Values of `Injected` parameters: by name for tools passed in code,
            by `plugin:name` for others.

    Raises:
        UsageError: something passed in is no tool, plugin or setting.
        PluginError: a plugin passed in violates a spec.
    """

    def __init__(
        self,
        tools: Iterable[Any] = (),
        *,
        plugins: Iterable[Any] = (),
        middlewares: Iterable[Middleware] = (),
        settings: Mapping[str, Any] | Settings | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        if not isinstance(settings, Settings):
            settings = make_settings(settings, with_organisation=True)
        self._parts = Assembly(
            settings, tools=tools, plugins=plugins, secrets=secrets or {}
        )
        self.registry: Registry = self._parts.registry
        self._fresh: Callable[[], Settings] | None = None
        self._parent: Pegboard | None = None
        self._middlewares = tuple(middlewares)
        self._made: Executor | None = None
        self._lifespans = Lifespans(
            lambda: self._parts.lifespans(self), self._parts.fail, settings.grace
        )

    @classmethod
    def discover(cls, project: str | Path | None = ".", **options: Any) -> Pegboard:
        """Return a board of all installed plugins and the settings that apply.

        Args:
            project: Where to look for the project's settings, upward; None for none:
                right for applications that work in other people's repositories.
            options: tools, plugins, middlewares, settings, secrets as for Pegboard.

        Raises:
            SettingsError: a settings file is wrong.
            PluginError: a required plugin is missing or fails.
        """
        board = cls.survey(project, **options)
        if board.settings.required:
            board._go_live()
        for error in board._parts.closed_by:
            plugin = error.details["plugin"]
            if plugin in board.settings.required:
                raise PluginError(str(error), plugin=plugin)
        return board

    @classmethod
    def survey(
        cls,
        project: str | Path | None = ".",
        *,
        settings: Mapping[str, Any] | None = None,
        tolerant: bool = False,
        **options: Any,
    ) -> Pegboard:
        """Return a board to look at: no plugin is imported that is known already.

        Args:
            project: As for `discover`.
            settings: Overrides of every settings file.
            tolerant: Whether a layer of settings that is wrong becomes a problem; a
                call needs settings without one.
            options: tools, plugins, middlewares, secrets as for Pegboard.

        Raises:
            SettingsError: a settings file is wrong.
        """
        read = partial(load_settings, project, overrides=settings)
        board = cls(settings=read(tolerant=tolerant, kept=True), **options)
        board._fresh = read
        board._parts.show()
        return board

    def _go_live(self) -> None:
        """Import the policies, once, before the first call."""
        if self._fresh is not None:
            # What fails here is tried again at the next call: nothing runs unguarded.
            self._parts.go_live(self._fresh())
            self._fresh = None

    # -- looking

    @property
    def settings(self) -> Settings:
        """The settings that apply."""
        return self._parts.settings

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return what is offered to the model, by name: same tools, same bytes."""
        return self.registry.definitions()

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with plugins and tools; nothing else is disturbed by it."""
        return self._parts.problems

    @property
    def discovery(self) -> Discovery:
        """What is installed, as the settings see it."""
        return self._parts.discovery

    @property
    def records(self) -> Mapping[str, Record]:
        """What each installed plugin was last found to be, by its name."""
        return self._parts.records

    def explain(self, name: str) -> Explanation:
        """Return what a call of a tool passes through, and why in this order.

        Raises:
            ToolError: there is no such tool, or it cannot be called.
        """
        from pegboard._explanation import explain  # late, as what it explains

        return explain(self.executor.plan(name), self.executor.plugins)

    def only(self, *patterns: str) -> Pegboard:
        """Return a view with fewer tools; what it does not offer is unknown to it.

        Args:
            patterns: Globs over offered names, own names or identities.
        """
        view = Pegboard.__new__(Pegboard)
        view.__dict__.update(self.__dict__)
        view.registry = self.registry.only(*patterns)
        view._made, view._parent, view._entered = None, self, None
        return view

    def add(self, *tools: Any) -> None:
        """Offer more tools; observers are told ToolsChanged."""
        self.change(lambda: self.registry.add(tools))

    def remove(self, name: str) -> None:
        """Stop offering a tool; observers are told ToolsChanged.

        Raises:
            UnknownTool: no tool has that name.
        """
        self.change(lambda: self.registry.remove(name))

    def change(self, change: Callable[[], object]) -> None:
        """Change what is offered, and tell observers what came and went."""
        before = set(self.registry.offered)
        change()
        after = set(self.registry.offered)
        added, removed = sorted(after - before), sorted(before - after)
        if self._fresh is None:
            # Before the board is live nobody is there to be told.
            self.executor.tell(ToolsChanged(tuple(added), tuple(removed)))

    @property
    def executor(self) -> Executor:
        """What runs the calls; made when it is first needed."""
        if self._made is None and self._parent is not None:
            self._made = self._parent.executor.view(self.registry)
        elif self._made is None:
            from pegboard._executor import Executor  # 60 ms; looking needs none

            self._go_live()
            self._made = Executor(
                self.registry,
                plugins=self._parts.plugins,
                middlewares=self._middlewares,
                runners=self._parts.runners,
                grants=self._parts.grant,
                max_calls=self.settings.max_calls,
            )
            self._made.closed_by = self._parts.closed_by
        return self._made

    # -- running

    async def ready(self) -> Executor:
        """Return the executor, with everything open that plugins hold."""
        executor = self.executor
        if self._lifespans.loop is not asyncio.get_running_loop():
            executor.door.enter()
            await self._lifespans.open()
        self._entered = executor
        return executor

    async def close(self) -> None:
        """Close what plugins hold, and stop the runners."""
        self._entered = None
        await self._lifespans.close()
        if self._made is not None:
            await self._made.close()
