"""Content blocks: what the model reads of a result."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pegboard._frozen import Frozen
from pegboard.errors import UsageError


class OpenText:
    """The open twin of TextContent, for the executor."""

    __slots__ = ("text",)
    text: str


class TextContent(Frozen, OpenText):
    """A text.

    Attributes:
        text: Unicode without lone surrogates.
    """

    __slots__ = ()
    type: ClassVar[str] = "text"

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "text", text)

    def __repr__(self) -> str:
        return f"TextContent({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextContent) and other.text == self.text

    def __hash__(self) -> int:
        return hash(("text", self.text))

    def __reduce__(self) -> tuple[Any, ...]:
        return TextContent, (self.text,)

    def to_dict(self) -> dict[str, Any]:
        """Return the block as a JSON object."""
        return {"type": "text", "text": self.text}


def text_block(text: str) -> TextContent:
    """Return a TextContent, four times faster than its constructor."""
    block: Any = OpenText()
    block.text = text
    block.__class__ = TextContent
    return block  # type: ignore[no-any-return]  # it has just become one


@dataclass(frozen=True, slots=True)
class ImageContent:
    """An image.

    Attributes:
        data: The bytes of the image file, base64 in JSON.
        mime_type: For example image/png.
    """

    data: bytes
    mime_type: str
    type: ClassVar[str] = "image"

    def to_dict(self) -> dict[str, Any]:
        """Return the block as a JSON object."""
        return {
            "type": "image",
            "data": encode(self.data),
            "mime_type": self.mime_type,
        }


@dataclass(frozen=True, slots=True)
class AudioContent:
    """A sound.

    Attributes:
        data: The bytes of the sound file, base64 in JSON.
        mime_type: For example audio/wav.
    """

    data: bytes
    mime_type: str
    type: ClassVar[str] = "audio"

    def to_dict(self) -> dict[str, Any]:
        """Return the block as a JSON object."""
        return {
            "type": "audio",
            "data": encode(self.data),
            "mime_type": self.mime_type,
        }


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file given whole.

    Attributes:
        data: The bytes of the file, base64 in JSON.
        mime_type: For example application/pdf.
        name: A file name to show, "" if it has none.
    """

    data: bytes
    mime_type: str
    name: str = ""
    type: ClassVar[str] = "file"

    def to_dict(self) -> dict[str, Any]:
        """Return the block as a JSON object."""
        return {
            "type": "file",
            "data": encode(self.data),
            "mime_type": self.mime_type,
            "name": self.name,
        }


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A file or page given by its address.

    Attributes:
        uri: Where it is.
        name: What to call it.
        mime_type: Its type, "" if unknown.
        description: What it holds, "" if nobody said.
    """

    uri: str
    name: str = ""
    mime_type: str = ""
    description: str = ""
    type: ClassVar[str] = "resource_link"

    def to_dict(self) -> dict[str, Any]:
        """Return the block as a JSON object."""
        return {
            "type": "resource_link",
            "uri": self.uri,
            "name": self.name,
            "mime_type": self.mime_type,
            "description": self.description,
        }


Content = TextContent | ImageContent | AudioContent | FileContent | ResourceLink
BLOCKS = (TextContent, ImageContent, AudioContent, FileContent, ResourceLink)
_BY_TYPE = {block.type: block for block in BLOCKS}


def encode(data: bytes) -> str:
    """Return bytes as base64 text."""
    return base64.b64encode(data).decode("ascii")


def from_dict(value: Mapping[str, Any]) -> Content:
    """Make a block of what its `to_dict` returned.

    Raises:
        UsageError: no block has that type or those members.
    """
    given = dict(value)
    block = _BY_TYPE.get(given.pop("type", None))
    try:
        if block is None:
            raise KeyError(value.get("type"))
        if "data" in given:
            given["data"] = base64.b64decode(given["data"], validate=True)
        made: Content = block(**given)
    except (TypeError, ValueError, KeyError) as error:
        raise UsageError(
            f"no content block can be made of {str(value)[:200]!r}: {error}"
        ) from error
    return made


def blocks(value: str | Content | Iterable[Content]) -> tuple[Content, ...]:
    """Return a tuple of blocks, from a text, one block or several.

    Raises:
        UsageError: something in it is no content block.
    """
    if isinstance(value, str):
        return (TextContent(value),)
    found = (value,) if isinstance(value, BLOCKS) else tuple(value)
    for block in found:
        if not isinstance(block, BLOCKS):
            raise UsageError(
                f"content must be texts or content blocks, not {type(block).__name__!r}"
            )
    return found
