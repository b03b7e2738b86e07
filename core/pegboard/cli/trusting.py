"""`pegboard trust`: what this project's file may do on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from pegboard._plugin_settings import needing_trust
from pegboard._settings.layers import get
from pegboard._settings.trust import distrust, trust
from pegboard.cli.boards import look
from pegboard.cli.ending import debug_option
from pegboard.cli.terminal import write
from pegboard.errors import UsageError
from pegboard.settings import load_settings

if TYPE_CHECKING:
    from pegboard.board import Pegboard


@click.command("trust")
@click.option("--revoke", is_flag=True, help="Take it back.")
@debug_option
def trust_project(revoke: bool) -> None:
    """Let this project's settings file grant secrets and start programs.

    Shows what it says of them. It holds for the file as it is now: once it changes, it
    must be trusted again.
    """
    file = load_settings(".").project_file
    if file is None:
        raise UsageError(
            "there is no settings file of a project here: neither pegboard.toml nor a"
            " pyproject.toml with [tool.pegboard]"
        )
    if revoke:
        distrust(file)
        write(f"{file} no longer grants secrets or starts programs.")
    else:
        trust(file)
        write(f"{file} may grant secrets and start programs until it changes.")
        said = dict(_allowed(look(tolerant=True)))
        write("It says of that:" if said else "It does neither as it stands.")
        for key, value in said.items():
            write(f"  {key} = {json.dumps(value, ensure_ascii=False)}")


def _allowed(board: Pegboard) -> Iterator[tuple[str, Any]]:
    """Yield each key of the project's file that needs trust, with its value."""
    settings = board.settings
    for name, plugin in sorted(settings.plugins.items()):
        for secret, place in plugin.secrets.items():
            key = f"plugins.{name}.secrets.{secret}"
            if settings.origin(key) == settings.resolved.project:
                yield key, place
        record = board.records.get(name)
        # Of a plugin that is not there, disabled or broken anything may need trust.
        is_known = record is not None and not record.error
        schema = (record and record.schema) or {"needs_trust": not is_known}
        for path in needing_trust(settings, name, schema):
            yield f"plugins.{name}.{'.'.join(path)}", get(settings.plugin(name), path)
