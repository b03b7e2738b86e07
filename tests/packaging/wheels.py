"""Wheels of packs and policies, written by hand: what pip installs in milliseconds."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

#: Every module tells that it is imported, so that a test can see what is not.
TELL = """\
import os
if "PACKS_IMPORTED" in os.environ:
    with open(os.environ["PACKS_IMPORTED"], "a") as told:
        told.write(__name__ + "\\n")
"""


@dataclass(frozen=True)
class Wheel:
    """One distribution with one module.

    Attributes:
        name: The distribution's name; its module has `_` for `-`.
        source: The text of the module.
        tools: Entry points of `pegboard.tools`: name -> attribute of the module.
        plugins: Entry points of `pegboard.plugins`, likewise.
        version: The distribution's version.
        requires: What it requires.
    """

    name: str
    source: str = ""
    tools: Mapping[str, str] = field(default_factory=dict)
    plugins: Mapping[str, str] = field(default_factory=dict)
    version: str = "1.0"
    requires: Sequence[str] = ()

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    def write(self, folder: Path) -> Path:
        """Write the wheel into a folder; return its path."""
        stem = f"{self.module}-{self.version}"
        info = f"{stem}.dist-info"
        metadata = [f"Name: {self.name}", f"Version: {self.version}"]
        metadata += [f"Requires-Dist: {text}" for text in self.requires]
        files = {
            f"{self.module}/__init__.py": TELL + dedent(self.source),
            f"{info}/METADATA": "\n".join(["Metadata-Version: 2.1", *metadata, ""]),
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\n"
            "Root-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/entry_points.txt": self._entry_points(),
        }
        record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
        path = folder / f"{stem}-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in {**files, f"{info}/RECORD": record}.items():
                archive.writestr(name, text)
        return path

    def _entry_points(self) -> str:
        lines = []
        groups = {"pegboard.tools": self.tools, "pegboard.plugins": self.plugins}
        for group, entries in groups.items():
            lines += [f"[{group}]"] if entries else []
            for name, attribute in entries.items():
                value = f"{self.module}:{attribute}" if attribute else self.module
                lines.append(f"{name} = {value}")
        return "\n".join([*lines, ""])


#: What a mid-sized dependency costs: a few hundred modules of the standard library.
HEAVY = "import email.mime.text, http.server, sqlite3, unittest.mock, xml.dom.minidom\n"


def pack(number: int, *, heavy: bool = False, version: str = "1.0") -> Wheel:
    """One of many packs: two tools of its own."""
    source = f'''
        {HEAVY if heavy else ""}
        from pegboard import tool

        @tool(read_only=True)
        def first_{number}(a: int, b: int = {number}) -> int:
            """Add two integers.

            Args:
                a: The first.
                b: The second.
            """
            return a + b

        @tool
        async def second_{number}(text: str) -> str:
            """Shorten a text to its first {number + 1} characters."""
            return text[:{number + 1}]

        tools = [first_{number}, second_{number}]
    '''
    name = f"packs-{number:03}"
    return Wheel(name, source, tools={f"p{number:03}": "tools"}, version=version)


def greeter(name: str, *, tool: str = "greet", version: str = "1.0") -> Wheel:
    """A pack of one tool that says which pack it is of."""
    source = f'''
        from pegboard import tool

        @tool(read_only=True)
        def {tool}() -> str:
            """Greet from {name} {version}."""
            return "hello from {name} {version}"
    '''
    return Wheel(name, source, tools={name: tool}, version=version)


def policy(
    name: str, body: str, *, hook: str = "before_tool_call(self, call)"
) -> Wheel:
    """A policy of one hook."""
    source = f"""
        from pegboard import *

        class Policy:
            @hookimpl
            def {hook}:
                {body}
    """
    return Wheel(name, source, plugins={name: "Policy"})
