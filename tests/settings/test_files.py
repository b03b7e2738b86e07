"""Which of a project's files is read, and what is said of one that cannot be."""

import os
from pathlib import Path

import pytest

from pegboard.errors import SettingsError
from pegboard.settings import load_settings

TABLE = "[tool.pegboard]\ntimeout = 7\n"


def test_the_nearest_pyproject_that_has_the_table_counts(project):
    """Settings: a pyproject.toml without [tool.pegboard] is passed over."""
    inner = project / "packages" / "one"
    inner.mkdir(parents=True)
    (project / "pyproject.toml").write_text(TABLE)
    (inner / "pyproject.toml").write_text("[project]\nname = 'pegboard-one'\n")

    settings = load_settings(inner)

    assert settings.timeout == 7
    assert settings.project_file == project / "pyproject.toml"


def test_an_own_file_counts_like_a_pyproject(project):
    """Settings: pegboard.toml is the table without its name."""
    (project / "pegboard.toml").write_text("timeout = 7\n")
    (project / "src").mkdir()

    assert load_settings(project / "src").timeout == 7


def test_an_own_file_comes_before_the_pyproject_beside_it(project, own, shared):
    """Settings: of two files in one folder the own one is read; the other is named."""
    path = own("timeout = 3")
    other = shared(TABLE)

    settings = load_settings(project)

    assert (settings.timeout, settings.project_file) == (3, path)
    assert [problem.message for problem in settings.problems] == [
        f"{other} has settings, and {path} beside it is read"
    ]


def test_the_search_ends_at_the_root_of_the_repository(project):
    """Settings: what lies above the repository is not the project's."""
    (project.parent / "pegboard.toml").write_text("timeout = 7\n")

    settings = load_settings(project)

    assert settings.timeout == 120
    assert settings.project_file is None


def test_outside_of_a_repository_the_search_goes_on_upward(tmp_path):
    """Settings: a project need not be a repository."""
    (tmp_path / "pegboard.toml").write_text("timeout = 7\n")
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert load_settings(tmp_path / "a" / "b").timeout == 7


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can chown")
def test_the_search_ends_where_the_owner_changes(tmp_path):
    """Settings: nobody leaves a file for others in a folder above theirs."""
    (tmp_path / "pegboard.toml").write_text("timeout = 7\n")
    inner = tmp_path / "mine"
    inner.mkdir()
    os.chown(inner, 12345, 12345)

    assert load_settings(inner).timeout == 120


def test_the_current_folder_is_where_the_search_starts(project, own, monkeypatch):
    """Settings: without a word the project is the one around the current folder."""
    own("timeout = 7")
    monkeypatch.chdir(project)

    assert load_settings().timeout == 7


def test_a_file_can_be_named_itself(tmp_path):
    """Settings: a file given as the project is read, whatever its name."""
    path = tmp_path / "other.toml"
    path.write_text("timeout = 7\n")

    settings = load_settings(path)

    assert (settings.timeout, settings.project_file) == (7, path)


def test_a_place_that_is_not_there_is_an_error(tmp_path):
    """Settings: a misspelled folder does not mean "no settings"."""
    with pytest.raises(SettingsError, match="neither a folder nor a file"):
        load_settings(tmp_path / "missing")


def test_the_search_ends_at_the_top(project):
    """Settings: a folder without anything above it has no project's settings."""
    top = Path(project.anchor)

    assert load_settings(top).project_file in (None, top / "pegboard.toml")


def test_a_byte_order_mark_is_tolerated(project):
    """W235: an editor's mark at the start of the file does no harm."""
    (project / "pyproject.toml").write_bytes(b"\xef\xbb\xbf" + TABLE.encode())

    assert load_settings(project).timeout == 7


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[tool.pegboard}\n", "line 1, column 15"),
        (b"[tool.pegboard]\ntimeout = \xff\n", "not TOML"),
        (b"[tool.pegboard]\nx = " + b"[" * 5000 + b"]" * 5000, "nested too deep"),
        (b"[tool]\npegboard = 5\n", "should be a table, not 5"),
    ],
)
def test_a_pyproject_that_does_not_parse_is_one_clear_line(project, content, said):
    """W232: the error names the file, and the place in it where there is one."""
    path = project / "pyproject.toml"
    path.write_bytes(content)

    with pytest.raises(SettingsError, match=said) as caught:
        load_settings(project)

    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert caught.value.file == str(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize("name", ["pegboard.toml", "pyproject.toml"])
def test_a_file_without_an_end_is_not_read(project, name):
    """Settings: a repository can hold a link to anything."""
    (project / name).symlink_to("/dev/zero")

    with pytest.raises(SettingsError, match="it is no regular file"):
        load_settings(project)


def test_a_broken_pyproject_that_does_not_speak_of_us_is_not_ours(project):
    """Settings: what cannot hold the table need not parse."""
    (project / "pyproject.toml").write_text("[project}\n")

    assert load_settings(project).timeout == 120


def test_values_nested_without_end_are_an_error(project):
    """Settings: no depth of a table stalls or breaks what reads it."""
    path = project / "pegboard.toml"
    path.write_text(f"[plugins.x]\n{'.'.join('a' * 5000)} = 1\n")

    with pytest.raises(SettingsError, match=r"nested|depth"):
        load_settings(project)


def test_tolerance_leaves_out_what_is_wrong_and_says_so(project, user, own):
    """D6: commands that look work whatever is broken, settings included."""
    user("grace = 1")
    path = own("timout = 5")

    settings = load_settings(project, tolerant=True)

    assert (settings.grace, settings.timeout) == (1, 120)
    (problem,) = settings.problems
    assert "did you mean 'timeout'" in problem.message
    assert str(path) in problem.remedy
    assert problem.severity == "error"
