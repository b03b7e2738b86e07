"""Files and variables of a user who has none of his own."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from pegboard import settings

Write = Callable[[str], Path]


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
def project(tmp_path: Path) -> Path:
    """An empty repository."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def writer(path: Path) -> Write:
    def write(text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def organisation(tmp_path: Path) -> Write:
    """Writes the organisation's file."""
    return writer(tmp_path / "organisation.toml")


@pytest.fixture
def user(home: Path) -> Write:
    """Writes the user's file."""
    return writer(home / "config" / "pegboard" / "pegboard.toml")


@pytest.fixture
def shared(project: Path) -> Write:
    """Writes the project's pyproject.toml."""
    return writer(project / "pyproject.toml")


@pytest.fixture
def own(project: Path) -> Write:
    """Writes the project's pegboard.toml."""
    return writer(project / "pegboard.toml")
