"""What is known of every plugin without importing it, kept in the user's cache.

The manifest decides what is shown, never what runs: a guard is imported before the
first call whatever stands here.

Two files an environment: the index says what is installed, what it was found to be, and
by which stamps one tells that this still holds; the definitions say the rest.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pegboard import _stamps as stamps
from pegboard._cache import cache_directory, read_json, write_json
from pegboard._discovery import Discovery, select
from pegboard._distributions import Found, Requirements, read_installed
from pegboard._records import Record, settings_key
from pegboard.settings import Settings

FORMAT = 1
KEPT_VARIANTS = 4
"""Records kept of one plugin, each for other settings of it."""

MALFORMED = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What a file that we did not write may lead to; it then counts as not there."""

Index = dict[str, Any]
Entries = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Known:
    """What holds without an import.

    Attributes:
        discovery: What is installed, as the settings see it.
        records: What each plugin to load was found to be, by name.
    """

    discovery: Discovery
    records: Mapping[str, Record]


@dataclass(frozen=True, slots=True)
class Scan:
    """A look at what is installed now.

    Attributes:
        discovery: What is installed, as the settings see it.
        kept: Records that still hold, by plugin.
        settings: The settings that it is seen by.
        stamp: Taken before the look.
        fingerprint: Of what was seen.
        installed: Every plugin, whatever the settings say.
        entries: All that still holds, by plugin and settings key.
    """

    discovery: Discovery
    kept: Mapping[str, Record]
    settings: Settings
    stamp: stamps.Stamp
    fingerprint: stamps.Fingerprint
    installed: tuple[Found, ...]
    entries: dict[str, Entries]

    @property
    def to_import(self) -> tuple[Found, ...]:
        """The plugins of which nothing is known that still holds."""
        return tuple(p for p in self.discovery.found if p.name not in self.kept)


