"""Snapshots of what a model is offered."""

import json

import pytest

from pegboard import tool
from pegboard.testing import assert_schema_snapshot, make_board


@tool(read_only=True)
def look(path: str) -> str:
    """Look at a file.

    Args:
        path: Which one.
    """
    return path


def test_a_snapshot_holds_what_it_was_written_of(tmp_path):
    """V10: the same tools give the same text, whatever their order."""
    path = tmp_path / "kept" / "tools.json"
    other = tool(lambda: None, name="other", description="Do nothing.")

    assert_schema_snapshot([look, other], path, update=True)

    assert_schema_snapshot([other, look], path)
    assert [item["name"] for item in json.loads(path.read_text())] == ["look", "other"]


def test_a_board_is_kept_by_offered_names(tmp_path):
    """A snapshot of a board has identities, and what settings changed."""
    path = tmp_path / "board.json"
    settings = {"tools": {"look": {"description": "Look, but do not touch."}}}

    assert_schema_snapshot(make_board([look], settings=settings), path, update=True)

    kept = json.loads(path.read_text())
    assert (kept[0]["id"], kept[0]["description"]) == (
        "code:look",
        "Look, but do not touch.",
    )
    assert "version" not in kept[0]


def test_a_change_is_shown_as_a_difference(tmp_path):
    """What a model is offered otherwise is shown line by line, with the way out."""
    path = tmp_path / "tools.json"
    assert_schema_snapshot([look], path, update=True)
    changed = tool(lambda path: path, name="look", description="Look at a folder.")

    with pytest.raises(AssertionError, match="write it with update=True") as it:
        assert_schema_snapshot([changed], path)

    lines = str(it.value).splitlines()
    assert '-    "description": "Look at a file.",' in lines
    assert '+    "description": "Look at a folder.",' in lines


def test_a_missing_snapshot_is_no_success(tmp_path):
    """Without a file there is nothing to compare with, so the test fails."""
    path = tmp_path / "tools.json"

    with pytest.raises(AssertionError, match=r"there is no snapshot .*update=True"):
        assert_schema_snapshot([look], path)

    assert not path.exists()
