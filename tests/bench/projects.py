"""Pegboard and its peers: what each needs, an environment for each."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEGBOARD = "pegboard"

OWN: dict[str, Any] = {
    "requires": [str(ROOT)],
    "versions": ["pegboard", "pydantic", "jsonschema-rs", "jiter", "pluggy", "click"],
    "cold": """
from pegboard import tool
@tool
async def add(a: int, b: int) -> int:
    "Add."
    return a + b
print(add.definition.input_schema)
""",
    "paths": {
        "board": "",
        "board, arguments as a dict": "takes a dict, so nothing is parsed",
        "board, 1 plugin": "with a guard, a rewriter and a middleware",
        "board, 5 plugins": "with five of each",
        "board, 5 plugins, async hooks": "with five of each, which may wait",
        "board, 5 plugins, timeout, observer": "with five of each, and an observer",
    },
}


@dataclass(frozen=True)
class Project:
    """One project in its own environment.

    Attributes:
        name: Its name in peers.toml; its driver has the same one.
        table: What peers.toml says of it.
        environment: The folder of its virtual environment.
    """

    name: str
    table: dict[str, Any] = field(repr=False)
    environment: Path

    @property
    def driver(self) -> str:
        """The module of `drivers`."""
        return self.name.replace("-", "_")

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.program("python")

    def program(self, name: str) -> Path:
        """Return a program of its environment."""
        return self.environment / "bin" / name


def read_peers() -> dict[str, dict[str, Any]]:
    """Return what peers.toml says."""
    return tomllib.loads((HERE / "peers.toml").read_text(encoding="utf-8"))


class Environments:
    """Makes an environment a project, or takes the one that is there.

    Args:
        home: Where they are.

    Attributes:
        missing: Project -> why it has none.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self.missing: dict[str, str] = {}

    def own(self) -> Project:
        """Return Pegboard, installed from this checkout as it is now."""
        project = Project(PEGBOARD, OWN, self._home / PEGBOARD)
        if not self._is_ready(project):
            self._make(project)
        again = ["--no-deps", "--force-reinstall", str(ROOT)]
        self._pip(project, *again)
        return project

    def peers(self, names: Iterable[str]) -> list[Project]:
        """Return the peers that can be installed."""
        tables, found = read_peers(), []
        for name in names:
            project = Project(name, tables[name], self._home / name)
            try:
                if not self._is_ready(project):
                    self._make(project)
            except subprocess.CalledProcessError as error:
                self.missing[name] = (error.stderr or "").strip().rpartition("\n")[2]
                continue
            found.append(project)
        return found

    def _note(self, project: Project) -> Path:
        return project.environment / "bench.json"

    def _is_ready(self, project: Project) -> bool:
        try:
            noted = json.loads(self._note(project).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(noted == _recipe(project))

    def _make(self, project: Project) -> None:
        print(f"installing {project.name} ...", file=sys.stderr, flush=True)
        create = [sys.executable, "-m", "venv", "--clear", str(project.environment)]
        subprocess.run(create, check=True, capture_output=True, text=True)
        self._pip(project, *project.table["requires"])
        self._note(project).write_text(json.dumps(_recipe(project)))

    def _pip(self, project: Project, *arguments: str) -> None:
        pip = [str(project.python), "-m", "pip", "install", "-q"]
        quiet = ["--disable-pip-version-check", "--root-user-action=ignore"]
        subprocess.run(
            [*pip, *quiet, *arguments], check=True, capture_output=True, text=True
        )


def _recipe(project: Project) -> list[str]:
    """Return what an environment is made of; with another recipe it is made anew."""
    return [sys.version, *project.table["requires"]]
