"""Files for models: list, read, search, write and edit, inside chosen folders."""

from pegboard_files.pack import register_tools
from pegboard_files.settings import Settings

__all__ = ["Settings", "register_tools"]
