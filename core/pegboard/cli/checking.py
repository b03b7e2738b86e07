"""`pegboard check`: whether an installed distribution keeps its promises."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import click

from pegboard.cli.boards import stdout_kept
from pegboard.cli.ending import debug_option
from pegboard.cli.patience import slow_imports_named
from pegboard.cli.terminal import write, write_json
from pegboard.cli.words import counted
from pegboard.settings import load_settings
from pegboard.testing import CheckedPlugin, ContractError, check_distribution

#: Where programs keep what is theirs: of whoever is checked, a folder soon gone.
HOMES = (
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
)


@click.command()
@click.argument("dist")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def check(dist: str, as_json: bool) -> int:
    """Check the packs and plugins of an installed distribution.

    DIST is a distribution, or one of its plugins. Tools are looked at and not run;
    hooks are asked about samples. Plugins start with their own settings as they apply
    here, in a home and a working folder that are removed afterwards. The exit code is
    1 if a promise is not kept.
    """
    settings = load_settings(".", tolerant=True)
    own = {name: settings.plugin(name) for name in settings.plugins}
    with _apart(), stdout_kept(), slow_imports_named():
        checked = check_distribution(dist, own)
    if as_json:
        write_json([plugin.to_dict() for plugin in checked])
    else:
        for plugin in checked:
            write(_shown(plugin))
    return int(any(plugin.broken for plugin in checked))


def _shown(plugin: CheckedPlugin) -> str:
    if plugin.broken:
        return str(ContractError(plugin.broken))
    tools = f", {counted(len(plugin.tools), 'tool')}" if plugin.tools else ""
    origin = f"{plugin.distribution} {plugin.version}"
    return f"plugin {plugin.name!r} ({origin}{tools}) keeps its promises"


@contextmanager
def _apart() -> Iterator[None]:
    """Let plugins read and write in a home and a working folder of their own."""
    before, folder = dict(os.environ), os.getcwd()
    with TemporaryDirectory(prefix="pegboard-check-") as home:
        os.environ.update(dict.fromkeys(HOMES, home))
        os.chdir(home)
        try:
            yield
        finally:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(before)
