"""The command line as a user has it: what is installed, a shell, a terminal."""

import fcntl
import importlib
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pegboard import settings
from pegboard.cli.group import main

from .acme import POLICY

PEGBOARD = [sys.executable, "-P", "-m", "pegboard"]
#: Longest wait for something that always comes, in seconds.
PATIENCE = 60


class Site:
    """A folder of installed distributions, first on the path.

    Their plugins are named `acme...`; whatever else is installed is left out.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: set[str] = set()

    def install(
        self,
        source: str,
        *,
        name: str = "acme",
        version: str = "1.0",
        group: str = "pegboard.tools",
        plugin: str | None = None,
        value: str | None = None,
    ) -> None:
        """Install a distribution that brings one plugin, its source in one module."""
        module = name.replace("-", "_")
        metadata = self.folder / f"{module}-{version}.dist-info"
        metadata.mkdir(parents=True)
        header = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (metadata / "METADATA").write_text(header)
        (metadata / "RECORD").write_text("")
        point = f"{plugin or module} = {value or module}"
        (metadata / "entry_points.txt").write_text(f"[{group}]\n{point}\n")
        text = dedent(source)
        (self.folder / f"{module}.py").write_text(text, encoding="utf-8")
        self.modules.add(module)
        importlib.invalidate_caches()

    def forget(self) -> None:
        """Let the next import of the modules be the first one."""
        for name in self.modules & sys.modules.keys():
            del sys.modules[name]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """What is installed, in this process and in those that it starts."""
    folder = tmp_path / "site"
    folder.mkdir()
    source = Path(importlib.import_module("pegboard").__file__).parents[1]
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(source)]))
    monkeypatch.setenv("PEGBOARD_ENABLE", "acme*")
    site = Site(folder)
    yield site
    site.forget()


@pytest.fixture
def policy(site: Site) -> None:
    """A policy that takes part everywhere."""
    site.install(
        POLICY,
        name="acme-policy",
        group="pegboard.plugins",
        value="acme_policy:Policy",
    )


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, the root of a project without settings."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home/state"))
    monkeypatch.setenv("PEGBOARD_CACHE_DIR", str(tmp_path / "home/cache"))
    monkeypatch.setattr(settings, "ORGANISATION_FILE", tmp_path / "organisation.toml")
    return folder


@pytest.fixture
def pegboard() -> Callable[..., Result]:
    """Runs a command in this process, its output in pipes."""

    def run(*words: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, list(words), input=stdin)

    return run


@pytest.fixture
def answer(pegboard: Callable[..., Result]) -> Callable[..., Any]:
    """Runs a command and returns what it says in JSON."""

    def run(*words: str, stdin: str | bytes | None = None) -> Any:
        result = pegboard(*words, stdin=stdin)
        assert result.stdout.isascii(), result.stdout
        return json.loads(result.stdout)

    return run


@pytest.fixture
def process() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs a command in a process of its own, its output in pipes."""

    def run(*words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*PEGBOARD, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            env={**os.environ, **env},
        )

    return run


@pytest.fixture
def terminal() -> Iterator[Callable[..., "Terminal"]]:
    """Starts commands on terminals of their own."""
    started: list[Terminal] = []

    def start(*words: str, **options: Any) -> Terminal:
        started.append(Terminal(*words, **options))
        return started[-1]

    yield start
    for command in started:
        command.close()


class Terminal:
    """A command on a terminal of its own.

    Attributes:
        output: All that it wrote, as it came.
    """

    def __init__(self, *words: str, columns: int = 100, **env: str) -> None:
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", 40, columns, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", LEAD, *PEGBOARD, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**kept, "TERM": "xterm-256color", **env},
            start_new_session=True,
        )
        os.close(slave)
        self.output = b""

    def wait_for(self, text: str) -> None:
        """Read until the command has written a text."""
        while text.encode() not in self.output:
            assert self._read(), self.output.decode()

    def type(self, text: str) -> None:
        """Send keys; \\x03 is Ctrl-C."""
        os.write(self._master, text.encode())

    def interrupt(self) -> int:
        """Press Ctrl-C until the command ends and return the exit code.

        Once is enough as a rule; but Python sees a signal that comes just before it
        begins to wait only when it has waited.
        """
        for _ in range(PATIENCE // 5):
            self.type("\x03")
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
                return self.end()
        raise AssertionError(f"Ctrl-C does not end it: {self.screen!r}")

    def end(self) -> int:
        """Read to the end and return the exit code."""
        while self._read():
            pass
        return self._process.wait(PATIENCE)

    def close(self) -> None:
        """End the command, if a test did not."""
        os.close(self._master)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(PATIENCE)

    @property
    def screen(self) -> str:
        """What stands on the terminal, without colours and what was wiped away."""
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.output.decode())
        return text.replace("\r\n", "\n")

    def _read(self) -> bool:
        poll = select.poll()  # unlike select, of any descriptor
        poll.register(self._master, select.POLLIN)
        ready = poll.poll(PATIENCE * 1000)
        assert ready, f"nothing came in {PATIENCE} s after {self.output.decode()!r}"
        try:
            data = os.read(self._master, 65_536)
        except OSError:  # Linux's way to say that the other end is closed
            return False
        self.output += data
        return bool(data)


# Makes the terminal the controlling one, so that Ctrl-C reaches the command.
LEAD = """\
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
