"""Settings against their types: what each source says, key by key.

Files and code are strict ("5" is no number), variables are lenient, as texts must be.
Everything is checked as JSON, in which a list may stand for a tuple and a text for a
path or a date, strictness notwithstanding.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pegboard._settings.sources import Layer
from pegboard._settings.tables import (
    PluginSettings,
    RetrySettings,
    SettingsTable,
    ToolSettings,
)
from pegboard.errors import SettingsError
from pegboard.schemas import ToolAnnotations

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

CORE_KEYS = frozenset({"distribution", "secrets"})
PLACES = ("env:", "file:")
TOOL_TABLES: Mapping[str, type] = {
    "retry": RetrySettings,
    "annotations": ToolAnnotations,
}


def check_layer(layer: Layer) -> dict[str, Any]:
    """Return what a layer says, with every value of its key's type.

    Raises:
        SettingsError: a key that does not exist, or a value that does not fit.
    """
    from pydantic import ValidationError  # late: 160 ms

    table = as_json(layer.table, layer.origin)
    try:
        checked = _adapter().validate_json(
            _encode(_split_plugins(table)),
            strict=layer.kind != "variable",
            extra="forbid",
            context=layer.kind,
        )
    except ValidationError as error:
        raise _settings_error(layer.origin, error) from error
    _check_final(layer, checked.final)
    _check_secrets(layer.origin, checked.plugins)
    plugins = {"plugins": table.pop("plugins")} if "plugins" in table else {}
    return {**_pick(checked, table), **plugins}


def as_json(value: Any, origin: str) -> Any:
    """Return a private copy in which only JSON values are left.

    Raises:
        SettingsError: a value has no form in JSON.
    """
    from pydantic_core import from_json

    try:
        return from_json(_encode(value))
    except ValueError as error:  # no such form, nested too deep, or half a character
        raise SettingsError(
            f"{origin}: settings are JSON values: {error}", file=origin
        ) from error


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name that looks most like `name`, "" if none does."""
    import difflib  # late: for errors only

    return next(iter(difflib.get_close_matches(name, list(names), 1)), "")


def unknown_key(path: Sequence[str], names: Iterable[str]) -> str:
    """Return what to say of a key that does not exist."""
    names = sorted(names)
    *table, name = path
    if near := nearest(name, names):
        way_out = f"did you mean {'.'.join([*table, near])!r}?"
    else:
        way_out = f"there are {', '.join(names)}" if names else "there are no keys"
    return f"there is no setting {'.'.join(path)!r}; {way_out}"


@cache
def _adapter() -> TypeAdapter[SettingsTable]:
    from pydantic import TypeAdapter

    return TypeAdapter(SettingsTable)


def _encode(table: Any) -> bytes:
    from pydantic_core import to_json

    return to_json(table, inf_nan_mode="constants")


def _split_plugins(table: dict[str, Any]) -> dict[str, Any]:
    plugins = table.get("plugins")
    if not isinstance(plugins, dict):
        return table
    return {
        **table,
        "plugins": {name: _split_plugin(plugin) for name, plugin in plugins.items()},
    }


def _split_plugin(table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    core = {key: value for key, value in table.items() if key in CORE_KEYS}
    own = {key: value for key, value in table.items() if key not in CORE_KEYS}
    return {**core, "values": own}


def _pick(checked: Any, given: Any) -> Any:
    """Return the checked values of those keys that were given."""
    if isinstance(given, dict):
        if is_dataclass(checked):
            return {
                key: _pick(getattr(checked, key), value) for key, value in given.items()
            }
        return {key: _pick(checked[key], value) for key, value in given.items()}
    return list(checked) if isinstance(checked, tuple) else checked


def _check_secrets(origin: str, plugins: Mapping[str, PluginSettings]) -> None:
    for plugin, settings in plugins.items():
        for name, place in settings.secrets.items():
            if not place.startswith(PLACES):
                key = f"plugins.{plugin}.secrets.{name}"
                raise SettingsError(
                    f"{origin}: {key!r} should say where the value is, as "
                    f"'env:VARIABLE' or 'file:PATH'",
                    file=origin,
                    key=key,
                )


def _check_final(layer: Layer, final: Iterable[str]) -> None:
    for key in final:
        if layer.kind != "organisation":
            raise SettingsError(
                f"{layer.origin}: 'final' counts in the organisation's file only",
                file=layer.origin,
                key="final",
            )
        path = key.split(".")
        names = _names(path[:1])
        if path[0] not in names:
            message = unknown_key(path[:1], names)
            raise SettingsError(
                f"{layer.origin}: 'final': {message}", file=layer.origin, key="final"
            )


def _names(path: Sequence[str]) -> list[str]:
    """Return the keys that the table may have in which `path` ends."""
    table: Any = SettingsTable
    if path[0] == "tools" and len(path) > 1:
        table = (
            TOOL_TABLES.get(path[2], ToolSettings) if len(path) > 3 else ToolSettings
        )
    return [field.name for field in fields(table)]


def _settings_error(origin: str, error: ValidationError) -> SettingsError:
    lines, keys = [], []
    for item in error.errors(include_url=False):
        path = [str(part) for part in item["loc"]]
        keys.append(".".join(path))
        if item["type"] == "unexpected_keyword_argument":
            lines.append(unknown_key(path, _names(path)))
        else:
            came = reprlib.repr(item["input"])
            lines.append(f"{keys[-1]!r} {_wanted(item['msg'])}, not {came}")
    return SettingsError(f"{origin}: {'; '.join(lines)}", file=origin, key=keys[0])


def _wanted(message: str) -> str:
    """Return pydantic's sentence without its subject."""
    wanted = message.removeprefix("Input ")
    return wanted.replace("a valid array", "a list").replace("an object", "a table")
