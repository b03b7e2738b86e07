"""Where settings come from: files and variables, read but not yet checked."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pegboard._settings.trust import is_trusted
from pegboard.errors import SettingsError

Kind = Literal["organisation", "user", "project", "variable", "code"]

PREFIX = "PEGBOARD_"
ELSEWHERE = frozenset({"PEGBOARD_CACHE_DIR", "PEGBOARD_NO_PLUGINS"})
"""Variables that are no settings: no file can say what they say."""

FILE_NAME = "pegboard.toml"


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source says.

    Attributes:
        origin: The file's path, the variable's name, or "code".
        table: The keys it sets.
        kind: Which layer it is.
        trusted: Whether it may grant secrets and start programs.
    """

    origin: str
    table: dict[str, Any]
    kind: Kind
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """A settings file as it was read.

    Attributes:
        path: The file.
        content: Its bytes.
        kind: Which layer it is.
        hides: A file beside it that says something and is not read.
    """

    path: Path
    content: bytes
    kind: Kind
    hides: Path | None = None

    @property
    def trusted(self) -> bool:
        """Whether the file may grant secrets and start programs."""
        return self.kind != "project" or is_trusted(self.path, self.content)

    def layer(self) -> Layer:
        """Return what the file says.

        Raises:
            SettingsError: it is no TOML.
        """
        table: Any = _parse(self.path, self.content)
        if self.path.name == "pyproject.toml":
            table = _shared_table(table)
        if not isinstance(table, dict):
            raise SettingsError(
                f"{self.path}: tool.pegboard should be a table, not {table!r}",
                file=str(self.path),
            )
        return Layer(str(self.path), table, self.kind, self.trusted)


def user_file() -> Path:
    """Return where this user's own settings are, whether or not there are any."""
    from platformdirs import user_config_path  # late: 10 ms that code alone saves

    return user_config_path("pegboard", appauthor=False) / FILE_NAME


def read_source(path: Path, kind: Kind) -> Source | None:
    """Return a file, None if there is none.

    Raises:
        SettingsError: it is there and cannot be read: what it says must not get lost.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a link to /dev/zero has no end
            raise OSError(errno.EINVAL, "it is no regular file")
        return Source(path, path.read_bytes(), kind)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read: {error.strerror}", file=str(path)
        ) from error


def find_project(start: Path) -> Source | None:
    """Return the nearest settings file of a project, from `start` upward.

    Looks up to the root of the repository; outside of one, as long as the directories
    have the owner that `start` has, so that nobody can leave a file above.

    Args:
        start: A directory, or the settings file itself, whatever its name.

    Raises:
        SettingsError: a file on the way cannot be read or is no TOML.
    """
    if start.is_file():
        return read_source(start.absolute(), "project")
    if not start.is_dir():
        message = f"{start} is neither a folder nor a file, so no project is there"
        raise SettingsError(message, file=str(start))
    start = start.resolve()
    for folder in (start, *start.parents):
        if _owner(folder) != _owner(start):
            return None
        if found := _project_file(folder):
            return found
        if (folder / ".git").exists() or (folder / ".hg").exists():
            return None
    return None


def variables(environ: Mapping[str, str], names: Mapping[str, Any]) -> list[Layer]:
    """Return one layer for each PEGBOARD_ variable that is a setting, in order of name.

    Args:
        environ: Usually `os.environ`.
        names: What the files say; a part of a variable that is a name there but for
            case and punctuation means that name.
    """
    layers = []
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in ELSEWHERE:
            parts = _parts(variable.removeprefix(PREFIX), names)
            value: Any = _value(environ[variable])
            for part in reversed(parts):
                value = {part: value}
            layers.append(Layer(variable, value, "variable"))
    return layers


def _parse(path: Path, content: bytes) -> dict[str, Any]:
    import tomllib  # late: settings that were checked before are read from the cache

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: not TOML: {error}", file=str(path)) from error
    except RecursionError as error:
        raise SettingsError(f"{path}: nested too deep", file=str(path)) from error


def _shared_table(document: dict[str, Any]) -> Any:
    tool = document.get("tool")
    return tool.get("pegboard") if isinstance(tool, dict) else None


def _owner(folder: Path) -> int:
    return folder.stat().st_uid


def _project_file(folder: Path) -> Source | None:
    own = read_source(folder / FILE_NAME, "project")
    shared = read_source(folder / "pyproject.toml", "project")
    if own:
        hides = shared and b"[tool.pegboard" in shared.content
        return replace(own, hides=shared.path if shared and hides else None)
    if shared and b"pegboard" in shared.content:  # else it cannot have the table
        if _shared_table(_parse(shared.path, shared.content)) is not None:
            return shared
    return None


def _parts(name: str, names: Any) -> list[str]:
    parts: list[str] = []
    for part in name.split("__"):
        same = [key for key in _keys(names) if _plain(key) == _plain(part)]
        keeps_case = parts[2:3] == ["secrets"] or not part.isupper()
        exact = part if keeps_case else part.lower()
        parts.append(same[0] if len(same) == 1 else exact)
        names = names.get(parts[-1]) if isinstance(names, dict) else None
    return parts


def _keys(names: Any) -> list[str]:
    return list(names) if isinstance(names, dict) else []


def _plain(name: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in name.casefold())


def _value(text: str) -> Any:
    """Read a text that is a JSON array or object; any other stays a text."""
    if text.lstrip()[:1] in {"[", "{"}:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def environment() -> dict[str, str]:
    """Return the variables that concern Pegboard."""
    return {name: os.environ[name] for name in os.environ if name.startswith(PREFIX)}
