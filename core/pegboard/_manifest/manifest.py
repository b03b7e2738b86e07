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
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pegboard._cache import cache_directory, read_json, write_json
from pegboard._discovery import Discovery, select
from pegboard._distributions import Found, Requirements, read_installed
from pegboard._manifest import stamps
from pegboard._manifest.records import Record, settings_key
from pegboard._manifest.variants import Entries, make_entry, put, records_of, surviving
from pegboard.settings import Settings

FORMAT = 1
MALFORMED = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What a file that we did not write may lead to; it then counts as not there."""

Index = dict[str, Any]


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
    entries: Entries

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
        self._directory = directory or cache_directory() / "manifest"
        self._name = _digest([sys.executable, sys.prefix, sys.version])[:12]
        self._since = time.time_ns()
        self._memory: Index | None = None

    def current(
        self,
        settings: Settings,
        *,
        brief: bool = False,
        without: Collection[str] = (),
    ) -> Known | None:
        """Return what is known if all of it still holds, else None.

        Imports no plugin and reads no distribution.

        Args:
            settings: The effective settings.
            brief: Whether tools without schemas, and one line of each, will do.
            without: Plugins that need not be known: others take their places.
        """
        with suppress(*MALFORMED):
            index = self._read(bulk=not brief)
            if stamps.is_same(index["stamp"], stamps.take_stamp(index["stamp"])):
                installed = tuple(Found(**plugin) for plugin in index["installed"])
                discovery = select(installed, settings)
                records = records_of(discovery.found, settings, index["entries"])
                if {p.name for p in discovery.found} <= records.keys() | set(without):
                    return Known(discovery, records)
        return None

    def scan(self, settings: Settings) -> Scan:
        """Return what is installed now, and what is still known of it.

        Reads distributions; imports no plugin.
        """
        stamp = stamps.take_stamp()
        fingerprint = stamps.take_fingerprint(stamp)
        installed = read_installed()
        entries: Entries = {}
        kept: dict[str, Record] = {}
        discovery = select(installed, settings)
        with suppress(*MALFORMED):
            index = self._read(bulk=True)
            if stamps.is_same_interpreter(index["stamp"], stamp):
                changed = stamps.differing(index["fingerprint"], fingerprint)
                if not changed.intersection(index["core"]):
                    entries = surviving(index["entries"], changed)
                    kept = records_of(discovery.found, settings, entries)
        return Scan(discovery, kept, settings, stamp, fingerprint, installed, entries)

    def record(self, scan: Scan, records: Iterable[Record]) -> Known:
        """Keep what the plugins of a scan were found to be when they were imported."""
        live = {record.plugin: record for record in records}
        entries = {plugin: dict(variants) for plugin, variants in scan.entries.items()}
        requirements = Requirements()
        for plugin in scan.discovery.found:
            if plugin.name in live:
                key = settings_key(scan.settings, plugin.name)
                entry = make_entry(
                    plugin, live[plugin.name], requirements, since=self._since
                )
                put(entries, plugin.name, key, entry)
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

    def watched_files(self) -> list[str]:
        """Return the files of plugins that may change without an installation."""
        found: list[str] = []
        with suppress(*MALFORMED):
            for variants in self._read(bulk=False)["entries"].values():
                for entry in variants.values():
                    found += entry["files"]
        return found

    def replace(self, settings: Settings, found: Found, record: Record) -> None:
        """Put what a plugin was just found to be in the place of what was known."""
        with suppress(*MALFORMED):
            index = self._read(bulk=True)
            key = settings_key(settings, record.plugin)
            entry = make_entry(found, record, Requirements(), since=self._since)
            put(index["entries"], record.plugin, key, entry)
            self._write(index)

    def forget(self, plugins: Iterable[str]) -> None:
        """Know nothing of some plugins, so that they are imported again."""
        with suppress(*MALFORMED):
            index = self._read(bulk=True)
            for name in plugins:
                index["entries"].pop(name, None)
            self._write(index)

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
        entries: Entries = {}
        definitions: Entries = {}
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
            with suppress(OSError):
                if path != current:
                    path.unlink()


def _stamp_after(scan: Scan) -> stamps.Stamp:
    """Return the stamp to keep once the plugins of a scan are imported.

    That may have written `__pycache__` into a folder and so moved the stamp; then the
    later one counts, unless something was installed meanwhile.
    """
    after = stamps.take_stamp(scan.stamp)
    unchanged = stamps.take_fingerprint(after) == scan.fingerprint
    return after if unchanged else scan.stamp


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
