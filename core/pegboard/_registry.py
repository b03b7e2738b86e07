"""Names -> tools: what is registered, and what of it is offered."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pegboard._conversion import as_tool
from pegboard._entries import Entry
from pegboard._names import CODE, Names, assign_names, matches, safe_name
from pegboard.errors import PluginError, UnknownTool, UsageError
from pegboard.problems import Problem
from pegboard.schemas import ToolDefinition
from pegboard.settings import Settings, ToolSettings, make_settings
from pegboard.tools import Tool


class _Store:
    """What a registry and its views share."""

    __slots__ = ("entries", "problems", "version")

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.problems: list[Problem] = []
        self.version = 0


class Registry:
    """Tools by the names that models call them by.

    Args:
        tools: Functions, Tools, or whatever can be one.
        settings: Overrides by tool; see `[tool.pegboard.tools.NAME]`.
    """

    def __init__(self, tools: Iterable[Any] = (), *, settings: Any = None) -> None:
        given = isinstance(settings, Settings)
        self.settings: Settings = settings if given else make_settings(settings)
        self.store = _Store()
        #: Says why a tool is refused as it is, "" if it is not.
        self.objection: Callable[[ToolDefinition], str] | None = None
        self._patterns: tuple[str, ...] | None = None
        self._forget()
        self.add(tools)

    def _forget(self) -> None:
        self._named_at = -1
        self._names = Names()
        self._offered: dict[str, Entry] = {}
        self._originals: dict[str, Entry] = {}
        self._definitions: tuple[ToolDefinition, ...] | None = None

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        return self.store.version

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with tools that were registered, and between them."""
        try:
            _ = self.offered
        except UsageError as error:  # two want one name, and settings call it an error
            return [*self.store.problems, Problem(str(error))]
        return [*self.store.problems, *self._names.problems]

    # -- what is in it

    def add(
        self, tools: Iterable[Any], *, plugin: str = CODE, version: str = ""
    ) -> list[Entry]:
        """Register tools under a plugin's name.

        Raises:
            UsageError: something is no tool, or a name is taken within the plugin.
        """
        made = [as_tool(value) for value in tools]
        entries = [Entry(item.name, plugin, version, tool=item) for item in made]
        self.add_entries(entries)
        return entries

    def add_entries(self, entries: Iterable[Entry]) -> None:
        """Register entries; all or none.

        Raises:
            UsageError: a name is taken within its plugin.
        """
        fresh: dict[str, Entry] = {}
        for entry in entries:
            if entry.id in self.store.entries or entry.id in fresh:
                where = "in code" if entry.plugin == CODE else f"by {entry.plugin!r}"
                raise UsageError(
                    f"two tools named {entry.bare!r} are registered {where};"
                    " give one another name"
                )
            fresh[entry.id] = entry
        for entry in fresh.values():
            if fault := entry.fault():
                self.give_up(entry, fault)
        self.store.entries.update(fresh)
        self.store.version += 1

    def fulfil(
        self, plugin: str, version: str, tools: Iterable[Tool[..., Any]]
    ) -> None:
        """Put a plugin's tools in the place of what was shown of them.

        Raises:
            UsageError: two of them have one name.
        """
        fresh, live = [], set()
        for item in tools:
            shown = self.store.entries.get(f"{plugin}:{item.name}")
            if shown is None or item.name in live:
                fresh.append(Entry(item.name, plugin, version, tool=item))
            else:
                shown.fulfil(item)
            live.add(item.name)
        for entry in self.entries_of(plugin):
            if entry.bare not in live:
                entry.unavailable = f"{plugin!r} does not bring it any more"
        self.add_entries(fresh)

    def tool_of(self, identity: str) -> Tool[..., Any]:
        """Return a tool whose pack was just loaded.

        Raises:
            PluginError: the pack failed, or does not bring it.
        """
        entry = self.store.entries[identity]
        if not entry.loaded:
            raise PluginError(entry.unavailable, plugin=entry.plugin)
        return entry.tool

    def follow(self, settings: Settings) -> None:
        """Name everything anew, by other settings."""
        self.settings = settings
        for entry in self.store.entries.values():
            entry.forget_settings()
        self.renew()

    def renew(self) -> None:
        """Name everything anew."""
        self.store.version += 1

    def remove(self, name: str) -> Entry:
        """Take a tool out, by its offered name or identity.

        Raises:
            UnknownTool: there is none.
        """
        entry = self.store.entries.get(name) or self.resolve(name)
        del self.store.entries[entry.id]
        self.store.version += 1
        return entry

    def only(self, *patterns: str) -> Registry:
        """Return a view that offers only the tools a glob takes; it follows changes."""
        view = Registry.__new__(Registry)
        view.settings, view.store = self.settings, self.store
        view.objection = self.objection
        view._patterns = patterns
        view._forget()
        return view

    # -- names

    @property
    def offered(self) -> dict[str, Entry]:
        """Offered name -> entry, sorted by name.

        Raises:
            UsageError: two plugins offer one name and collisions are errors.
        """
        if self._named_at != self.store.version:
            self._forget()
            self._offered = self._name_all()
            self._named_at = self.store.version
        return self._offered

    def _name_all(self) -> dict[str, Entry]:
        settings, entries = self.settings, self.store.entries
        if settings.tools or settings.enable or settings.disable:
            wanted = {
                identity: entry.overrides(settings).rename or entry.bare
                for identity, entry in entries.items()
                if settings.is_offered(identity)
            }
        else:
            wanted = {identity: entry.bare for identity, entry in entries.items()}
        names = self._names = assign_names(
            wanted, strict=settings.collisions == "error"
        )
        found = {}
        for name, identity in sorted(names.offered.items()):
            entry = entries[identity]
            entry.offered = name
            if self._patterns is None or matches(
                self._patterns, identity, name, entry.bare
            ):
                found[name] = entry
        # A recording may call a tool by the name it had before it was made safe.
        self._originals = {
            entry.bare: entry
            for name, entry in found.items()
            if name == safe_name(entry.bare) != entry.bare
        }
        return found

    def overrides(self, entry: Entry) -> ToolSettings:
        """Return what the settings say of one tool."""
        return entry.overrides(self.settings)

    def resolve(self, name: str) -> Entry:
        """Return the tool that a model calls by this name.

        Raises:
            UnknownTool: no tool is offered by that name, or several share it.
        """
        entry = self.offered.get(name) or self._originals.get(name)
        if entry is not None:
            return entry
        if name in self._names.ambiguous:
            names = self._names.ambiguous[name]
            raise UnknownTool(
                f"Tool {name!r} is ambiguous: call {' or '.join(names)}.",
                name=name,
                nearest=names,
                code="ambiguous_tool",
            )
        near = difflib.get_close_matches(str(name), list(self.offered), 3, 0.5)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        text = f"There is no tool {str(name)[:80]!r}.{hint}"
        raise UnknownTool(text, name=name, nearest=near)

    # -- definitions

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return what is offered, by name: the same tools give the same bytes.

        A tool whose definition cannot be made is left out and becomes a problem.
        """
        offered = self.offered
        if self._definitions is None:
            made = (self.define(entry) for entry in offered.values())
            self._definitions = tuple(item for item in made if item is not None)
        return self._definitions

    def define(self, entry: Entry) -> ToolDefinition | None:
        """Return an entry's definition as it is offered, None if it has none."""
        if entry.unavailable:
            return None
        try:
            made = entry.definition(self.settings)
        except Exception as error:
            self.give_up(entry, str(error))
            return None
        reason = self.objection(made) if self.objection is not None else ""
        if reason:
            self.give_up(entry, reason)
            return None
        return made

    def note(self, entry: Entry, message: str) -> None:
        """Keep what works less well than it seems."""
        said = f"tool {entry.id!r}: {message}"
        problem = Problem(said, plugin=entry.plugin, tool=entry.id, severity="warning")
        if problem not in self.store.problems:
            self.store.problems.append(problem)

    def give_up(self, entry: Entry, reason: str) -> None:
        """Stop offering a tool that cannot work; nothing else is disturbed."""
        entry.unavailable = reason
        self.store.problems.append(
            Problem(
                f"tool {entry.id!r} is not offered: {reason}",
                "mend the tool, or disable it",
                plugin=entry.plugin,
                tool=entry.id,
            )
        )

    def __len__(self) -> int:
        return len(self.offered)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.offered.values())

    def __contains__(self, name: object) -> bool:
        return name in self.offered

    def entries(self) -> list[Entry]:
        """Return all entries, offered or not."""
        return list(self.store.entries.values())

    def entries_of(self, plugin: str) -> list[Entry]:
        """Return all entries that a plugin brings, offered or not."""
        return [entry for entry in self.entries() if entry.plugin == plugin]
