"""What a result says to the model, in the few shapes that providers take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pegboard.calls import MADE_ID, ToolCall
from pegboard.content import (
    Content,
    FileContent,
    ResourceLink,
    TextContent,
)
from pegboard.errors import UsageError
from pegboard.results import ToolResult

#: Longest text sent for one result, in characters.
MAX_TEXT = 1_048_576
#: What stands for a result without content.
NOTHING = "(no output)"
WAITING = "This call has not run: it waits for approval."


def pairs(batch: Iterable[ToolResult]) -> Iterator[tuple[ToolCall, ToolResult]]:
    """Yield each result with the call that it answers.

    Raises:
        UsageError: a result belongs to no call.
    """
    for result in batch:
        if result.call is None:
            raise UsageError(
                f"{result!r} answers no call; give what run() returned, "
                f"or set it with result.replace(call=...)"
            )
        yield result.call, result


def given_id(key: str, call: ToolCall) -> dict[str, str]:
    """Return the member that names a call, {} if the provider gave it no id."""
    return {} if call.id.startswith(MADE_ID) or not call.id else {key: call.id}


def text_of(result: ToolResult) -> str:
    """Return all that a result says as one text, never an empty one."""
    return _bounded("\n".join(_words(block) for block in shown(result)))


def shown(result: ToolResult) -> list[Content]:
    """Return the blocks of a result that say something: at least one."""
    blocks = [
        block
        for block in result.content
        if not isinstance(block, TextContent) or block.text.strip()
    ]
    if blocks:
        return blocks
    return [TextContent(WAITING if result.status == "deferred" else NOTHING)]


def text_for(block: Content) -> str:
    """Return the text that stands for a block where only text is taken."""
    return _bounded(_words(block))


def _words(block: Content) -> str:
    match block:
        case TextContent():
            return block.text
        case ResourceLink():
            parts = (block.name, block.uri, block.mime_type, block.description)
            return f"[link: {', '.join(part for part in parts if part)}]"
        case FileContent() if (readable := _decoded(block)) is not None:
            return readable
        case _:
            what = getattr(block, "name", "") or block.type
            size = f"{block.mime_type}, {len(block.data)} bytes"
            return f"[{what}: {size}; not shown, only text is taken here]"


def _decoded(block: FileContent) -> str | None:
    if (
        not block.mime_type.startswith("text/")
        and block.mime_type != "application/json"
    ):
        return None
    try:
        return block.data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _bounded(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    middle = f"\n[... {len(text)} characters in all, the middle is left out ...]\n"
    return text[:half] + middle + text[-half:]