class Manifest:
    """The manifest of this interpreter's environment.

    Args:
        directory: Where the files are; None means the user's cache.
    """

    def __init__(self, directory: Path | None = None) -> None:
        environment = [sys.executable, sys.prefix, sys.version]
        self._directory = directory or cache_directory() / "manifest"
        self._name = _digest(environment)[:12]
        self._since = time.time_ns()
        self._memory: Index | None = None

    def current(self, settings: Settings, *, brief: bool = False) -> Known | None:
        """Return what is known if all of it still holds, else None.

        Imports no plugin and reads no distribution.

        Args:
            settings: The effective settings.
            brief: Whether tools without schemas, and one line of each, will do.
        """
        with suppress(*MALFORMED):
            index = self._read(bulk=not brief)
            if stamps.is_same(index["stamp"], stamps.take_stamp(index["stamp"])):
                installed = tuple(Found(**plugin) for plugin in index["installed"])
                discovery = select(installed, settings)
                records = _records(discovery, settings, index["entries"])
                if len(records) == len(discovery.found):
                    return Known(discovery, records)
        return None

    def scan(self, settings: Settings) -> Scan:
        """Return what is installed now, and what is still known of it.

        Reads distributions; imports no plugin.
        """
        stamp = stamps.take_stamp()
        fingerprint = stamps.take_fingerprint(stamp)
        installed = read_installed()
        entries: dict[str, Entries] = {}
        kept: dict[str, Record] = {}
        discovery = select(installed, settings)
        with suppress(*MALFORMED):
            index = self._read(bulk=True)
            if stamps.is_same_interpreter(index["stamp"], stamp):
                changed = stamps.differing(index["fingerprint"], fingerprint)
                if not changed.intersection(index["core"]):
                    entries = _surviving(index["entries"], changed)
                    kept = _records(discovery, settings, entries)
        return Scan(discovery, kept, settings, stamp, fingerprint, installed, entries)

    def record(self, scan: Scan, records: Iterable[Record]) -> Known:
        """Keep what the plugins of a scan were found to be when they were imported."""
        live = {record.plugin: record for record in records}
        entries = {plugin: dict(variants) for plugin, variants in scan.entries.items()}
        requirements = Requirements()
        for plugin in scan.discovery.found:
            if plugin.name in live:
                entry = self._entry(plugin, live[plugin.name], requirements)
                _put(
                    entries,
                    plugin.name,
                    settings_key(scan.settings, plugin.name),
                    entry,
                )
        self._write(
            {
                "format": FORMAT,
                "stamp": stamps.settled(_stamp_after(scan)),
                "fingerprint": scan.fingerprint,
                "core": requirements.of_pegboard(),
                "installed": [asdict(plugin) for plugin in scan.installed],
                "entries": entries,
            }
        )
        known = {**scan.kept, **live}
        names = [plugin.name for plugin in scan.discovery.found]
        return Known(scan.discovery, {n: known[n] for n in names if n in known})

    def replace(self, settings: Settings, found: Found, record: Record) -> None:
        """Put what a plugin was just found to be in the place of what was known."""
        with suppress(*MALFORMED):
            index = self._read(bulk=True)
            key = settings_key(settings, record.plugin)
            entry = self._entry(found, record, Requirements())
            _put(index["entries"], record.plugin, key, entry)
            self._write(index)

    def _entry(
        self, plugin: Found, record: Record, requirements: Requirements
    ) -> dict[str, Any]:
        """Return a record with the signs by which one tells that it still holds."""
        failed = bool(record.error)
        module = plugin.value.partition(":")[0].strip()
        return {
            "from": [plugin.distribution, plugin.value],
            "requires": requirements.of(plugin.distribution),
            "files": stamps.watched_files(module, failed=failed, since=self._since)
            if plugin.watched
            else {},
            "environment": stamps.environment_digest() if failed else "",
            "brief": record.brief(),
            "bulk": record.bulk(),
        }

    def _read(self, *, bulk: bool) -> Index:
        """Return the index, with the definitions in it if they are asked for.

        Raises:
            KeyError: there is none, or no definitions that belong to it.
        """
        if self._memory is not None:
            return self._memory
        index = read_json(self._directory / f"index-{self._name}.json")
        if index["format"] != FORMAT:
            raise KeyError("format")
        if bulk:
            definitions = read_json(self._definitions(index["definitions"]))
            for plugin, variants in index["entries"].items():
                for key, entry in variants.items():
                    entry["bulk"] = definitions[plugin][key]
        return index

    def _write(self, index: Index) -> None:
        entries: dict[str, Entries] = {}
        definitions: dict[str, Entries] = {}
        for plugin, variants in index["entries"].items():
            entries[plugin], definitions[plugin] = {}, {}
            for key, entry in variants.items():
                entries[plugin][key] = {k: v for k, v in entry.items() if k != "bulk"}
                definitions[plugin][key] = entry["bulk"]
        digest = _digest(definitions)[:16]
        brief = {**index, "entries": entries, "definitions": digest}
        # The definitions first: an index never names what is not there yet.
        written = write_json(self._definitions(digest), definitions) and write_json(
            self._directory / f"index-{self._name}.json", brief
        )
        self._memory = None if written else index
        if written:
            self._sweep(self._definitions(digest))

    def _definitions(self, digest: str) -> Path:
        return self._directory / f"definitions-{self._name}-{digest}.json"

    def _sweep(self, current: Path) -> None:
        for path in self._directory.glob(f"definitions-{self._name}-*.json"):
            if path != current:
                with suppress(OSError):
                    path.unlink()


def _records(
    discovery: Discovery, settings: Settings, entries: Mapping[str, Entries]
) -> dict[str, Record]:
    """Return the records of plugins to load, of which nothing has changed."""
    records = {}
    for plugin in discovery.found:
        variants = entries.get(plugin.name, {})
        entry = variants.get(settings_key(settings, plugin.name))
        came_from = [plugin.distribution, plugin.value]
        if entry and entry["from"] == came_from and _is_untouched(entry):
            parsed = Record.parse(plugin.name, entry["brief"], entry.get("bulk"))
            records[plugin.name] = parsed
    return records


def _surviving(entries: Mapping[str, Entries], changed: set[str]) -> dict[str, Entries]:
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


def _put(
    entries: dict[str, Entries], plugin: str, key: str, entry: dict[str, Any]
) -> None:
    variants = entries.setdefault(plugin, {})
    variants.pop(key, None)
    variants[key] = entry
    for oldest in list(variants)[:-KEPT_VARIANTS]:
        del variants[oldest]


def _stamp_after(scan: Scan) -> stamps.Stamp:
    """Return the stamp to keep once the plugins of a scan are imported.

    The import of a module may have written `__pycache__` into a folder and so moved the
    stamp; then the later one counts, unless something was installed meanwhile.
    """
    after = stamps.take_stamp(scan.stamp)
    unchanged = stamps.take_fingerprint(after) == scan.fingerprint
    return after if unchanged else scan.stamp


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
