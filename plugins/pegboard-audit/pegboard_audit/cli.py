"""The program `pegboard-audit`, which `pegboard audit` runs: reads the audit log."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import Path
from typing import get_args

import click

from pegboard.results import Status
from pegboard_audit import __version__
from pegboard_audit.display import describe, figures, say
from pegboard_audit.follow import Follower
from pegboard_audit.head import Head
from pegboard_audit.lines import (
    Record,
    opened_log,
    parse_line,
    read_lines,
    records_backwards,
)
from pegboard_audit.options import Program, anchor_option, file_option, json_option
from pegboard_audit.statistics import count_calls
from pegboard_audit.verification import Verification, verify

PAUSE = 0.2


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Read the audit log: which tools were called, and what became of it."""


@main.command()
@file_option
@click.option(
    "-n",
    "--lines",
    "count",
    default=20,
    show_default=True,
    type=click.IntRange(min=0),
    help="How many calls.",
)
@click.option("-f", "--follow", is_flag=True, help="Go on as calls are recorded.")
@click.option("--tool", default="*", metavar="GLOB", help="Only tools of this name.")
@click.option("--status", type=click.Choice(get_args(Status)), help="Only such calls.")
@json_option
def tail(
    *,
    path: Path,
    count: int,
    follow: bool,
    tool: str,
    status: str | None,
    as_json: bool,
) -> None:
    """Show the last calls."""

    def show_wanted(pair: tuple[bytes, Record]) -> None:
        if is_wanted(pair):
            say(pair[0].decode("ascii", "replace") if as_json else describe(pair[1]))

    def is_wanted(pair: tuple[bytes, Record]) -> bool:
        record = pair[1]
        return status in (None, record.get("status")) and _is_of_tool(record, tool)

    with opened_log(path) as files:
        if not files and not follow:
            raise _no_log(path)
        pairs = records_backwards(files)
        newest = next(pairs, None)
        found = filter(is_wanted, chain([newest] if newest else [], pairs))
        for pair in reversed(list(islice(found, count))):
            show_wanted(pair)
    if follow:
        _follow(Follower(path, newest[1]["seq"] if newest else 0), show_wanted)


@main.command("show")
@file_option
@click.argument("call_id")
@json_option
def show_call(path: Path, call_id: str, as_json: bool) -> None:
    """Show all that was recorded of a call."""
    shown = False
    for line in _lines(path):
        record = parse_line(line)
        if record and record.get("call") == call_id:
            shown = True
            text = line.decode("ascii", "replace")
            say(text if as_json else json.dumps(record, indent=2))
    if not shown:
        raise click.ClickException(f"no call {call_id!r} is recorded in {path}")


@main.command()
@file_option
@json_option
def stats(path: Path, as_json: bool) -> None:
    """Count calls by tool: statuses, share of errors and timeouts, durations.

    Durations are of the calls that ran: half of them (p50) and 95% (p95) took at
    most so long.
    """
    rows = count_calls(filter(None, map(parse_line, _lines(path))))
    for text in [json.dumps(rows)] if as_json else figures(rows):
        say(text)


@main.command("verify")
@file_option
@anchor_option
@json_option
def verify_log(path: Path, anchors: list[Head], as_json: bool) -> None:
    """Check that every line is whole and follows the line before it.

    Ends with status 1 if not; else prints the head, which is number and SHA-256 of the
    last line. Note it where those who can write the log cannot, for --anchor later.
    """
    found = verify(path, anchors)
    if not found.files:
        raise _no_log(path)
    for text in [json.dumps(found.to_dict())] if as_json else _report(found):
        say(text)
    if found.problems:
        raise SystemExit(1)


def _report(found: Verification) -> list[str]:
    files = "1 file" if found.files == 1 else f"{found.files} files"
    extent = f"{found.lines} lines ({found.first} to {found.last.seq}) in {files}"
    if found.problems:
        return [*found.problems, f"{extent}: not whole"]
    head = [f"head {found.last.seq}:{found.last.digest}"] if found.lines else []
    return [f"{extent}: whole", *head]


def _lines(path: Path) -> Iterator[bytes]:
    with opened_log(path) as files:
        if not files:
            raise _no_log(path)
        for log in files:
            yield from read_lines(log.file)


def _no_log(path: Path) -> click.ClickException:
    return click.ClickException(f"there is no log {path}: nothing was recorded yet")


def _is_of_tool(record: Record, glob: str) -> bool:
    """Whether a glob fits the tool's identity, its bare name, or what was asked for."""
    identity = str(record.get("tool") or "")
    names = (identity, identity.partition(":")[2], str(record.get("name")))
    return any(fnmatchcase(name, glob) for name in names)


def _follow(follower: Follower, show: Callable[[tuple[bytes, Record]], None]) -> None:
    try:
        while True:
            for pair in follower.poll():
                show(pair)
            time.sleep(PAUSE)
    finally:
        follower.close()
