"""A worker's other end: a process that measures when it is asked to."""

import json
import select
import subprocess
from types import TracebackType
from typing import Any, Self

from projects import HERE, Project

PATIENCE = 300.0  # seconds for one answer


class RemoteError(Exception):
    """A worker failed, died or did not answer."""


class Remote:
    """One project at work.

    Args:
        project: Whose driver is used.
        more: Tools that are registered besides the five.
    """

    def __init__(self, project: Project, *, more: int = 0) -> None:
        self.project = project
        self.about: dict[str, Any] = {}
        self._command = [
            str(project.python),
            str(HERE / "worker.py"),
            project.driver,
            str(more),
        ]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, do: str, **options: Any) -> Any:
        """Return what a command came to.

        Raises:
            RemoteError: it failed.
        """
        process, name = self._process, self.project.name
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"do": do, **options}) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise RemoteError(f"{name} has died before {do!r}") from None
        if not select.select([process.stdout], [], [], PATIENCE)[0]:
            raise RemoteError(f"{name} did not answer {do!r}")
        line = process.stdout.readline()
        if not line:
            raise RemoteError(f"{name} died at {do!r}")
        answer = json.loads(line)
        if "error" in answer:
            raise RemoteError(f"{name}, {do!r}: {answer['error']}")
        return answer["value"]

    def describe(self) -> Any:
        """Return its versions and its paths, each of which has worked once."""
        return self.ask("describe", distributions=self.project.table["versions"])
