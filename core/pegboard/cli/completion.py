"""Completion of tool names in a shell; nothing that fails may disturb the line."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem


def tool_argument(function: Any) -> Any:
    """Give a command its argument TOOL, which shells complete."""
    return click.argument("tool", shell_complete=_complete)(function)


def _complete(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the tools whose names begin like this."""
    from pegboard.cli.boards import look, stdout_kept  # late: in completion only

    try:
        with stdout_kept():
            definitions = look().definitions()
    except Exception:
        return []
    return [
        CompletionItem(d.name, help=d.description.strip().partition("\n")[0])
        for d in definitions
        if d.name.startswith(incomplete)
    ]
