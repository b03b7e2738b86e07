"""What tests of the executor ask for: installed packs, threads that are let go."""

import importlib
import itertools
import sys
import threading
from textwrap import dedent

import pytest

from pegboard import Pegboard

_numbers = itertools.count()


class Packs:
    """A folder of installed tool packs, first on the path."""

    def __init__(self, folder):
        self.folder = folder
        self.modules = []

    def install(self, source, *, names="TOOLS"):
        """Install a pack; returns its name."""
        name = f"pack_{next(_numbers)}"
        head = "import asyncio, os, signal, subprocess, sys, time\n" + dedent(
            """
            from typing import Annotated
            from pegboard import *
            from pegboard import schemas
            """
        )
        code = f"{head}\n{dedent(source)}\n"
        if names == "TOOLS":
            code += (
                "TOOLS = [value for value in vars().values() if type(value) is Tool]\n"
            )
        (self.folder / f"{name}.py").write_text(code)
        metadata = self.folder / f"{name}-1.0.dist-info"
        metadata.mkdir()
        said = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n"
        (metadata / "METADATA").write_text(said)
        points = f"[pegboard.tools]\n{name} = {name}:{names}\n"
        (metadata / "entry_points.txt").write_text(points)
        (metadata / "RECORD").write_text("")
        self.modules.append(name)
        importlib.invalidate_caches()
        return name

    def board(self, *sources, settings=None, **options):
        """A board of new packs alone, made of these sources."""
        names = [self.install(source) for source in sources]
        chosen = {"enable": names, **(settings or {})}
        return Pegboard.discover(project=None, settings=chosen, **options)


@pytest.fixture
def packs(tmp_path, monkeypatch):
    """Tool packs of this test alone."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made = Packs(tmp_path)
    yield made
    for name in made.modules:
        sys.modules.pop(name, None)


@pytest.fixture
def release():
    """Set at the end of the test, so that no body of it is left."""
    event = threading.Event()
    yield event
    event.set()
