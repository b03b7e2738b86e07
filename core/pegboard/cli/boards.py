"""The board of the command line: what is installed, under the settings that apply."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pegboard.cli.patience import slow_imports_named
from pegboard.cli.terminal import say
from pegboard.cli.words import counted

if TYPE_CHECKING:
    from pegboard._discovery import Discovery, Found
    from pegboard._entries import Entry
    from pegboard.board import Pegboard
    from pegboard.settings import Settings


@dataclass(frozen=True, slots=True)
class View:
    """What there is to look at; no call is made through it.

    Attributes:
        settings: The settings that apply.
        discovery: What is installed, as the settings see it.
        board: All of it, put together.
    """

    settings: Settings
    discovery: Discovery
    board: Pegboard

    def find(self, name: str) -> Entry:
        """Return a tool by its offered name or its identity.

        Raises:
            UnknownTool: there is none.
        """
        registry = self.board.registry
        same = [entry for entry in registry.offered.values() if entry.id == name]
        return same[0] if same else registry.resolve(name)

    def plugins(self) -> list[Found]:
        """Return the plugins that take part, the outermost first."""
        from pegboard._plugins import in_order  # late: not every command asks

        found = {plugin.name: plugin for plugin in self.discovery.found}
        settings = self.settings
        names = in_order(found, settings.required, settings.order)
        return [found[name] for name in names]

    def origin(self, plugin: str) -> str:
        """Return the distribution that brings a plugin, with its version."""
        for found in (*self.discovery.found, *self.discovery.disabled):
            if found.name == plugin:
                return f"{found.distribution} {found.version}"
        return ""


def look(*, tolerant: bool = False) -> View:
    """Return what is installed, required plugins or not.

    Args:
        tolerant: Whether wrong settings become a problem instead of an error.

    Raises:
        SettingsError: a settings file is wrong.
    """
    from pegboard.board import Pegboard  # late: a command that only helps needs none

    with stdout_kept():
        with slow_imports_named():
            board = Pegboard.survey(".", tolerant=tolerant)
        return View(board.settings, board.discovery, board)


def open_board(**options: Any) -> Pegboard:
    """Return a board to call tools of; call it inside `stdout_kept`.

    Args:
        options: As for `Pegboard.discover`.

    Raises:
        SettingsError: a settings file is wrong.
        PluginError: a required plugin is missing or fails.
    """
    from pegboard.board import Pegboard  # late, as above

    with slow_imports_named():
        return Pegboard.discover(".", **options)


@contextmanager
def stdout_kept() -> Iterator[None]:
    """Keep stdout for the command's own output: what plugins print goes to stderr."""
    with redirect_stdout(sys.stderr):
        yield


def say_problems(view: View) -> None:
    """Tell on stderr that something is wrong, and where to read what."""
    errors = sum(problem.severity == "error" for problem in view.board.problems)
    if errors:
        say(f"{counted(errors, 'problem')} with what is installed; see pegboard doctor")
