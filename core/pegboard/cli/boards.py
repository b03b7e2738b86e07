"""The board of the command line: what is installed, under the settings that apply."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

from pegboard.cli.patience import slow_imports_named
from pegboard.cli.terminal import say
from pegboard.cli.words import counted

if TYPE_CHECKING:
    from pegboard._discovery import Found
    from pegboard._entries import Entry
    from pegboard.board import Pegboard


def look(*, tolerant: bool = False) -> Pegboard:
    """Return a board to look at, whether or not required plugins are there.

    Args:
        tolerant: Whether wrong settings become a problem instead of an error.

    Raises:
        SettingsError: a settings file is wrong.
    """
    from pegboard.board import Pegboard  # late: a command that only helps needs none

    with stdout_kept(), slow_imports_named():
        return Pegboard.survey(".", tolerant=tolerant)


def look_again(*, tolerant: bool = False) -> Pegboard:
    """Return a board to look at, with another chance for the plugins that failed.

    What they lacked may have been no distribution: a library of the system, a service.

    Args:
        tolerant: As for `look`.
    """
    from pegboard._manifest import Manifest  # late, as above

    board = look(tolerant=tolerant)
    failed = [name for name, record in board.records.items() if record.error]
    if failed:
        Manifest().forget(failed)
        board = look(tolerant=tolerant)
    return board


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


def find_tool(board: Pegboard, name: str) -> Entry:
    """Return a tool by its offered name or its identity.

    Raises:
        UnknownTool: there is none.
    """
    same = [entry for entry in board.registry if entry.id == name]
    return same[0] if same else board.registry.resolve(name)


def plugins_in_order(board: Pegboard) -> list[Found]:
    """Return the plugins that take part, the outermost first."""
    from pegboard._plugins import in_order  # late: not every command asks

    found = {plugin.name: plugin for plugin in board.discovery.found}
    names = in_order(found, board.settings.required, board.settings.order)
    return [found[name] for name in names]


def files_read() -> list[str]:
    """Return the files that a look reads, or would read if they were there."""
    from pegboard import settings
    from pegboard._manifest import Manifest
    from pegboard._settings.sources import user_file
    from pegboard._settings.trust import store_file

    own = (settings.ORGANISATION_FILE, user_file(), store_file())
    return [*map(str, own), *Manifest().watched_files()]


@contextmanager
def stdout_kept() -> Iterator[None]:
    """Keep stdout for the command's own output: what plugins print goes to stderr."""
    with redirect_stdout(sys.stderr):
        yield


def say_problems(board: Pegboard) -> None:
    """Tell on stderr that something is wrong, and where to read what."""
    errors = sum(problem.severity == "error" for problem in board.problems)
    if errors:
        say(f"{counted(errors, 'problem')} with what is installed; see pegboard doctor")
