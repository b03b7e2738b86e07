"""`pegboard lint`: what providers refuse or lose of the tools that are installed."""

from __future__ import annotations

from collections.abc import Iterable

import click

from pegboard.cli.boards import look, say_problems, stdout_kept
from pegboard.cli.ending import debug_option
from pegboard.cli.tables import write_table
from pegboard.cli.terminal import write, write_json
from pegboard.cli.words import counted
from pegboard.dialects import NAMES
from pegboard.dialects.lint import Finding, Report, Severity
from pegboard.dialects.lint import lint as look_over

STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


@click.command()
@click.option(
    "--dialect", "dialects", multiple=True, metavar="NAME", help="May be repeated."
)
@click.option("--strict", is_flag=True, help="Look at the strict modes.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@debug_option
def lint(dialects: tuple[str, ...], strict: bool, as_json: bool) -> int:
    """Show what providers refuse or lose of the tools, and what a listing costs.

    The exit code is 1 if a provider would refuse something.
    """
    board = look()
    with stdout_kept():
        definitions = board.definitions()
    report = look_over(definitions, dialects or NAMES, strict=strict)
    if as_json:
        write_json(report.to_dict())
    else:
        _write(report)
    say_problems(board)
    return int(report.count("error") > 0)


def _rows(findings: Iterable[Finding]) -> list[tuple[str, ...]]:
    """Return one row for what several dialects have in common."""
    dialects: dict[tuple[str, ...], list[str]] = {}
    for found in findings:
        said = found.severity, found.tool, found.message
        dialects.setdefault(said, []).append(found.dialect or "all")
    return [(*said, ", ".join(names)) for said, names in dialects.items()]


def _write(report: Report) -> None:
    if rows := _rows(report.findings):
        write_table(("finding", "tool", "what", "dialects"), rows, STYLES)
        write("")
    costs = [(name, f"{tokens:,}") for name, tokens in report.tokens.items()]
    write_table(("dialect", f"tokens ({report.counted_by})"), costs)
    kinds: tuple[Severity, ...] = ("error", "warning", "note")
    found = [counted(report.count(kind), kind) for kind in kinds]
    write(f"\n{', '.join([counted(report.tools, 'tool'), *found])}")
