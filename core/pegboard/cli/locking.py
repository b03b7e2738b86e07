"""`pegboard lock`: what was looked at, and whether it still is as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pegboard._lock import (
    Lock,
    check_lock,
    lock_file,
    make_lock,
    read_lock,
    write_lock,
)
from pegboard.cli.boards import look, plugins_in_order, say_problems, stdout_kept
from pegboard.cli.ending import debug_option
from pegboard.cli.terminal import write
from pegboard.cli.words import counted

if TYPE_CHECKING:
    from pegboard.board import Pegboard


@click.command()
@click.option("--check", is_flag=True, help="Only compare; exit 1 if anything differs.")
@debug_option
def lock(check: bool) -> int:
    """Write pegboard.lock: plugin versions, a hash of each definition, the order.

    It stands beside the project's settings; with `locked = true` in them, a tool that
    differs is refused.
    """
    board = look()
    with stdout_kept():
        now = _lock_of(board)
    path = lock_file(board.settings.project_file)
    say_problems(board)
    if not check:
        write_lock(path, now)
        write(f"{path}: {_size(now)}")
        return 0
    lines = check_lock(read_lock(path), now)
    for line in lines:
        write(line)
    if not lines:
        write(f"{path} holds: {_size(now)}")
    return int(bool(lines))


def _size(lock: Lock) -> str:
    return f"{counted(len(lock.plugins), 'plugin')}, {counted(len(lock.tools), 'tool')}"


def _lock_of(board: Pegboard) -> Lock:
    # What is there, not what an older lock lets through.
    board.registry.objection = None
    found = {plugin.name: plugin for plugin in plugins_in_order(board)}
    plugins = {name: f"{p.distribution} {p.version}" for name, p in found.items()}
    return make_lock(board.definitions(), plugins, found)
