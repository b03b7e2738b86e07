"""The bench is a program, not a package: its modules are found beside it."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test import what the bench is made of."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
