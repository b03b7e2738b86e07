"""Messages between a host and its worker: a length in four bytes, then JSON."""

from __future__ import annotations

import json
import socket
import threading
from dataclasses import asdict, dataclass
from typing import Any

#: Bytes of a message's length.
HEAD = 4
#: Longest message in bytes.
MAX_MESSAGE = 268_435_456

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a worker finds its plugin again.

    Attributes:
        name: The plugin's name.
        group: The group of its entry point.
        value: What the entry point names.
        distribution: The distribution that brings it.
        version: That one's version.
        settings: The plugin's own table, as JSON.
        variables: Names of the environment variables that its settings name.
    """

    name: str
    group: str
    value: str
    distribution: str
    version: str
    settings: str = "{}"
    variables: tuple[str, ...] = ()

    def to_dict(self) -> Message:
        """Return the origin as a JSON object."""
        return asdict(self)


def pack(message: Message) -> bytes:
    """Return a message as it goes over the line.

    Raises:
        ValueError: it is too long.
    """
    data = json.dumps(message, separators=(",", ":")).encode()
    if len(data) > MAX_MESSAGE:
        raise ValueError(f"a message of {len(data):,} bytes is too long")
    return len(data).to_bytes(HEAD, "big") + data


def length_of(head: bytes | bytearray) -> int:
    """Return how many bytes follow.

    Raises:
        ValueError: more than any message has.
    """
    length = int.from_bytes(head, "big")
    if length > MAX_MESSAGE:
        raise ValueError(f"a message of {length:,} bytes is announced")
    return length


def unpack(data: bytes | bytearray) -> Message:
    """Return the message.

    Raises:
        ValueError: it is no JSON object.
    """
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError("a message is a JSON object")
    return message


class Line:
    """The worker's end: sends from any thread, receives in one.

    Args:
        end: A connected socket.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Send a message whole.

        Raises:
            ValueError: it is too long; nothing of it was sent.
            OSError: nobody is there any more.
        """
        data = pack(message)
        with self._lock:
            self._socket.sendall(data)

    def receive(self) -> Message | None:
        """Return the next message, None if there will be none."""
        head = self._read(HEAD)
        data = self._read(length_of(head)) if head is not None else None
        return None if data is None else unpack(data)

    def _read(self, count: int) -> bytes | None:
        data = bytearray()
        while len(data) < count:
            try:
                part = self._socket.recv(min(count - len(data), 1 << 20))
            except OSError:
                return None
            if not part:
                return None
            data += part
        return bytes(data)
