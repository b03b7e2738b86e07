"""Recordings of real models and servers, which this repository does not hold."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recordings beside the repository; without it the test skips."""
    if not SHARED.is_dir():
        pytest.skip(f"no recordings here: {SHARED} does not exist")
    return SHARED
