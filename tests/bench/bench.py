"""What one run of the bench is made of, and where its numbers are kept."""

import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from projects import Project
from remote import Remote, RemoteError

Data = dict[str, Any]


@dataclass
class Bench:
    """One run: who is measured, and how often.

    Attributes:
        own: Pegboard.
        peers: The others.
        home: Where environments, packs and numbers are kept.
        rounds: Repeats of everything.
        seconds: How long each repeat of single calls takes.
        missing: Peer -> why it could not be installed or driven.
    """

    own: Project
    peers: list[Project]
    home: Path
    rounds: int = 7
    seconds: float = 0.12
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def everybody(self) -> list[Project]:
        """Pegboard first."""
        return [self.own, *self.peers]

    def say(self, text: str) -> None:
        """Show how far it is."""
        print(text, file=sys.stderr, flush=True)

    def turns(self, of: int) -> Iterator[tuple[int, list[int]]]:
        """Yield each round with an order of its own, so that nobody is always first."""
        for turn in range(self.rounds):
            yield turn, [(turn + place) % of for place in range(of)]

    @contextmanager
    def team(self, projects: list[Project]) -> Iterator[dict[str, Remote]]:
        """Open a worker a project; one that fails is named and left out."""
        with ExitStack() as stack:
            team = {}
            for project in projects:
                remote = stack.enter_context(Remote(project))
                try:
                    remote.about = remote.describe()
                except RemoteError as error:
                    self.missing[project.name] = str(error)
                    self.say(f"left out: {error}")
                    continue
                team[project.name] = remote
            yield team

    # -- numbers

    def _file(self, part: str) -> Path:
        return self.home / "results" / f"{part}.json"

    def save(self, part: str, data: Data) -> None:
        """Keep the numbers of a part."""
        data |= {"taken": datetime.now(UTC).date().isoformat(), "machine": machine()}
        data["missing"] = self.missing
        path = self._file(part)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data), encoding="utf-8")

    def load(self, part: str) -> Data:
        """Return the numbers of a part, {} if it was never measured."""
        try:
            found: Data = json.loads(self._file(part).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found


def machine() -> str:
    """Return what kind of machine this is, and not which."""
    model = platform.machine()
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    python = f"{platform.python_implementation()} {platform.python_version()}"
    cores = os.cpu_count()
    return f"{cores} cores ({model}), {memory:.0f} GiB, {platform.system()}, {python}"
