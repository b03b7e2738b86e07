"""pytest fixtures: `pytest_plugins = ["pegboard.testing"]`, or import them by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from pegboard.board import Pegboard
from pegboard.testing._boards import make_board
from pegboard.testing._recording import RecordingPlugin
from pegboard.testing._snapshots import assert_schema_snapshot


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes snapshots."""
    parser.getgroup("pegboard").addoption(
        "--pegboard-update",
        action="store_true",
        help="write the schema snapshots instead of comparing with them",
    )


@pytest.fixture
def board() -> Iterator[Callable[..., Pegboard]]:
    """`board(tools, plugins=[...])` makes a board; it is closed after the test.

    Takes what `pegboard.testing.make_board` takes.
    """
    made: list[Pegboard] = []

    def make(tools: Iterable[Any] = (), **options: Any) -> Pegboard:
        made.append(make_board(tools, **options))
        return made[-1]

    yield make
    for item in made:
        _close(item)


def _close(board: Pegboard) -> None:
    """Close a board that has a loop of its own; others end with their loop."""
    loop = board.executor.door.loop
    if loop is not None and loop.is_running():
        board.__exit__(None, None, None)


@pytest.fixture
def recording() -> RecordingPlugin:
    """A plugin that records every hook and event; pass it to `board`."""
    return RecordingPlugin()


@pytest.fixture
def schema_snapshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`schema_snapshot(tools)` compares with snapshots/TEST.json beside the test file.

    `pytest --pegboard-update` writes the file.
    """

    def compare(tools: Pegboard | Iterable[Any], name: str = "") -> None:
        stem = re.sub(r"[^\w.-]+", "_", name or request.node.name)
        assert_schema_snapshot(
            tools,
            request.path.parent / "snapshots" / f"{stem}.json",
            update=bool(request.config.getoption("pegboard_update", False)),
        )

    return compare
