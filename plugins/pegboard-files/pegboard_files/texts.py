"""Bytes and texts: encodings, what is no text, names that can be shown."""

from __future__ import annotations

import codecs
import io
import json
from typing import NamedTuple

from pegboard import ToolError

_HEAD = 8_192  # where git, too, looks for the NUL byte that betrays a binary file


class Encoding(NamedTuple):
    """How a file holds its text.

    Attributes:
        codec: The name of a Python codec that knows of no byte order mark.
        mark: The byte order mark that the file begins with.
    """

    codec: str
    mark: bytes

    @property
    def title(self) -> str:
        """What to call it."""
        return f"{self.codec} with byte order mark" if self.mark else self.codec


UTF8 = Encoding("utf-8", b"")
_MARKED = (
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE),
)


def find_encoding(head: bytes) -> Encoding:
    """Return the encoding that a file's first bytes announce, else UTF-8."""
    return next((known for known in _MARKED if head.startswith(known.mark)), UTF8)


def binary(path: str) -> ToolError:
    """Say that a file holds no text."""
    return ToolError(f"{path!r} is a binary file, not text")


def undecodable(path: str) -> ToolError:
    """Say that a file's encoding is not known."""
    return ToolError(
        f"{path!r} is no text that can be read: neither UTF-8 nor UTF-16 with a byte"
        " order mark"
    )


def open_text(file: io.BufferedReader, path: str) -> tuple[io.TextIOWrapper, Encoding]:
    """Read a file as text, piece by piece; lines end with LF, CR is left in.

    Raises:
        ToolError: it is a binary file.
    """
    head = file.peek(_HEAD)[:_HEAD]
    encoding = find_encoding(head)
    if encoding.codec == "utf-8" and b"\0" in head:
        raise binary(path)
    file.read(len(encoding.mark))
    return io.TextIOWrapper(file, encoding.codec, newline="\n"), encoding


def decode(data: bytes, path: str) -> tuple[str, Encoding]:
    """Return the text of a whole file, its line breaks as they are.

    Raises:
        ToolError: it is a binary file, or its encoding is not known.
    """
    encoding = find_encoding(data)
    try:
        text = data[len(encoding.mark) :].decode(encoding.codec)
    except UnicodeDecodeError:
        raise (binary if b"\0" in data else undecodable)(path) from None
    if "\0" in text:
        raise binary(path)
    return text, encoding


def encode(text: str, encoding: Encoding) -> bytes:
    """Return the bytes of a text.

    Raises:
        ToolError: it holds half of a surrogate pair.
    """
    try:
        return encoding.mark + text.encode(encoding.codec)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"the text holds {text[error.start]!r}, half of a surrogate pair, which no"
            " file can hold"
        ) from None


def show(path: str) -> str:
    """Return a path as one line of valid text; in JSON quotes if it needs any."""
    shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    plain = shown.isprintable() and shown == shown.strip() and shown[:1] != '"'
    return shown if plain else json.dumps(shown, ensure_ascii=False)
