"""Whole programs: how long they take from start to exit."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

#: Printed by a program at its end: its peak of memory in KiB, and its modules.
TAIL = """
import sys
with open("/proc/self/status") as file:
    [peak] = [line.split()[1] for line in file if line.startswith("VmHWM")]
print(peak, len(sys.modules), "pydantic" in sys.modules)
"""


class Programs:
    """Runs programs in an empty folder, with nobody's settings.

    Args:
        extra: Variables besides those that a program needs.
    """

    def __init__(self, extra: Mapping[str, str] | None = None) -> None:
        self._folder = TemporaryDirectory(prefix="bench-")
        self.home = Path(self._folder.name)
        (self.home / "empty").mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PEGBOARD_CACHE_DIR": str(self.home / "cache"),
            **(extra or {}),
        }

    def close(self) -> None:
        """Leave nothing behind."""
        self._folder.cleanup()

    def run(self, command: Sequence[str | Path]) -> str:
        """Return what a program prints.

        Raises:
            CalledProcessError: it ended with an error.
        """
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.home / "empty",
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def time(self, command: Sequence[str | Path]) -> float:
        """Return the milliseconds of a program, its output in a pipe."""
        start = perf_counter()
        self.run(command)
        return (perf_counter() - start) * 1e3

    def peak(self, python: Path, code: str) -> tuple[float, int, bool]:
        """Return MiB at most, modules loaded, and whether pydantic is one of them."""
        *_, last = self.run([python, "-c", code + TAIL]).splitlines()
        kibibytes, modules, pydantic = last.split()
        return int(kibibytes) / 1024, int(modules), pydantic == "True"
