"""`pegboard run`: the calls of a model's answer, as one batch."""

from __future__ import annotations

import click

from pegboard.cli.approval import Approval
from pegboard.cli.boards import open_board, stdout_kept
from pegboard.cli.definitions import read_tools
from pegboard.cli.ending import debug_option, report, trace
from pegboard.cli.execution import Options, Outcome, execute
from pegboard.cli.options import approve_option, dry_run_option
from pegboard.cli.recordings import read_calls
from pegboard.cli.results import write_results
from pegboard.cli.terminal import write_json


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--dialect", metavar="NAME", help="The answer's format; else found out.")
@click.option(
    "--tools",
    "definitions",
    metavar="FILE",
    help="Definitions to check the calls against; implies --dry-run.",
)
@click.option("--sequential", is_flag=True, help="Run one call after the other.")
@click.option(
    "--max-calls",
    type=click.IntRange(min=1),
    help="How many calls run at most; the settings say 128.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the whole batch as JSON.")
@dry_run_option
@approve_option
@debug_option
def run(
    file: str,
    *,
    dialect: str | None,
    definitions: str | None,
    sequential: bool,
    max_calls: int | None,
    as_json: bool,
    dry_run: bool,
    approve: Approval,
) -> int:
    """Run the calls of a file as one batch, through every policy.

    FILE holds JSON Lines of calls, {"name": ..., "arguments": ..., "id": ...}, or a
    recorded answer of a provider; - is stdin. The exit code is 0 if no call failed.
    """
    calls = read_calls(file, dialect)
    options = Options(
        approve,
        dry_run=dry_run or definitions is not None,
        sequential=sequential,
        max_calls=max_calls,
    )
    with stdout_kept():
        if definitions is None:
            board = open_board()
        else:
            board = open_board(tools=read_tools(definitions)).only("code:*")
        outcome = execute(board, calls, options)
    _write(outcome, as_json)
    return outcome.code


def _write(outcome: Outcome, as_json: bool) -> None:
    for result in outcome.batch:
        trace(result.error)
    if as_json:
        write_json(outcome.batch.to_dict())
    else:
        write_results(outcome.batch)
    if outcome.aborted:
        report(outcome.aborted)
