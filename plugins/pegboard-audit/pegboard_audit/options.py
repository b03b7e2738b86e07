"""What the commands of `pegboard-audit` share: the group and its options."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from pegboard_audit.head import Head

INTERRUPTED = 130
Function = TypeVar("Function", bound=Callable[..., Any])


class Program(click.Group):
    """A group whose commands say in one line that the log cannot be read.

    Ctrl-C ends each with the code that a shell expects, wherever it comes.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # nobody reads what we print
                raise
            raise click.ClickException(f"the log cannot be read: {error}") from error


def file_option(command: Function) -> Function:
    """Give a command the parameter `path`: the log."""
    return click.option(
        "--file",
        "path",
        type=click.Path(dir_okay=False, resolve_path=True, path_type=Path),
        callback=_choose_log,
        help="The log; by default the one that the settings name.",
    )(command)


def json_option(command: Function) -> Function:
    """Give a command the parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def anchor_option(command: Function) -> Function:
    """Give a command the parameter `anchors`: heads of the log."""
    return click.option(
        "--anchor",
        "anchors",
        metavar="SEQ:SHA256",
        multiple=True,
        callback=_parse_heads,
        help="A head that was noted earlier; the log must still go through it.",
    )(command)


def log_of_settings() -> Path:
    """Return the log that the settings which hold in this folder name.

    Raises:
        click.ClickException: the settings are wrong.
    """
    # Late: with --file nobody needs them.
    from pydantic import ValidationError

    from pegboard import SettingsError
    from pegboard.settings import load_settings
    from pegboard_audit.settings import AuditSettings

    try:
        settings = load_settings()
        text = json.dumps(settings.plugin("audit"))
        return AuditSettings.model_validate_json(text).path.resolve()
    except SettingsError as error:
        raise click.ClickException(f"{error}; or name the log by --file") from error
    except ValidationError as error:
        fault = error.errors()[0]
        key = ".".join(("plugins", "audit", *map(str, fault["loc"])))
        is_unknown = fault["type"] == "extra_forbidden"
        wrong = "is unknown" if is_unknown else fault["msg"].removeprefix("Input ")
        message = f"{settings.origin(key)}: {key!r} {wrong}"
        raise click.ClickException(f"{message}; or name the log by --file") from error


def _choose_log(
    context: click.Context, option: click.Parameter, file: Path | None
) -> Path:
    return file or log_of_settings()


def _parse_heads(
    context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> list[Head]:
    heads = []
    for text in texts:
        seq, _, digest = text.partition(":")
        if not seq.isdecimal() or len(digest) != 64:
            raise click.BadParameter(f"{text!r} is not SEQ:SHA256, as verify prints it")
        heads.append(Head(int(seq), digest.lower()))
    return heads
