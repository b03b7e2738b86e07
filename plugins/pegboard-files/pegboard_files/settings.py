"""What a project may set under `[tool.pegboard.plugins.files]`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from pegboard.settings import NEEDS_TRUST

Limit = Annotated[int, Field(ge=1)]
Roots = tuple[Path, ...] | dict[str, Path]
# Pegboard's mark for what a project's file may not set before its user trusts it: a
# repository must not open the rest of the disk to whoever works in it.
_TRUSTED_ONLY = Field(json_schema_extra=NEEDS_TRUST)


class Settings(BaseModel):
    """Where the tools may go and how much they may do.

    Attributes:
        roots: Folders that no tool leaves: a list, or a table of names; relative
            ones belong to the working directory at the time of loading.
        writable: Whether write_file and edit_file are offered.
        skip: Names of folders that a search does not enter on its own.
        max_characters: Most of a file, or of a search, in one answer.
        max_entries: Most entries in one listing.
        max_matches: Most matching lines in one answer.
        max_file_bytes: Largest file that is searched or edited.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    roots: Annotated[Roots, _TRUSTED_ONLY] = (Path("."),)
    writable: Annotated[bool, _TRUSTED_ONLY] = True
    skip: tuple[str, ...] = (".git", ".hg", ".svn", ".venv", "node_modules")
    max_characters: Limit = 50_000
    max_entries: Limit = 1_000
    max_matches: Limit = 200
    max_file_bytes: Limit = 10 * 1_048_576

    @field_validator("roots")
    @classmethod
    def _check(cls, roots: Roots) -> Roots:
        for path in name_roots(roots).values():
            if not path.is_dir():
                raise _error(f"has {str(path)!r}, which is no folder")
        return roots


def name_roots(roots: Roots) -> Mapping[str, Path]:
    """Return the absolute folders by name; one alone needs no name and has "".

    Raises:
        PydanticCustomError: there is none, or a name is no part of a path.
    """
    given = roots.values() if isinstance(roots, dict) else roots
    paths = [path.expanduser().absolute() for path in given]
    if not paths:
        raise _error("is empty; name at least one folder")
    if len(paths) == 1:
        return {"": paths[0]}
    names = (
        list(roots) if isinstance(roots, dict) else [p.resolve().name for p in paths]
    )
    for name in names:
        if name in ("", ".", "..") or "/" in name or names.count(name) > 1:
            raise _error(
                f"has the name {name!r}, which cannot tell several folders apart;"
                ' give each its own: roots = {app = "...", docs = "..."}'
            )
    return dict(zip(names, paths, strict=True))


def _error(fault: str) -> PydanticCustomError:
    # A ValueError would be shown as "Value error, ...".
    return PydanticCustomError("roots", "{fault}", {"fault": fault})
