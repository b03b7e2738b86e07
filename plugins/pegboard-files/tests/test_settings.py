"""The settings of the pack."""

import pytest
from pydantic import ValidationError

from pegboard_files import Settings
from pegboard_files.settings import name_roots


def test_the_default_root_is_the_working_directory(tmp_path, monkeypatch):
    """Without settings the tools work where the program was started."""
    monkeypatch.chdir(tmp_path)

    assert name_roots(Settings().roots) == {"": tmp_path}


def test_several_roots_have_names(tmp_path):
    """A list takes the folders' own names, a table gives others; one needs none."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    a, b = tmp_path / "a", tmp_path / "b"

    assert name_roots(Settings(roots=[str(a), str(b)]).roots) == {"a": a, "b": b}
    assert name_roots(Settings(roots={"x": a, "y": a}).roots) == {"x": a, "y": a}
    assert name_roots(Settings(roots={"x": a}).roots) == {"": a}


def test_a_root_may_begin_with_the_home_directory(tmp_path, monkeypatch):
    """A tilde stands for the home directory, as in a shell."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert name_roots(Settings(roots=["~"]).roots) == {"": tmp_path}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"roots": []}, "is empty; name at least one folder"),
        ({"roots": ["none"]}, "has '.*/none', which is no folder"),
        ({"roots": ["file"]}, "has '.*/file', which is no folder"),
        (
            {"roots": ["a/x", "b/x"]},
            "has the name 'x', which cannot tell several folders",
        ),
        ({"roots": {"a/b": "a", "c": "b"}}, "has the name 'a/b', which cannot tell"),
        ({"roots": ["a", "/"]}, "has the name '', which cannot tell"),
        ({"max_matches": 0}, "max_matches\n.*greater than or equal to 1"),
        ({"root": ["a"]}, "root\n.*not permitted"),
    ],
)
def test_wrong_settings_are_refused(tmp_path, monkeypatch, settings, message):
    """D4: a root that is not there, or no name for it, is found when loading."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a" / "x").mkdir(parents=True)
    (tmp_path / "b" / "x").mkdir(parents=True)
    (tmp_path / "file").touch()

    with pytest.raises(ValidationError, match=message):
        Settings(**settings)
