"""Tool packs by the hundred: wheels that are generated, and installed as any other."""

import base64
import hashlib
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

from projects import Project

#: A tool pack of Pegboard, and one of llm, with the same two tools.
PEGBOARD_PACK = '''
from pegboard import tool
{needs}

@tool(read_only=True)
def first_{number}(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


@tool
async def second_{number}(text: str, limit: int = 10) -> dict[str, str]:
    """Shorten a text.

    Args:
        text: What to shorten.
        limit: Characters that stay.
    """
    return {{"text": text[:limit]}}


TOOLS = [first_{number}, second_{number}]
'''
LLM_PACK = '''
import llm
{needs}


def first_{number}(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


async def second_{number}(text: str, limit: int = 10) -> dict[str, str]:
    """Shorten a text."""
    return {{"text": text[:limit]}}


@llm.hookimpl
def register_tools(register):
    register(first_{number})
    register(second_{number})
'''
#: Stands for the library that a real pack is made for: 20 to 30 ms to import.
DEPENDENCY = """
from dataclasses import dataclass
""" + "".join(
    f"""
@dataclass(frozen=True)
class Record{number}:
    key: str
    size: int = 0
    tags: tuple[str, ...] = ()
    note: str | None = None
"""
    for number in range(40)
)
#: As many functions as asked for, each a tool.
MANY = '''
from pegboard import tool

@tool
async def pack_{number}_add_{index}(a: int, b: int) -> int:
    """Add two integers, number {index}.

    Args:
        a: The first one.
        b: The second one.
    """
    return a + b
'''


def write_wheel(
    folder: Path, name: str, modules: Mapping[str, str], entry_points: str
) -> Path:
    """Write the wheel of a distribution with these modules.

    Args:
        folder: Where to.
        name: The distribution's name, in lower case and with underscores.
        modules: Name of each module -> its source.
        entry_points: The text of entry_points.txt.
    """
    info = f"{name}-1.0.dist-info"
    files = {f"{module}.py": source for module, source in modules.items()}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: bench\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/entry_points.txt"] = entry_points
    record = "".join(f"{path},{_digest(text)}\n" for path, text in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def _digest(text: str) -> str:
    data = text.encode()
    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"sha256={found.decode()},{len(data)}"


def write_pack(folder: Path, host: str, number: int, *, heavy: bool) -> Path:
    """Write the wheel of one pack for a host.

    Args:
        folder: Where to.
        host: pegboard or llm.
        number: Which one.
        heavy: Whether it has a library of its own to import.
    """
    name = f"{host}_pack_{number}"
    needs = f"import {name}_library" if heavy else ""
    source = PEGBOARD_PACK if host == "pegboard" else LLM_PACK
    modules = {name: source.format(number=number, needs=needs)}
    if heavy:
        modules[f"{name}_library"] = DEPENDENCY
    group, target = (
        ("pegboard.tools", f"{name}:TOOLS") if host == "pegboard" else ("llm", name)
    )
    entry = f"[{group}]\npack-{number} = {target}\n"
    return write_wheel(folder, name, modules, entry)


def write_large_pack(folder: Path, number: int, tools: int) -> Path:
    """Write the wheel of a pack of many tools for Pegboard."""
    name = f"pegboard_large_{number}"
    head, _, function = MANY.partition("\n\n")
    body = "\n\n".join(
        function.format(number=number, index=index) for index in range(tools)
    )
    names = ", ".join(f"pack_{number}_add_{index}" for index in range(tools))
    source = f"{head}\n\n\n{body}\n\nTOOLS = [{names}]\n"
    entry = f"[pegboard.tools]\nlarge-{number} = {name}:TOOLS\n"
    return write_wheel(folder, name, {name: source}, entry)


def install(project: Project, wheels: list[Path], folder: Path) -> None:
    """Install wheels into a folder, to be put on the path of a project's python."""
    pip = [str(project.python), "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    quiet = ["--disable-pip-version-check", "--root-user-action=ignore"]
    into = ["--target", str(folder)]
    subprocess.run([*pip, *quiet, *into, *wheels], check=True, capture_output=True)
