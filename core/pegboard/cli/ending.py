"""How a command ends: with an exit code, and at most one line that says why.

0 success; 1 an error among the results; 2 used or set up wrongly, so nothing ran;
70 a fault that somebody should report; 130 interrupted.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import click

from pegboard.cli.terminal import degrade, write_labelled
from pegboard.errors import PegboardError


class Ending:
    """The end of one command.

    Attributes:
        debug: Whether a traceback is wanted.
    """

    def __init__(self) -> None:
        self.debug = False

    def of(self, run: Callable[[], Any]) -> int:
        """Run a command and return its exit code; what it raises becomes one line."""
        degrade()
        try:
            code = run()
        except click.Abort:  # Ctrl-C, or the end of input at a question
            return 130
        except Exception as error:
            if self.debug:
                traceback.print_exception(error)
            return _tell(error)
        return code if isinstance(code, int) else 0


def _set_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and isinstance(ctx.obj, Ending):
        ctx.obj.debug = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_set_debug,
    help="Show the traceback of an error.",
)


def trace(error: BaseException | None) -> None:
    """Show where a result's error comes from, if --debug was given."""
    ending = click.get_current_context().obj
    if error is not None and isinstance(ending, Ending) and ending.debug:
        traceback.print_exception(error)


def _tell(error: Exception) -> int:
    """Report an error in one line and return the exit code for it."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message())
            return 0
        case click.ClickException():
            report(_usage(error))
        case PegboardError():
            report(str(error))
        case OSError():
            report(f"{error.filename or 'output'}: {error.strerror or error}")
        case _:
            kind = type(error).__name__
            report(f"unexpected {kind}: {error}. --debug shows where it comes from.")
            return 70
    return 2


def report(message: str) -> None:
    """Write one line about what went wrong to stderr."""
    write_labelled("error", " ".join(message.split()), "red", err=True)


def _usage(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    if context is None or " See " in message or "Did you mean" in message:
        return message
    return f"{message.rstrip('.')}. See {context.command_path} --help."
