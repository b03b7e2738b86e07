"""`pegboard trust`: what this project's file may do on this machine."""

from __future__ import annotations

import click

from pegboard._settings.trust import distrust, trust
from pegboard.cli.ending import debug_option
from pegboard.cli.terminal import write
from pegboard.errors import UsageError
from pegboard.settings import load_settings


@click.command("trust")
@click.option("--revoke", is_flag=True, help="Take it back.")
@debug_option
def trust_project(revoke: bool) -> None:
    """Let this project's settings file grant secrets and start programs.

    It holds for the file as it is now: once it changes, it must be trusted again.
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
