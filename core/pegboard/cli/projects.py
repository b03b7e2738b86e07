"""Projects made from templates: a tool pack, or a plugin."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

from pegboard import __version__
from pegboard.errors import UsageError

Kind = Literal["pack", "plugin"]
License = Literal["MIT", "none"]

PREFIX = "pegboard-"
LONGEST = 40
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_RESERVED = ("code", "pegboard")
_DESCRIPTIONS = {
    "pack": "Tools for language models: {}.",
    "plugin": "A policy for the tools of language models: {}.",
}


@dataclass(frozen=True, slots=True)
class Project:
    """What is made.

    Attributes:
        kind: pack or plugin.
        name: The plugin's name, the entry point's.
        license: MIT, or none for no licence.
    """

    kind: Kind
    name: str
    license: License = "MIT"

    @property
    def distribution(self) -> str:
        """The name that pip installs it by."""
        return PREFIX + self.name

    @property
    def module(self) -> str:
        """The name that Python imports it by."""
        return self.distribution.replace("-", "_")

    @property
    def class_name(self) -> str:
        """The name of the plugin's class."""
        return "".join(part.capitalize() for part in self.name.split("-"))

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield the path of each file inside the project, and its text."""
        words = self._words()
        for path, template in self._templates().items():
            yield path, Template(_read(template)).substitute(words)
        yield f"{self.module}/py.typed", ""

    def _templates(self) -> dict[str, str]:
        listed = {
            ".gitignore": "gitignore.tmpl",
            "README.md": f"{self.kind}/README.md.tmpl",
            "pyproject.toml": "pyproject.toml.tmpl",
            f"{self.module}/__init__.py": f"{self.kind}/module.py.tmpl",
            f"tests/test_{self.name}.py".replace(
                "-", "_"
            ): f"{self.kind}/tests.py.tmpl",
        }
        return (
            listed if self.license == "none" else {**listed, "LICENSE": "LICENSE.tmpl"}
        )

    def _words(self) -> dict[str, str]:
        is_pack = self.kind == "pack"
        licensed = '\nlicense = "MIT"\nlicense-files = ["LICENSE"]'
        return {
            "name": self.name,
            "distribution": self.distribution,
            "module": self.module,
            "class_name": self.class_name,
            "description": _DESCRIPTIONS[self.kind].format(self.name.replace("-", " ")),
            "group": "pegboard.tools" if is_pack else "pegboard.plugins",
            "entry": f"{self.module}:{'tools' if is_pack else self.class_name}",
            "requirement": _requirement(__version__),
            "license": "" if self.license == "none" else licensed,
            "year": str(datetime.now(UTC).year),
        }


def read_name(text: str) -> str:
    """Return a plugin's name: lower case, words joined by "-", without "pegboard-".

    Raises:
        UsageError: no such name can be made of the text.
    """
    name = re.sub(r"[-_.\s]+", "-", text.strip().lower()).removeprefix(PREFIX)
    if not _NAME.fullmatch(name) or name in _RESERVED or len(name) > LONGEST:
        raise UsageError(
            f"{text!r} cannot name a project: take a letter, then letters, digits and"
            f" '-', {LONGEST} at most, and not {' or '.join(map(repr, _RESERVED))}"
        )
    return name


def write_project(project: Project, parent: Path) -> Path:
    """Write a project into a new folder of its distribution's name; all or nothing.

    Raises:
        UsageError: the folder is there already.
    """
    folder = parent / project.distribution
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(
            f"{folder} is there already, so nothing was written; choose another name"
        ) from None
    try:
        for path, text in project.files():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder)
        raise
    return folder


def _requirement(version: str) -> str:
    """Return the versions of Pegboard for which a project is made."""
    major, minor = map(int, version.split(".")[:2])
    below = f"0.{minor + 1}" if major == 0 else str(major + 1)
    return f">={major}.{minor},<{below}"


def _read(template: str) -> str:
    return (files("pegboard.cli") / "templates" / template).read_text(encoding="utf-8")
