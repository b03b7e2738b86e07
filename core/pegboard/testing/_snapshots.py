"""What a model is offered, as a text that is kept beside the tests."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pegboard._conversion import as_tool
from pegboard.board import Pegboard
from pegboard.schemas import ToolDefinition

_WRITE = "write it with update=True, or pytest --pegboard-update"


def schema_text(tools: Pegboard | Iterable[Any]) -> str:
    """Return the definitions of tools as stable JSON, without their version.

    Args:
        tools: A board, or tools, or definitions.
    """
    if isinstance(tools, Pegboard):
        definitions = list(tools.definitions())
    else:
        definitions = [_definition(tool) for tool in tools]
    listed = [definition.to_dict() for definition in definitions]
    for item in listed:
        del item["version"]
    listed.sort(key=lambda item: (item["name"], item["id"]))
    return json.dumps(listed, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _definition(tool: Any) -> ToolDefinition:
    return tool if isinstance(tool, ToolDefinition) else as_tool(tool).definition


def assert_schema_snapshot(
    tools: Pegboard | Iterable[Any], path: Path, *, update: bool = False
) -> None:
    """Check that a model is offered what it was offered when the file was written.

    Args:
        tools: A board, or tools, or definitions.
        path: The file to compare with.
        update: Whether to write the file instead.

    Raises:
        AssertionError: something differs, or there is no such file.
    """
    now = schema_text(tools)
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, encoding="utf-8")
        return
    if not path.exists():
        raise AssertionError(f"there is no snapshot {path}; {_WRITE}")
    before = path.read_text(encoding="utf-8")
    if before != now:
        lines = difflib.unified_diff(
            before.splitlines(), now.splitlines(), "snapshot", "now", lineterm="", n=2
        )
        raise AssertionError(
            f"a model is offered something else than {path} says; if that is meant,"
            f" {_WRITE}\n" + "\n".join(lines)
        )
