"""Options that several commands take."""

from __future__ import annotations

import click

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Run read-only tools only; preview the others."
)
approve_option = click.option(
    "--approve",
    type=click.Choice(["ask", "none", "all"]),
    default="ask",
    show_default=True,
    help="What becomes of calls that need approval; where there is no terminal to ask"
    " on, they are denied.",
)
