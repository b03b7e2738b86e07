"""`pegboard new` makes projects that work as they are."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import pegboard
from pegboard import UsageError
from pegboard.cli.projects import Project, read_name, write_project

KINDS = ("pack", "plugin")


@pytest.mark.parametrize(
    "text",
    ["word-count", "Word_Count", "pegboard-word-count", " word count ", "word.-count"],
)
def test_a_name_is_brought_into_one_form(text):
    """However it is written, one thing has one name."""
    project = Project("pack", read_name(text))

    assert project.name == "word-count"
    assert project.distribution == "pegboard-word-count"
    assert project.module == "pegboard_word_count"
    assert project.class_name == "WordCount"


@pytest.mark.parametrize(
    "text",
    ["", "pegboard-", "pegboard", "code", "9lives", "a--", "ärger", "a/b", "../x"],
)
def test_a_name_that_cannot_be_is_refused(text):
    """D8: what no plugin, distribution or module can be called is said at once."""
    with pytest.raises(UsageError, match="cannot name a project: take a letter"):
        read_name(text)


@pytest.mark.parametrize(
    ("kind", "group", "entry"),
    [
        ("pack", "pegboard.tools", "pegboard_two_words:tools"),
        ("plugin", "pegboard.plugins", "pegboard_two_words:TwoWords"),
    ],
)
def test_a_project_declares_its_entry_point(tmp_path, kind, group, entry):
    """D1: a pack is declared as a pack, a policy as a plugin, for this Pegboard."""
    folder = write_project(Project(kind, "two-words"), tmp_path)

    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == folder.name == "pegboard-two-words"
    assert project["entry-points"] == {group: {"two-words": entry}}
    needed = Requirement(project["dependencies"][0])
    assert needed.name == "pegboard"
    assert needed.specifier.contains(pegboard.__version__)
    assert not needed.specifier.contains("99.0")
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*")) == [
        ".gitignore",
        "README.md",
        "pegboard_two_words/__init__.py",
        "pegboard_two_words/py.typed",
        "pyproject.toml",
        "tests/test_two_words.py",
    ]


def test_the_licence_is_a_choice(tmp_path):
    """MIT with its text, or none at all."""
    with_one = write_project(Project("pack", "free"), tmp_path)
    without = write_project(Project("pack", "closed", license="none"), tmp_path)

    assert "The pegboard-free authors" in (with_one / "LICENSE").read_text()
    assert 'license = "MIT"' in (with_one / "pyproject.toml").read_text()
    assert not (without / "LICENSE").exists()
    assert "license" not in (without / "pyproject.toml").read_text()


def test_nothing_is_overwritten(tmp_path):
    """What is there already stays as it is, an empty folder included."""
    (tmp_path / "pegboard-mine").mkdir()

    with pytest.raises(UsageError, match="is there already, so nothing was written"):
        write_project(Project("pack", "mine"), tmp_path)

    assert list((tmp_path / "pegboard-mine").iterdir()) == []


class OnAFullDisk(Project):
    """A project whose second file cannot be written."""

    __slots__ = ()

    def files(self) -> Iterator[tuple[str, str]]:
        yield "README.md", "Half."
        raise OSError(28, "No space left on device")


def test_half_a_project_is_none(tmp_path):
    """A project that cannot be written whole leaves nothing behind."""
    with pytest.raises(OSError, match="No space left"):
        write_project(OnAFullDisk("pack", "half"), tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_tests_of_a_new_project_pass(tmp_path, kind):
    """A project is green before its author has changed a line."""
    folder = write_project(Project(kind, "brand-new"), tmp_path)

    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-Werror", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_project_is_tidy(tmp_path, kind):
    """ruff and mypy --strict have nothing to say of what is generated."""
    if shutil.which("ruff") is None or shutil.which("mypy") is None:
        pytest.skip("ruff and mypy are not installed: pip install pegboard[lint]")
    folder = write_project(Project(kind, "brand-new"), tmp_path)

    for command in (
        ["ruff", "check", "--isolated", "--select", "E,F,W,I,UP,B,PT,RUF", "."],
        ["ruff", "format", "--isolated", "--check", "."],
        [
            "mypy",
            "--strict",
            "--cache-dir",
            str(tmp_path / "cache"),
            "pegboard_brand_new",
        ],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pegboard", "new", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_the_command_says_what_to_do_next(tmp_path):
    """One command makes the project and shows the way to its first call."""
    done = run(tmp_path, "pack", "Weather")

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "pegboard-weather/ is ready. Next:",
        "",
        "    cd pegboard-weather",
        '    pip install -e ".[test]"',
        "    pytest",
        '    pegboard call count_words text="one two two"',
    ]
    assert (tmp_path / "pegboard-weather" / "pegboard_weather" / "__init__.py").exists()


def test_a_refusal_is_one_line_and_exit_code_2(tmp_path):
    """A wrong name, or a folder that is there, is a mistake of use."""
    run(tmp_path, "plugin", "quiet")

    for name in ("quiet", "9"):
        done = run(tmp_path, "plugin", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
