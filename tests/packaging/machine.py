"""A machine with one environment: real pip, real commands, a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .wheels import Wheel

ROOT = Path(__file__).resolve().parents[2]
#: Seconds that one command may take; a hang is a failure, not a wait.
LIMIT = 120
#: Runs the command with an organisation's file elsewhere: a constant that no variable
#: moves is patched as other tests patch it.
WITH_ORGANISATION = """
import sys, pathlib, pegboard.settings
pegboard.settings.ORGANISATION_FILE = pathlib.Path(sys.argv.pop(1))
from pegboard.cli.group import main
main()
"""


class Environment:
    """A virtual environment with Pegboard in it.

    Args:
        folder: Where it is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.pip("install", str(ROOT))

    @property
    def python(self) -> Path:
        return self.programs / "python"

    def pip(self, *arguments: str) -> None:
        """Run pip; what it prints is shown if it fails."""
        done = subprocess.run(
            [self.python, "-m", "pip", *arguments, "-q", "--disable-pip-version-check"],
            env=clean(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr


class Machine:
    """The environment as one test uses it: with a home, a project, and packs.

    Args:
        environment: Shared by all tests.
        folder: This test's own.
    """

    def __init__(self, environment: Environment, folder: Path) -> None:
        self.environment = environment
        self.home = folder / "home"
        self.project = folder / "project"
        self.organisation: Path | None = None
        self._wheels = folder / "wheels"
        self._told = folder / "imported"
        self._installed: set[str] = set()
        for path in (self.home, self.project, self._wheels):
            path.mkdir()

    # -- what is installed

    def install(self, *wheels: Wheel) -> None:
        """Install wheels with pip, all in one go, over what is there."""
        paths = [str(wheel.write(self._wheels)) for wheel in wheels]
        self._installed |= {wheel.name for wheel in wheels}
        options = ["--no-index", "--no-deps", "--force-reinstall"]
        self.environment.pip("install", *options, *paths)

    def keep_track_of(self, name: str) -> None:
        """Uninstall a distribution at the end that was installed another way."""
        self._installed.add(name)

    def uninstall(self, *names: str) -> None:
        """Uninstall distributions with pip."""
        self.environment.pip("uninstall", "-y", *(names or sorted(self._installed)))
        self._installed -= set(names or self._installed)

    def close(self) -> None:
        """Leave the environment as it was."""
        if self._installed:
            self.uninstall()

    # -- what is configured

    def configure(self, text: str) -> Path:
        """Write the project's settings file."""
        path = self.project / "pegboard.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def rule(self, text: str) -> None:
        """Write the organisation's settings file."""
        self.organisation = self.home.parent / "organisation.toml"
        self.organisation.write_text(text, encoding="utf-8")

    # -- commands

    def command(self, *arguments: str) -> list[str]:
        """Return what starts `pegboard` with these arguments."""
        if self.organisation is None:
            return [str(self.environment.programs / "pegboard"), *arguments]
        python = str(self.environment.python)
        return [python, "-c", WITH_ORGANISATION, str(self.organisation), *arguments]

    def variables(self, **more: str) -> dict[str, str]:
        """Return the variables of this machine's user."""
        return {
            **clean(),
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "PEGBOARD_CACHE_DIR": str(self.home / "cache"),
            "PACKS_IMPORTED": str(self._told),
            "COLUMNS": "200",
            **more,
        }

    def run(
        self, *arguments: str, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the project to its end."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.project,
            env=self.variables(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT,
        )

    def json(self, *arguments: str, status: int = 0, **variables: str) -> Any:
        """Run a command with --json; return what it wrote."""
        done = self.run(*arguments, "--json", **variables)
        assert done.returncode == status, (done.stdout, done.stderr)
        return json.loads(done.stdout)

    def names(self, **variables: str) -> list[str]:
        """Return the offered names of all tools."""
        return [tool["name"] for tool in self.json("list", **variables)]

    def call(
        self, tool: str, *arguments: str, status: int = 0, **variables: str
    ) -> Any:
        """Call a tool; return its result."""
        return self.json("call", tool, *arguments, status=status, **variables)

    def problems(self, status: int = 1, **variables: str) -> list[dict[str, str]]:
        """Return what `doctor` says."""
        found: list[dict[str, str]] = self.json("doctor", status=status, **variables)
        return found

    def python(self, code: str, **variables: str) -> str:
        """Run a program that embeds Pegboard; return what it printed."""
        done = subprocess.run(
            [self.environment.python, "-c", code],
            cwd=self.project,
            env=self.variables(**variables),
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def imports(self) -> Iterator[list[str]]:
        """Yield a list; afterwards it has the modules of packs that were imported."""
        self._told.unlink(missing_ok=True)
        seen: list[str] = []
        yield seen
        if self._told.exists():
            seen += self._told.read_text().split()

    def forget(self) -> None:
        """Empty the user's cache."""
        shutil.rmtree(self.home / "cache", ignore_errors=True)


def clean() -> dict[str, str]:
    """Return this process's variables without what leads to other packages."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PEGBOARD_", "PYTHON", "PIP_", "VIRTUAL_ENV", "COV_"))
    }
