"""Commands that plugins bring: `pegboard X` runs `pegboard-X` of this environment.

Nothing of a plugin is imported for it, as git does it.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import click

PREFIX = "pegboard-"


def find_programs() -> dict[str, Path]:
    """Return the programs of this environment by the name of the command, sorted."""
    found: dict[str, Path] = {}
    for folder in _folders():
        for path in folder.glob(f"{PREFIX}*"):
            name = path.name.removeprefix(PREFIX).removesuffix(".exe")
            if name and path.is_file() and os.access(path, os.X_OK):
                found.setdefault(name, path)
    return dict(sorted(found.items()))


def command(name: str) -> click.Command | None:
    """Return a command that runs a program, None if there is no such program."""
    path = find_programs().get(name)
    if path is None:
        return None

    def run(args: tuple[str, ...]) -> None:
        _replace_this_process([str(path), *args])

    return click.Command(
        name,
        callback=run,
        params=[click.Argument(["args"], nargs=-1, type=click.UNPROCESSED)],
        context_settings={"ignore_unknown_options": True, "help_option_names": []},
        add_help_option=False,
    )


def _folders() -> list[Path]:
    """Return where this environment has its programs; never all of PATH."""
    folders = [Path(sysconfig.get_path("scripts"))]
    if Path(sys.argv[0]).stem == "pegboard":
        # An installation for one user, or one with --target, has its own folder.
        folders.append(Path(sys.argv[0]).absolute().parent)
    return folders


def _replace_this_process(arguments: list[str]) -> None:
    if os.name == "nt":
        import subprocess  # late: elsewhere this process becomes the program

        raise SystemExit(subprocess.call(arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(arguments[0], arguments)
