"""Real environments, real installations: slow, so only where this folder is named."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .machine import Environment, Machine, clean

HERE = Path(__file__).parent


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Skip, and say so, unless this folder or a file of it is named."""
    named = [
        (config.invocation_params.dir / arg.partition("::")[0]).resolve()
        for arg in config.args
    ]
    if any(path == HERE or HERE in path.parents for path in named):
        return
    skip = pytest.mark.skip(reason="real installations: nox -s packaging")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """One environment with Pegboard, for all tests."""
    return Environment(tmp_path_factory.mktemp("environment") / "venv")


@pytest.fixture
def machine(environment: Environment, tmp_path: Path) -> Iterator[Machine]:
    """The environment with a home of its own, and without packs of earlier tests."""
    made = Machine(environment, tmp_path)
    yield made
    made.close()


class Author:
    """Somebody with a fresh environment: Pegboard from this checkout, nothing else.

    Args:
        folder: Where they work.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = Environment(folder / "venv")

    def __call__(self, *command: str, cwd: Path | None = None) -> str:
        """Run a program; return what it printed. It must succeed."""
        done = subprocess.run(
            command,
            cwd=cwd or self.folder,
            env=self._variables(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _variables(self) -> dict[str, str]:
        variables = clean()
        path = os.pathsep.join([str(self.environment.programs), variables["PATH"]])
        return {
            **variables,
            "PATH": path,
            "HOME": str(self.folder),
            "PEGBOARD_CACHE_DIR": str(self.folder / "cache"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_QUIET": "1",
        }


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Author:
    """An environment of its own for each module: projects are installed into it."""
    return Author(tmp_path_factory.mktemp("author"))
