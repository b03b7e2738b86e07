"""The settings of the audit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_state_path
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

SECRET_KEYS = (
    "*authorization*",
    "*cookie*",
    "*credential*",
    "*key*",
    "*passphrase*",
    "*passwd*",
    "*password*",
    "*secret*",
    "*token*",
)
"""Globs of keys whose values are not written, unless the settings say otherwise."""


def default_path() -> Path:
    """Return where the audit log is if nobody says: among this user's state."""
    return user_state_path("pegboard", appauthor=False) / "audit.jsonl"


class AuditSettings(BaseModel):
    """`[tool.pegboard.plugins.audit]`.

    Attributes:
        path: The log: absolute or with `~`, ending in `.jsonl`. Its folder is made if
            it is not there; beside it stands a lock file, `PATH.lock`.
        arguments: What is written of a call's arguments: "hash" (SHA-256 of their
            JSON), "redacted" (all but the values of secret keys) or "none".
        redact: Globs of secret keys, at any depth, whatever their case. Properties
            that a tool's schema marks `writeOnly` are secret in any case.
        metadata: Keys of the host's metadata that are written.
        max_bytes: Size beyond which the log is rotated, in bytes; 0 means never.
        keep: How many rotated files (`PATH.1` is the newest) are kept, 1 to 200: who
            reads the log opens them all.
        sync: "line" waits for the disk at every line, so that a power cut loses none;
            "none" leaves that to the operating system.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path = Field(default_factory=default_path)
    arguments: Literal["hash", "redacted", "none"] = "hash"
    redact: tuple[str, ...] = SECRET_KEYS
    metadata: tuple[str, ...] = ()
    max_bytes: Annotated[int, Field(ge=0)] = 64 * 1024 * 1024
    keep: Annotated[int, Field(ge=1, le=200)] = 8
    sync: Literal["none", "line"] = "none"

    @field_validator("path")
    @classmethod
    def _check_path(cls, path: Path) -> Path:
        path = Path(os.path.expanduser(path))
        if not path.is_absolute():
            raise PydanticCustomError(
                "relative_path",
                "should be absolute or begin with '~/', whatever the working folder is",
            )
        # A project's file can set this, and must not make us append to a program.
        if path.resolve().suffix != ".jsonl":
            raise PydanticCustomError("file_name", "should end in '.jsonl'")
        return path
