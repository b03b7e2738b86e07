"""One subprocess in a session of its own, at the end of a line."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pegboard._wire import HEAD, Message, Origin, length_of, pack, unpack

#: Variables that a process gets besides those that its plugin's settings name.
_VARIABLES = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "PYTHONPATH")


class Gone(Exception):
    """The process has hung up, or speaks what nobody understands."""


class Subprocess:
    """A process that runs bodies of one plugin.

    Args:
        origin: Where it finds the plugin.
        memory: Bytes of its address space, None for no limit.

    Raises:
        OSError: it could not be started.

    Attributes:
        calls: How many bodies it has begun.
        known: Tools whose definitions it has got.
    """

    def __init__(self, origin: Origin, memory: int | None) -> None:
        if os.name != "posix":
            raise OSError("processes of their own need POSIX")
        self.origin = origin
        self.calls = 0
        self.known: set[str] = set()
        self._greeting: Message | None = {"origin": origin.to_dict(), "path": sys.path}
        self._heard = bytearray()
        self._lock = threading.Lock()
        self._has_ended = False
        self._code: int | None = None
        self._mourners: list[Callable[[], object]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._socket, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = _start(theirs.fileno(), memory or 0, origin.variables)
            except BaseException:
                self._socket.close()
                raise
        self._socket.setblocking(False)
        self._watcher = threading.Thread(
            target=self._watch, name="pegboard-process", daemon=True
        )
        self._watcher.start()

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return not self._has_ended

    @property
    def pid(self) -> int:
        """Its id, which is its session's and its group's, too."""
        return self._process.pid

    # -- talking

    async def send(self, message: Message) -> None:
        """Send a message.

        Raises:
            Gone: nobody is there.
        """
        data = pack(message)
        if self._greeting is not None:
            data, self._greeting = pack(self._greeting) + data, None
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, data)
        except OSError:
            raise Gone from None

    async def receive(self) -> Message:
        """Return the next message.

        Raises:
            Gone: there will be none.
        """
        try:
            head = await self._fill(HEAD)
            end = HEAD + length_of(head[:HEAD])
            message = unpack((await self._fill(end))[HEAD:end])
        except (OSError, ValueError):
            raise Gone from None
        del self._heard[:end]
        return message

    async def _fill(self, count: int) -> bytearray:
        """Return what was heard once it is so much; nothing is lost on the way."""
        loop, heard = asyncio.get_running_loop(), self._heard
        while len(heard) < count:
            missing = min(max(count - len(heard), 1 << 16), 1 << 20)
            part = await loop.sock_recv(self._socket, missing)
            if not part:
                raise Gone
            heard += part
        return heard

    # -- resting

    def sleep(self, seconds: float, retire: Callable[[Subprocess], Any]) -> None:
        """Call `retire` after so long, unless it is woken first."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, retire, self)

    def wake(self) -> None:
        """Rest no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- ending

    def kill(self) -> None:
        """Kill it and all that it has started in its session."""
        with self._lock:
            if not self._has_ended:
                _kill_group(self.pid)

    def end(self) -> None:
        """Kill it, and hang up: nobody listens any more."""
        self.wake()
        self.kill()
        self._socket.close()

    def _watch(self) -> None:
        """Wait for its end, and let nothing outlive it."""
        with suppress(ChildProcessError):
            if hasattr(os, "waitid"):
                # Not reaped yet, so its number is still its group's and no other's.
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            else:
                self._process.wait()
        with self._lock:
            _kill_group(self.pid)
            self._code = self._process.wait()
            self._has_ended = True
            mourners = self._mourners
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes whoever listens
        for mourn in mourners:
            with suppress(RuntimeError):  # of a loop that is closed
                mourn()

    async def buried(self, seconds: float) -> int | None:
        """Wait for its end; return its exit code, None if it takes longer."""
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        with self._lock:
            if self._has_ended:
                return self._code
            self._mourners.append(lambda: loop.call_soon_threadsafe(ended.set))
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await ended.wait()
        return self._code

    def join(self) -> None:
        """Wait for what watches it, if it has ended: no more than a moment."""
        if self._has_ended:
            self._watcher.join()


def _start(end: int, memory: int, more: tuple[str, ...]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "pegboard._worker", str(end), str(memory)]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=_standard_error(),
        stderr=_standard_error(),
        pass_fds=[end],
        start_new_session=True,
        env=_environment(more),
    )


def _standard_error() -> int:
    """Return where a tool's prints go: never to the host's standard output."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


def _environment(more: tuple[str, ...]) -> dict[str, str]:
    names = {*_VARIABLES, *more}
    return {
        name: value
        for name, value in os.environ.items()
        if name in names or name.startswith("LC_")
    }


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def how_it_ended(code: int | None) -> str:
    """Return an exit code in words."""
    if code is None:
        return "does not answer and cannot be killed"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
