"""A folder to work in, something secret beside it, and the tools on it."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pegboard_files import Settings, register_tools


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "file.txt").write_text("secret\n")
    return folder


@pytest.fixture
def make_tools(root: Path) -> Callable[..., SimpleNamespace]:
    def make(**settings: object) -> SimpleNamespace:
        tools = register_tools(Settings(**{"roots": [root], **settings}))
        return SimpleNamespace(**{tool.name: tool for tool in tools})

    return make


@pytest.fixture
def tools(make_tools: Callable[..., SimpleNamespace]) -> SimpleNamespace:
    return make_tools()


@pytest.fixture
def powerless() -> Iterator[Path]:
    """A folder whose permissions hold, since the test does not run as root."""
    folder = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, 65_534, 65_534)
        os.seteuid(65_534)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        shutil.rmtree(folder)
