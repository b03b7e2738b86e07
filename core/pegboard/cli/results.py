"""Results as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pegboard.cli.tables import write_table
from pegboard.cli.terminal import write
from pegboard.cli.words import counted, duration
from pegboard.content import Content, FileContent, ResourceLink, TextContent
from pegboard.results import CODES, ToolResult

_COLOURS = {"success": "green", "deferred": "yellow"}
#: Status or code -> its colour.
STYLES = {"success": "green"} | {
    code: _COLOURS.get(status, "red") for code, (status, _) in CODES.items()
}
#: Characters of a result, and of an error, that stand in a table.
LINE = 100
ERROR = 500


def write_results(results: Iterable[ToolResult]) -> None:
    """Write one line a result, and one about all of them."""
    listed = list(results)
    rows = [_row(number, result) for number, result in enumerate(listed, 1)]
    write_table(("#", "tool", "status", "time", "result"), rows, STYLES)
    failed = sum(result.is_error for result in listed)
    waiting = sum(result.status == "deferred" for result in listed)
    parts = [
        counted(len(listed), "call"),
        f"{len(listed) - failed - waiting} succeeded",
        *([f"{failed} failed"] if failed else []),
        *([f"{waiting} waiting for approval"] if waiting else []),
    ]
    write(f"\n{', '.join(parts)}")


def _row(number: int, result: ToolResult) -> tuple[str, ...]:
    name = result.call.name if result.call else ""
    return (
        str(number),
        name or "(no name)",
        _status(result),
        duration(result.duration),
        _line(result),
    )


def _status(result: ToolResult) -> str:
    word = result.code or result.status
    changed = len(result.repairs)
    return f"{word}, {counted(changed, 'repair')}" if changed else word


def _line(result: ToolResult) -> str:
    """Return the first line of a result; of an error, all that it says."""
    if result.is_error:
        return _cut(explained(result), ERROR)
    lines = shown(result.content).split("\n")
    return _cut(next((line.strip() for line in lines if line.strip()), ""), LINE)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


def explained(result: ToolResult) -> str:
    """Return what is wrong with a call in one line, without the advice to models."""
    problems: Sequence[str] = getattr(result.error, "problems", ())
    return "; ".join(problems) or " ".join(shown(result.content).split())


def shown(content: Iterable[Content]) -> str:
    """Return what can be shown of content as text."""
    return "\n".join(map(_block, content))


def _block(block: Content) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ResourceLink):
        return f"[{block.name or 'link'}: {block.uri}]"
    name = f" {block.name}" if isinstance(block, FileContent) and block.name else ""
    return f"[{block.type}{name}: {block.mime_type}, {len(block.data):,} bytes]"
