"""The lock: which packs, which definitions, which order somebody has looked at.

`pegboard.lock` stands beside the project's file and is checked in; it is JSON, sorted,
one value a line, so that a difference is readable as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pegboard.errors import UsageError
from pegboard.schemas import ToolDefinition

FILE_NAME = "pegboard.lock"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Lock:
    """What a board consists of.

    Attributes:
        plugins: Name to distribution and version ("pegboard-files 0.1.0").
        order: Plugins in order, the outermost first.
        tools: Identity to the hash of its definition.
    """

    plugins: Mapping[str, str]
    order: Sequence[str]
    tools: Mapping[str, str]

    def to_json(self) -> str:
        """Return the text of a lock file."""
        value = {
            "format": FORMAT,
            "order": list(self.order),
            "plugins": dict(self.plugins),
            "tools": dict(self.tools),
        }
        return json.dumps(value, indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Lock:
        """Make a lock of a lock file's text.

        Raises:
            ValueError: it is none.
        """
        value = json.loads(text)
        try:
            if value["format"] != FORMAT:
                raise ValueError(f"its format is {value['format']!r}, not {FORMAT}")
            return cls(
                plugins=_texts(value["plugins"]),
                order=tuple(map(str, value["order"])),
                tools=_texts(value["tools"]),
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError("it is no lock file") from error


def make_lock(
    definitions: Iterable[ToolDefinition],
    plugins: Mapping[str, str],
    order: Iterable[str],
) -> Lock:
    """Return the lock of a board.

    Args:
        definitions: Its tools, as they are offered.
        plugins: Name to distribution and version.
        order: Its plugins, the outermost first.
    """
    tools = {definition.id: definition_hash(definition) for definition in definitions}
    return Lock(dict(plugins), tuple(order), tools)


def definition_hash(definition: ToolDefinition) -> str:
    """Return a hash of all that a model reads of a tool, and of its annotations.

    The version is not in it, since it is locked by itself; nor is the offered name,
    which another pack's tool of the same name can change.
    """
    said = definition.to_dict()
    del said["version"], said["name"]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def lock_file(project_file: Path | None) -> Path:
    """Return where the lock is: beside the project's file, else in this folder."""
    return (project_file.parent if project_file else Path()) / FILE_NAME


def write_lock(path: Path, lock: Lock) -> None:
    """Write a lock file.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.write_text(lock.to_json(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def read_lock(path: Path) -> Lock:
    """Read a lock file.

    Raises:
        UsageError: there is none, or it is no lock file.
    """
    try:
        return Lock.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        message = f"there is no {path}; `pegboard lock` writes it"
        raise UsageError(message) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}; `pegboard lock` writes it anew"
        ) from error


def check_lock(locked: Lock, now: Lock) -> tuple[str, ...]:
    """Return every difference as a line, () if there is none.

    Lines begin with "+" for what is new, "-" for what is gone, "~" for what changed.
    """
    lines = [
        *_changes("plugin", locked.plugins, now.plugins),
        *_changes("tool", locked.tools, now.tools),
    ]
    if list(locked.order) != list(now.order):
        lines.append(f"~ order: {', '.join(locked.order)} -> {', '.join(now.order)}")
    return tuple(lines)


def drifted_tools(locked: Lock, now: Lock) -> dict[str, str]:
    """Return each tool that is not as it was locked, with the reason."""
    reasons = {}
    for identity, digest in now.tools.items():
        if identity not in locked.tools:
            reasons[identity] = f"tool {identity!r} is not in {FILE_NAME}"
        elif locked.tools[identity] != digest:
            reasons[identity] = f"tool {identity!r} is not as {FILE_NAME} has it"
    return reasons


def objection_to(path: Path, free: Collection[str]) -> Callable[[ToolDefinition], str]:
    """Return what says why a tool is refused under `locked = true`.

    Args:
        path: The lock file; without it every tool is refused.
        free: Plugins that no lock knows, since they are passed in code.
    """
    try:
        locked, missing = read_lock(path), ""
    except UsageError as error:
        locked, missing = Lock({}, (), {}), str(error)

    def object_to(definition: ToolDefinition) -> str:
        if definition.plugin in free:
            return ""
        reasons = drifted_tools(locked, make_lock([definition], {}, ()))
        return missing or reasons.get(definition.id, "")

    return object_to


def _texts(value: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): str(item) for key, item in value.items()}


def _changes(
    kind: str, before: Mapping[str, str], now: Mapping[str, str]
) -> Iterator[str]:
    for name in sorted(before.keys() | now.keys()):
        old, new = _short(before.get(name)), _short(now.get(name))
        if old is None:
            yield f"+ {kind} {name} ({new})"
        elif new is None:
            yield f"- {kind} {name} ({old})"
        elif before[name] != now[name]:
            yield f"~ {kind} {name}: {old} -> {new}"


def _short(value: str | None) -> str | None:
    return value[:19] if value and value.startswith("sha256:") else value
