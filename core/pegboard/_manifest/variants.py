"""Records of one plugin, one for each settings of it, and whether they still hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pegboard._distributions import Found, Requirements
from pegboard._manifest import stamps
from pegboard._manifest.records import Record, settings_key
from pegboard.settings import Settings

Entries = dict[str, dict[str, dict[str, Any]]]
"""Plugin to settings key to a record and the signs by which one tells that it holds."""

KEPT = 4
"""Records kept of one plugin."""


def make_entry(
    plugin: Found, record: Record, requirements: Requirements, *, since: int
) -> dict[str, Any]:
    """Return a record with the signs by which one tells that it still holds.

    Args:
        plugin: What was imported.
        record: What it was found to be.
        requirements: Of all distributions.
        since: Nanoseconds since the epoch, from before the import.
    """
    failed = bool(record.error)
    module = plugin.value.partition(":")[0].strip()
    return {
        "from": [plugin.distribution, plugin.value],
        "requires": requirements.of(plugin.distribution),
        "files": stamps.watched_files(module, failed=failed, since=since)
        if plugin.watched
        else {},
        "environment": stamps.environment_digest() if failed else "",
        "brief": record.brief(),
        "bulk": record.bulk(),
    }


def records_of(
    plugins: Iterable[Found], settings: Settings, entries: Entries
) -> dict[str, Record]:
    """Return the records of plugins to load, of which nothing has changed."""
    records = {}
    for plugin in plugins:
        variants = entries.get(plugin.name, {})
        entry = variants.get(settings_key(settings, plugin.name))
        came_from = [plugin.distribution, plugin.value]
        if entry and entry["from"] == came_from and _is_untouched(entry):
            parsed = Record.parse(plugin.name, entry["brief"], entry.get("bulk"))
            records[plugin.name] = parsed
    return records


def surviving(entries: Entries, changed: set[str]) -> Entries:
    """Return those entries that no changed distribution can have made wrong."""
    return {
        plugin: {
            key: entry
            for key, entry in variants.items()
            if not changed.intersection(entry["requires"])
            # What a failed import lacked may be any distribution, declared or not.
            and not (changed and entry["environment"])
            and _is_untouched(entry)
        }
        for plugin, variants in entries.items()
    }


def _is_untouched(entry: Mapping[str, Any]) -> bool:
    """Return whether the watched files, and what a failure may hang on, are as then."""
    failed_in = entry["environment"]
    if failed_in and failed_in != stamps.environment_digest():
        return False
    files = entry["files"].items()
    return all(stamps.file_time(path) == list(time) for path, time in files)


def put(entries: Entries, plugin: str, key: str, entry: dict[str, Any]) -> None:
    """Put a record among those of its plugin; the oldest one makes place for it."""
    variants = entries.setdefault(plugin, {})
    variants.pop(key, None)
    variants[key] = entry
    for oldest in list(variants)[:-KEPT]:
        del variants[oldest]
