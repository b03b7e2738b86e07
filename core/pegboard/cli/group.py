"""The commands by name, each imported when it is asked for."""

from __future__ import annotations

import importlib
import sys
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from pegboard import __version__
from pegboard.cli import programs
from pegboard.cli.ending import Ending, debug_option

#: Name -> what it does, and where it is. The help needs no import of a command.
COMMANDS = {
    "list": ("Show the tools that are installed.", "listing:list_tools"),
    "show": ("Show one tool: its arguments and its settings.", "showing:show"),
    "call": ("Call one tool.", "calling:call"),
    "run": ("Run the calls of a model's answer, as one batch.", "running:run"),
    "plugins": ("Show the plugins that are installed.", "plugins:plugins"),
    "explain": ("Show what a call of one tool passes through.", "explaining:explain"),
    "doctor": ("Show what is wrong, and the way out.", "doctor:doctor"),
    "config": (
        "Show the settings that apply, and where each came from.",
        "config:config",
    ),
    "lock": ("Lock versions, definitions and order, or check them.", "locking:lock"),
    "lint": ("Show what providers refuse or lose of the tools.", "linting:lint"),
    "repairs": (
        "Show what would be repaired or refused in a recording.",
        "repairs:repairs",
    ),
    "trust": ("Let this project's file start programs.", "trusting:trust_project"),
    "cache": ("Clear what is kept between two runs.", "cache:cache"),
    "new": ("Make a project: a tool pack or a plugin.", "scaffolding:new"),
    "check": ("Check the promises of an installed distribution.", "checking:check"),
}


class CommandGroup(click.Group):
    """The commands of Pegboard, and after them the programs that plugins bring."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS, *programs.find_programs()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, importing what it needs; None if there is none."""
        if cmd_name not in COMMANDS:
            return programs.command(cmd_name)
        module, _, attribute = COMMANDS[cmd_name][1].partition(":")
        found = getattr(importlib.import_module(f"pegboard.cli.{module}"), attribute)
        assert isinstance(found, click.Command)
        return found

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Return what may stand here; importing no command for its help."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        lines = {name: line for name, (line, _) in COMMANDS.items()}
        return [
            CompletionItem(name, help=lines.get(name))
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            near = get_close_matches(name, self.list_commands(ctx), 1)
            hint = f"Did you mean {near[0]!r}?" if near else "See pegboard --help."
            raise click.UsageError(
                f"there is no command {name!r}, and no program pegboard-{name} in this"
                f" environment. {hint}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (line, _) in COMMANDS.items()])
        if found := programs.find_programs():
            with formatter.section("Programs of plugins"):
                formatter.write_dl(
                    [(name, f"Runs {path.name}.") for name, path in found.items()]
                )

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command and exit as it ended."""
        ending = Ending()
        options.update(prog_name="pegboard", standalone_mode=False, obj=ending)
        sys.exit(ending.of(lambda: super(CommandGroup, self).main(*args, **options)))


@click.command(
    cls=CommandGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@debug_option
@click.pass_context
def main(ctx: click.Context) -> None:
    """The plugin platform for the tools that language models call.

    A tool pack or a policy that is installed with pip takes part at once.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
