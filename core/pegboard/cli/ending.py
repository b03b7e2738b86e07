"""How a command ends: an exit code, and at most one line that says why.

0 success, 1 an error among the results, 2 the command was used or set up wrongly and
nothing ran, 70 a fault of Pegboard, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from pegboard.cli.terminal import clean, degrade, style
from pegboard.errors import PegboardError

DEBUG = "pegboard.debug"


def _remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[DEBUG] = ctx.meta.get(DEBUG) or value


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Show the traceback of an error.",
)


def end(run: Callable[[], Any]) -> int:
    """Run a command and return its exit code; what it raises becomes one line."""
    degrade()
    try:
        code = run()
    except click.Abort as error:
        return 130 if isinstance(error.__cause__, KeyboardInterrupt) else 1
    except click.ClickException as error:
        report(_usage(error))
        return 2
    except PegboardError as error:
        report(str(error))
        return 2
    except OSError as error:
        report(f"{error.filename or 'a file'}: {error.strerror or error}")
        return 2
    return code if isinstance(code, int) else 0


def report(message: str) -> None:
    """Write one line about what went wrong to stderr."""
    line = " ".join(clean(message).split())
    click.echo(f"{style('error:', sys.stderr, fg='red')} {line}", err=True)


def _usage(error: click.ClickException) -> str:
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None or " See " in message or "Did you mean" in message:
        return message
    return f"{message.rstrip('.')}. See {context.command_path} --help."
