"""A plugin's own table against the plugin's own model, or the schema kept of it.

The schema's property names are the only names: a key by another alias is unknown, so
that no alias gets past the mark on a field that needs trust.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pegboard._settings.checks import nearest
from pegboard._settings.layers import Path, get, is_prefix, leaves
from pegboard._settings.shapes import Schema, marked_paths, unknown_keys
from pegboard._settings.sources import PREFIX
from pegboard.errors import PluginError, SettingsError
from pegboard.problems import Problem
from pegboard.settings import Settings

if TYPE_CHECKING:
    from pydantic import ValidationError


def settings_schema(plugin: str, model: Any) -> dict[str, Any]:
    """Return the JSON Schema of a plugin's settings model.

    Raises:
        PluginError: the model has none.
    """
    from pydantic import TypeAdapter  # late: 160 ms
    from pydantic.errors import PydanticUserError

    try:
        return TypeAdapter(model).json_schema()
    except PydanticUserError as error:
        raise PluginError(
            f"the settings of plugin {plugin!r} have no JSON Schema: {error.message}",
            plugin=plugin,
        ) from error


def plugin_settings(
    settings: Settings, plugin: str, model: Any
) -> tuple[Any, tuple[Problem, ...]]:
    """Return a plugin's settings as its model makes them.

    Args:
        settings: The effective settings.
        plugin: The plugin's name.
        model: A pydantic model, a dataclass or a TypedDict; None if the plugin takes
            no settings.

    Returns:
        The model's instance, None without a model; and what an untrusted project file
        sets without effect.

    Raises:
        SettingsError: an unknown key, or a value that does not fit.
        PluginError: the model has no JSON Schema.
    """
    if model is None:
        _refuse_all(settings, plugin)
        return None, ()
    schema = settings_schema(plugin, model)
    table, problems = granted(settings, plugin, schema)
    _refuse_unknown(settings, plugin, schema, table)
    return _validate(settings, plugin, model, table), problems


def granted(
    settings: Settings, plugin: str, schema: Schema
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return a plugin's table without the programs of an untrusted project file.

    What a lower layer says of them comes to light again.
    """
    table = settings.plugin(plugin)
    resolved = settings.resolved
    if resolved.trusted:
        return table, ()
    below = resolved.below.get(plugin, {})
    taken = needing_trust(settings, plugin, schema)
    for path in taken:
        _put_back(table, path, get(below, path))
    problems = (_untrusted(plugin, resolved.project, path) for path in taken)
    return table, tuple(problems)


def needing_trust(settings: Settings, plugin: str, schema: Schema) -> list[Path]:
    """Return where the project's file says what only a trusted file may say."""
    table = settings.plugin(plugin)
    marked = list(marked_paths(schema, table, schema))
    return [
        path
        for path, _ in leaves(table)
        if any(is_prefix(mark, path) or is_prefix(path, mark) for mark in marked)
        and settings.origin(_key(plugin, path)) == settings.resolved.project
    ]


def check_kept(settings: Settings, plugin: str, schema: Schema) -> None:
    """Check a plugin's table against the schema kept of it, without its import.

    Raises:
        SettingsError: an unknown key, or a value that does not fit.
    """
    from jsonschema_rs import validator_for  # late: 30 ms, for `doctor` only

    table, _ = granted(settings, plugin, schema)
    _refuse_unknown(settings, plugin, schema, table)
    missing = [name for name in schema.get("required", ()) if name not in table]
    faults: list[tuple[Path, str]] = [((name,), "is missing") for name in missing]
    for key, value in table.items():
        said = [path for path, _ in leaves({key: value})]
        if not any(_is_variable(settings, plugin, path) for path in said):
            part = {**schema, "required": []}
            if not validator_for(part, offline=True).is_valid({key: value}):
                faults.append((said[0], "does not fit"))
    if faults:
        raise _error(settings, plugin, faults)


def _validate(
    settings: Settings, plugin: str, model: Any, table: dict[str, Any]
) -> Any:
    from pydantic import TypeAdapter, ValidationError  # late: 160 ms
    from pydantic_core import to_json

    adapter, text = TypeAdapter(model), to_json(table, inf_nan_mode="constants")
    try:
        return adapter.validate_json(text, strict=True)
    except ValidationError as error:
        faults = _faults(error)
        if not all(_is_variable(settings, plugin, path) for path, _ in faults):
            raise _error(settings, plugin, faults) from error
    try:
        return adapter.validate_json(text)  # texts of variables, which are lenient
    except ValidationError as error:
        raise _error(settings, plugin, _faults(error)) from error


def _faults(error: ValidationError) -> list[tuple[Path, str]]:
    return [
        (
            tuple(map(str, item["loc"])),
            "is required" if item["type"] == "missing" else item["msg"],
        )
        for item in error.errors(include_input=False, include_url=False)
    ]


def _refuse_all(settings: Settings, plugin: str) -> None:
    faults = [((key,), "is unknown: it takes none") for key in settings.plugin(plugin)]
    if faults:
        raise _error(settings, plugin, faults)


def _refuse_unknown(
    settings: Settings, plugin: str, schema: Schema, table: dict[str, Any]
) -> None:
    faults = []
    for path, names in unknown_keys(schema, table, schema):
        near = nearest(path[-1], names)
        known = f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"
        faults.append((path, f"is unknown; {known}"))
    if faults:
        raise _error(settings, plugin, faults)


def _error(
    settings: Settings, plugin: str, faults: Iterable[tuple[Path, str]]
) -> SettingsError:
    """Return an error that names no value: it may be a secret."""
    lines, keys, origins = [], [], []
    for path, fault in faults:
        keys.append(_key(plugin, path))
        origins.append(settings.origin(keys[-1]))
        lines.append(f"{keys[-1]!r} {fault.removeprefix('Input ')}")
    file = next((origin for origin in origins if origin != "default"), "default")
    said = f"settings of plugin {plugin!r}: {'; '.join(lines)}"
    return SettingsError(
        said if file == "default" else f"{file}: {said}", file=file, key=keys[0]
    )


def _untrusted(plugin: str, project: str, path: Path) -> Problem:
    return Problem(
        f"{_key(plugin, path)!r} of {project} needs trust, and the file is not "
        f"trusted, so it has no effect",
        remedy="Read the file, then run `pegboard trust`.",
        plugin=plugin,
        severity="warning",
    )


def _key(plugin: str, path: Path) -> str:
    return ".".join(("plugins", plugin, *path))


def _is_variable(settings: Settings, plugin: str, path: Path) -> bool:
    return settings.origin(_key(plugin, path)).startswith(PREFIX)


def _put_back(table: dict[str, Any], path: Path, value: Any) -> None:
    """Set a value, or remove it where there is none, with the tables it empties."""
    *tables, key = path
    inner = table if not tables else get(table, tables)
    if value is not None:
        inner[key] = value
        return
    del inner[key]
    if tables and not inner:
        _put_back(table, tuple(tables), None)
