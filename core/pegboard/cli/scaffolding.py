"""`pegboard new`: a working project in one command."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from pegboard.cli.ending import debug_option
from pegboard.cli.projects import Kind, License, Project, read_name, write_project
from pegboard.cli.terminal import write

FIRST_STEPS = {
    "pack": 'pegboard call count_words text="one two two"',
    "plugin": "pegboard plugins",
}

license_option = click.option(
    "--license",
    type=click.Choice(["MIT", "none"], case_sensitive=False),
    default="MIT",
    show_default=True,
    help="The licence of the project.",
)


@click.group()
@debug_option
def new() -> None:
    """Make a project that works: entry point, module, tests, README.

    NAME becomes the plugin NAME, the distribution pegboard-NAME and the module
    pegboard_NAME, in a new folder here.
    """


@new.command()
@click.argument("name")
@license_option
@debug_option
def pack(name: str, license: str) -> None:
    """Make a tool pack: functions that models can call."""
    _make("pack", name, license)


@new.command()
@click.argument("name")
@license_option
@debug_option
def plugin(name: str, license: str) -> None:
    """Make a plugin: a policy that every call passes."""
    _make("plugin", name, license)


def _make(kind: Kind, name: str, license: str) -> None:
    project = Project(kind, read_name(name), cast(License, license))
    folder = write_project(project, Path())
    write(
        f"{folder}/ is ready. Next:\n\n"
        f"    cd {folder}\n"
        '    pip install -e ".[test]"\n'
        "    pytest\n"
        f"    {FIRST_STEPS[kind]}"
    )
