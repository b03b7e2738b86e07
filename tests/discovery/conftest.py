"""Installed distributions: real folders of metadata and modules on the path."""

import functools
import importlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pegboard import settings
from pegboard._distributions import Found
from pegboard._manifest import Known, Manifest
from pegboard._manifest.records import Record
from pegboard.errors import PluginError
from pegboard.schemas import ToolAnnotations, ToolDefinition


class Site:
    """A folder of installed distributions, first on the path.

    Names of distributions and modules are made for the test, so that nothing of them
    is found elsewhere.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: set[str] = set()

    def install(
        self,
        name: str,
        version: str = "1.0",
        *,
        tools: Mapping[str, str] | None = None,
        plugins: Mapping[str, str] | None = None,
        modules: Mapping[str, str] | None = None,
        requires: Sequence[str] = (),
        record: bool = True,
        editable: bool = False,
    ) -> Path:
        """Install one distribution; returns its folder of metadata."""
        metadata = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        metadata.mkdir(parents=True)
        lines = [f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {text}" for text in requires]
        (metadata / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines]))
        groups = {"pegboard.tools": tools, "pegboard.plugins": plugins}
        text = "".join(
            f"[{group}]\n"
            + "".join(f"{key} = {value}\n" for key, value in said.items())
            for group, said in groups.items()
            if said
        )
        (metadata / "entry_points.txt").write_text(text)
        if record:
            (metadata / "RECORD").write_text("")
        if editable:
            origin = {"url": "file:///src", "dir_info": {"editable": True}}
            (metadata / "direct_url.json").write_text(json.dumps(origin))
        for module, source in (modules or {}).items():
            self.write(module, source)
        importlib.invalidate_caches()
        return metadata

    def write(self, module: str, source: str, folder: Path | None = None) -> Path:
        """Write a module; "a/b" makes b in the package a."""
        path = (folder or self.folder) / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source))
        self.modules.add(module.partition("/")[0])
        importlib.invalidate_caches()
        return path

    def age(self) -> None:
        """Let the folder have been as it is for a while."""
        if self.folder.stat().st_mtime > time.time() - 30:
            os.utime(self.folder, (time.time() - 60,) * 2)

    def forget(self) -> None:
        """Let the next import of the site's modules be the first one."""
        for name in list(sys.modules):
            if name.partition(".")[0] in self.modules:
                del sys.modules[name]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's user keeps configuration, state and cache."""
    home = tmp_path / "home"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("PEGBOARD_CACHE_DIR", str(home / "cache"))
    monkeypatch.setattr(settings, "ORGANISATION_FILE", tmp_path / "organisation.toml")
    return home


@pytest.fixture
def make_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[type[Site] | object]:
    """Makes folders on the path; the last one made is the first on it."""
    sites: list[Site] = []

    def make(name: str) -> Site:
        site = Site(tmp_path / name)
        site.folder.mkdir()
        monkeypatch.syspath_prepend(site.folder)
        sites.append(site)
        return site

    yield make
    for site in sites:
        site.forget()


@pytest.fixture
def site(make_site):
    """One folder on the path."""
    return make_site("site")


class Board:
    """What a board does with the manifest, without the rest of a board."""

    def __init__(self, site: Site, **values: object) -> None:
        self.site = site
        self.settings = settings.make_settings({"enable": ["acme_*"], **values})
        self.imported: list[str] = []

    def known(self, manifest: Manifest | None = None) -> Known:
        """What is known, by imports where it must be; `imported` says of which."""
        manifest = manifest or Manifest()
        self.imported = []
        if known := manifest.current(self.settings):
            return known
        scan = manifest.scan(self.settings)
        return manifest.record(scan, [self.look(found) for found in scan.to_import])

    def known_later(self, manifest: Manifest | None = None) -> Known:
        """What is known in a third process, each of them a while after the other."""
        for _ in range(2):
            self.known(manifest)
            self.site.forget()
            self.site.age()
        return self.known(manifest)

    def look(self, found: Found) -> Record:
        """Import one plugin whose entry point is a list of tool names."""
        self.imported.append(found.name)
        try:
            names = found.load()
        except PluginError as error:
            return Record(found.name, error=str(error), remedy=found.way_out)
        tools = (
            ToolDefinition(
                name,
                f"Does {name}.\nAt length.",
                {"type": "object", "properties": {"x": {"type": "string"}}},
                annotations=ToolAnnotations(read_only=True),
                id=f"{found.name}:{name}",
                version=found.version,
            )
            for name in names
        )
        return Record(found.name, tuple(tools), hooks=("inject",), seconds=0.25)


@pytest.fixture
def make_board(site):
    """Makes a board that sees plugins of the test only, with more settings."""
    return functools.partial(Board, site)


@pytest.fixture
def board(make_board):
    """A board that sees plugins of the test only."""
    return make_board()


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A folder of sources on the path, which no installation records."""
    folder = tmp_path / "src"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.fixture
def cached(home):
    """Returns the one file of a kind, "index" or "definitions", in the cache."""

    def find(kind: str) -> Path:
        (path,) = (home / "cache").rglob(f"{kind}-*.json")
        return path

    return find


@pytest.fixture
def pack(site):
    """Installs acme-a, whose tools are what `source` says."""

    def install(source: str = "tools = ['one']", **options: Any) -> Path:
        folder = options.pop("folder", None)
        metadata = site.install("acme-a", tools={"acme_a": "acme_a:tools"}, **options)
        site.write("acme_a", source, folder)
        return metadata

    return install
