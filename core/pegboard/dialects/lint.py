"""What providers refuse or lose of a set of tools, and what the listing costs."""

from __future__ import annotations

import importlib
import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pegboard.dialects.loading import NAMES, load
from pegboard.dialects.losses import Loss
from pegboard.dialects.names import name_problem
from pegboard.schemas import ToolDefinition

Severity = Literal["error", "warning", "note"]

#: Longest description that costs no more than it helps, in characters.
LONG = 2_000
#: Most tools that a request may offer.
MOST_TOOLS = {"openai_chat": 128, "openai_responses": 128}
_SEVERITIES: dict[str, Severity] = {
    "described": "note",
    "narrowed": "warning",
    "refused": "warning",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know before these tools go to a provider.

    Attributes:
        severity: error (the provider refuses the request), warning (the model gets less
            than the tool says) or note (a limit is only in words).
        tool: The tool's name, "" for the listing as a whole.
        dialect: The dialect, "" for all.
        message: What it is, in words.
    """

    severity: Severity
    tool: str
    dialect: str
    message: str

    def to_dict(self) -> dict[str, str]:
        """Return the finding as a JSON object."""
        return {
            "severity": self.severity,
            "tool": self.tool,
            "dialect": self.dialect,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, and totals.

    Attributes:
        findings: What was found: the listing first, then tool by tool.
        tools: How many tools were looked at.
        tokens: Dialect -> how many tokens its listing costs, about.
        counted_by: How the tokens were counted.
    """

    findings: tuple[Finding, ...]
    tools: int
    tokens: dict[str, int]
    counted_by: str

    def count(self, severity: Severity) -> int:
        """Return how many findings have a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "tools": self.tools,
            "tokens": dict(self.tokens),
            "counted_by": self.counted_by,
            "findings": [finding.to_dict() for finding in self.findings],
        }


def lint(
    definitions: Iterable[ToolDefinition],
    dialects: Sequence[str] = NAMES,
    *,
    strict: bool = False,
) -> Report:
    """Return what the dialects' providers refuse or lose of the tools.

    Args:
        definitions: The tools.
        dialects: Names of dialects, as `load` takes them.
        strict: Whether to look at the strict modes of the dialects that have one.

    Raises:
        UsageError: there is no such dialect.
    """
    listed = list(definitions)
    findings = [*_look_at_listing(listed, dialects)]
    for definition in listed:
        findings += _look_at_description(definition)
    count, counted_by = _counter()
    tokens = {}
    for name in dialects:
        dialect = load(name)
        options = {"strict": True} if strict and _has_strict(dialect) else {}
        tokens[name] = count(json.dumps(dialect.tools(listed, **options)))
        findings += _look_at_names(listed, name)
        if hasattr(dialect, "losses"):
            findings += [_of(loss, name) for loss in dialect.losses(listed, **options)]
    order = {definition.name: place for place, definition in enumerate(listed)}
    findings.sort(key=lambda finding: order.get(finding.tool, -1))
    return Report(tuple(findings), len(listed), tokens, counted_by)


def _look_at_listing(
    definitions: list[ToolDefinition], dialects: Sequence[str]
) -> Iterator[Finding]:
    names = Counter(definition.name for definition in definitions)
    for name, count in names.items():
        if count > 1:
            yield Finding("error", name, "", f"{count} tools have this name")
    for dialect in dialects:
        most = MOST_TOOLS.get(dialect)
        if most and len(definitions) > most:
            message = f"{len(definitions)} tools, a request takes at most {most}"
            yield Finding("error", "", dialect, message)


def _look_at_description(definition: ToolDefinition) -> Iterator[Finding]:
    size = len(definition.description)
    if not definition.description.strip():
        message = "no description: the model must guess from the name"
        yield Finding("warning", definition.name, "", message)
    elif size > LONG:
        message = f"a description of {size} characters, sent with each request"
        yield Finding("warning", definition.name, "", message)


def _look_at_names(definitions: list[ToolDefinition], dialect: str) -> list[Finding]:
    return [
        Finding("error", definition.name, dialect, problem)
        for definition in definitions
        if (problem := name_problem(definition.name, dialect))
    ]


def _of(loss: Loss, dialect: str) -> Finding:
    place = ".".join(str(step) for step in loss.path if step != "properties")
    message = f"{place}: {loss.message}" if place else loss.message
    if loss.kind == "described":
        message += " (only in the description)"
    return Finding(_SEVERITIES[loss.kind], loss.tool, dialect, message)


def _has_strict(dialect: Any) -> bool:
    return "strict" in inspect.signature(dialect.tools).parameters


def _counter() -> tuple[Callable[[str], int], str]:
    try:
        # Optional: it counts exactly, for OpenAI's models.
        encoding = importlib.import_module("tiktoken").get_encoding("o200k_base")
    except Exception:  # not installed, or its tables are not here and cannot be fetched
        return (lambda text: -(-len(text) // 4)), "characters / 4"
    return (
        lambda text: len(encoding.encode(text, disallowed_special=()))
    ), "tiktoken o200k_base"
