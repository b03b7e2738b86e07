"""`pegboard plugins`: what is installed, what it may do, and how it is."""

from __future__ import annotations

from typing import Any

import click

from pegboard.cli.boards import View, look, say_problems
from pegboard.cli.ending import debug_option
from pegboard.cli.tables import write_table
from pegboard.cli.terminal import write, write_json

NOTHING = "No plugins are installed. Begin with: pip install pegboard-files"


@click.command(short_help="Show the plugins that are installed.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def plugins(as_json: bool) -> None:
    """Show the plugins that are installed, outermost first: hooks, import times.

    A pack brings tools and has no say over others' calls; a policy may have one.
    """
    view = look(tolerant=True)
    listed = _loaded(view) + _left_out(view)
    if as_json:
        write_json(listed)
    elif listed:
        rows = [_row(plugin) for plugin in listed]
        columns = ("plugin", "state", "kind", "from", "tools", "import", "hooks")
        write_table(columns, rows)
    else:
        write(NOTHING)
    say_problems(view)


def _loaded(view: View) -> list[dict[str, Any]]:
    order = view.board.executor.plugins
    return [
        {
            "name": plugin.name,
            "state": "loaded",
            "kind": "pack" if plugin.kind == "tools" else "policy",
            "distribution": plugin.distribution,
            "version": plugin.version,
            "place": order.part_of(plugin.name),
            "tools": [e.id for e in view.board.registry if e.plugin == plugin.name],
            "hooks": list(order.hooks_of(plugin)),
            "import_seconds": round(plugin.import_time, 4),
        }
        for plugin in order
    ]


def _left_out(view: View) -> list[dict[str, Any]]:
    disabled = view.discovery.disabled
    loaded = view.board.executor.plugins
    failed = [found for found in view.discovery.found if found.name not in loaded]
    return [
        {
            "name": found.name,
            "state": "disabled" if found in disabled else "failed",
            "kind": "pack" if found.is_pack else "policy",
            "distribution": found.distribution,
            "version": found.version,
            "place": None,
            "tools": [],
            "hooks": [],
            "import_seconds": None,
        }
        for found in sorted((*failed, *disabled), key=lambda found: found.name)
    ]


def _row(plugin: dict[str, Any]) -> tuple[str, ...]:
    seconds = plugin["import_seconds"]
    return (
        plugin["name"],
        plugin["state"],
        plugin["kind"],
        f"{plugin['distribution']} {plugin['version']}",
        str(len(plugin["tools"])) if plugin["state"] == "loaded" else "",
        "" if seconds is None else f"{seconds * 1000:.0f} ms",
        ", ".join(plugin["hooks"]),
    )
