"""Dialects by name."""

from __future__ import annotations

import importlib
from difflib import get_close_matches
from typing import Any

from pegboard.errors import UsageError

#: The dialects that come with Pegboard.
NAMES = (
    "openai_chat",
    "openai_responses",
    "anthropic",
    "gemini",
    "gemini_interactions",
    "bedrock",
    "mistral",
    "cohere",
    "ollama",
    "mcp",
    "langchain",
)
#: What a dialect has, whoever wrote it.
MEMBERS = ("tools", "calls", "results", "Collector")


def load(name: str) -> Any:
    """Return a dialect: one of Pegboard's by name, or any other by its address.

    Only the module that is asked for is imported.

    Args:
        name: One of NAMES, or `package.module`, or `module:attribute`.

    Raises:
        UsageError: there is none of that name, or it lacks a member.
    """
    other = ":" in name or "." in name
    dialect = _load_other(name) if other else _load_own(name)
    missing = [member for member in MEMBERS if not hasattr(dialect, member)]
    if missing:
        raise UsageError(
            f"dialect {name!r} lacks {', '.join(missing)}; "
            f"a dialect has {', '.join(MEMBERS)}"
        )
    return dialect


def _load_own(name: str) -> Any:
    own = name.replace("-", "_")
    if own in NAMES:
        return importlib.import_module(f"pegboard.dialects.{own}")
    near = get_close_matches(own, NAMES, 1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(NAMES)}."
    raise UsageError(
        f"no dialect is called {name!r}. {hint} "
        f"Others are given as package.module or module:attribute."
    )


def _load_other(name: str) -> Any:
    module, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in path.split(".") if path else ():
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"dialect {name!r} cannot be loaded: {error}") from error
    return found
