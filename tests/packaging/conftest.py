"""Real environments, real installations: slow, so only where this folder is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .machine import Environment, Machine

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
