"""The `pegboard` command."""

from pegboard.cli.group import main

__all__ = ["main"]
