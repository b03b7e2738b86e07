"""`pegboard config`: the settings that apply, and who said so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import click

from pegboard._settings.layers import leaves
from pegboard.cli.ending import debug_option
from pegboard.cli.tables import write_table
from pegboard.cli.terminal import say, write_json
from pegboard.settings import Settings, SettingsTable, load_settings

TABLES = ("tools", "plugins")
HIDDEN = "***"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def config(as_json: bool) -> None:
    """Show the settings that apply, and where each came from.

    From the bottom: the organisation's file, yours, the project's, PEGBOARD_ variables.
    """
    settings = load_settings(".")
    listed = list(_values(settings))
    if as_json:
        keys = ("key", "value", "origin")
        write_json([dict(zip(keys, row, strict=True)) for row in listed])
    else:
        rows = [(key, origin, _shown(value)) for key, value, origin in listed]
        write_table(("key", "from", "value"), rows)
    for problem in settings.problems:
        say(f"{problem.severity}: {problem.message}. {problem.remedy}")


def _values(settings: Settings) -> Iterator[tuple[str, Any, str]]:
    """Yield every key with its value and origin, the tables last."""
    for field in fields(SettingsTable):
        if field.name not in TABLES:
            value = getattr(settings, field.name)
            listed = list(value) if isinstance(value, tuple) else value
            yield field.name, listed, settings.origin(field.name)
    for table in TABLES:
        for path, value in leaves(settings.resolved.table.get(table, {})):
            key = ".".join((table, *path))
            # Where a secret is kept may be known; the secret itself may not.
            places = table == "plugins" and path[1:2] == ("secrets",)
            shown = value if places else _without_secrets(path[1:], value)
            yield key, shown, settings.origin(key)


def _without_secrets(path: tuple[str, ...], value: Any) -> Any:
    from pegboard._arguments.wording import is_secret  # late: 20 ms, few need it

    if is_secret(path):
        return HIDDEN
    if isinstance(value, list):
        return [_without_secrets((), item) for item in value]
    if isinstance(value, dict):
        return {key: _without_secrets((key,), item) for key, item in value.items()}
    return value


def _shown(value: Any) -> str:
    return "no limit" if value is None else json.dumps(value, ensure_ascii=False)
