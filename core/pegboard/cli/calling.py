"""`pegboard call`: one tool, from the keyboard."""

from __future__ import annotations

import click

from pegboard.calls import ToolCall
from pegboard.cli.approval import Approval
from pegboard.cli.arguments import read_arguments
from pegboard.cli.boards import open_board, stdout_kept
from pegboard.cli.completion import tool_argument
from pegboard.cli.ending import debug_option, report, trace
from pegboard.cli.execution import Options, execute
from pegboard.cli.options import approve_option, dry_run_option
from pegboard.cli.results import shown
from pegboard.cli.terminal import say, write, write_json

HELP = """Call one tool, through every policy, as a model would.

ARGUMENTS are key=text and key:=JSON, or one JSON object, or - to read one from stdin.
The exit code is 0 for a success, 1 for any other result.

\b
  pegboard call read_file path=README.md end:=5
  pegboard call read_file '{"path": "README.md"}'
"""


@click.command(help=HELP)
@tool_argument
@click.argument("arguments", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Write the whole result as JSON.")
@dry_run_option
@approve_option
@debug_option
def call(
    tool: str,
    arguments: tuple[str, ...],
    as_json: bool,
    dry_run: bool,
    approve: Approval,
) -> int:
    """Call one tool; HELP says it to a person."""
    sent = ToolCall(tool, read_arguments(arguments))
    options = Options(approve, dry_run=dry_run)
    with stdout_kept():
        outcome = execute(open_board(), [sent], options)
    result = outcome.batch[0]
    trace(result.error)
    if as_json:
        write_json(result.to_dict())
    elif result.is_error:
        report(shown(result.content) or result.code or result.status)
    elif result.status == "deferred":
        say(shown(result.content))
    else:
        write(shown(result.content))
    if outcome.aborted:
        report(outcome.aborted)
    return outcome.code
