"""`pegboard explain`: what a call of one tool passes through, drawn from outside in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from pegboard.cli.boards import find_tool, look, say_problems, stdout_kept
from pegboard.cli.completion import tool_argument
from pegboard.cli.ending import debug_option
from pegboard.cli.tables import write_table
from pegboard.cli.terminal import write, write_json

if TYPE_CHECKING:
    from pegboard._explanation import Explanation, Step

INDENT = "  "
Line = tuple[str, str, str]


@click.command()
@tool_argument
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def explain(tool: str, as_json: bool) -> None:
    """Show what a call of one tool passes through, and why in this order.

    A call goes down the lines, its result comes back up through the middlewares.
    """
    board = look()
    with stdout_kept():
        explanation = board.explain(find_tool(board, tool).offered)
    if as_json:
        write_json(explanation.to_dict())
    else:
        draw(explanation)
    say_problems(board)


def draw(explanation: Explanation) -> None:
    """Write the chain of a tool, one line a step; what stands further in is inside."""
    title = " ".join(part for part in (explanation.tool, explanation.version) if part)
    write(f"{explanation.name}  ({title})\n")
    lines = [*_down(explanation), _body(explanation), *_up(explanation)]
    write_table(("step", "by", "why here"), lines)


def _down(explanation: Explanation) -> Iterator[Line]:
    yield from _steps("prepare", explanation.prepare)
    mode = "strictly" if explanation.arguments == "strict" else "repaired, coerced"
    yield f"validate ({mode})", "Pegboard", ""
    yield from _steps("guard", explanation.before)
    yield from _steps("inject", explanation.inject)
    for depth, layer in enumerate(explanation.layers):
        yield (
            f"{INDENT * depth}middleware {layer.name}",
            _brought_by(layer),
            layer.reason,
        )


def _body(explanation: Explanation) -> Line:
    parts = [f"runner {explanation.runner}"]
    limit = explanation.timeout
    parts.append("no time limit" if limit is None else f"at most {limit:g} s")
    if explanation.attempts > 1:
        parts.append(f"{explanation.attempts} attempts")
    if explanation.execution == "sequential":
        parts.append("sequential")
    parts += [f"one at a time for {key}" for key in explanation.resources]
    return (
        f"{INDENT * len(explanation.layers)}body ({', '.join(parts)})",
        explanation.tool.partition(":")[0],
        "",
    )


def _up(explanation: Explanation) -> Iterator[Line]:
    yield from _steps("rewrite", explanation.after)
    yield from _steps("observe", explanation.observers)


def _steps(word: str, steps: Iterable[Step]) -> Iterator[Line]:
    for step in steps:
        yield word, _brought_by(step), step.reason


def _brought_by(step: Step) -> str:
    return " ".join(part for part in (step.plugin, step.version) if part)
