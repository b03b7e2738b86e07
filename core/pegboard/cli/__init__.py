"""The `pegboard` command."""

from pegboard.cli.start import main

__all__ = ["main"]
