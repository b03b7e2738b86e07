"""What an import costs and what it needs."""

import subprocess
import sys

HEAVY = {
    "click",
    "docstring_parser",
    "jsonschema",
    "jsonschema_rs",
    "pydantic",
    "rich",
    "tenacity",
}


def run(code: str) -> str:
    """What a fresh interpreter prints of this code, errors included."""
    done = subprocess.run(
        [sys.executable, "-Werror", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def test_every_module_imports_without_a_warning():
    """Every module imports, silently; that no order matters, `nox -s layers` proves."""
    code = """
import importlib, pkgutil
import pegboard

for module in pkgutil.walk_packages(pegboard.__path__, "pegboard."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
    assert run(code) == ""


def test_import_and_tool_load_nothing_heavy():
    """`import pegboard` and `@tool` load no library that takes long to import."""
    code = """
import sys
import pegboard

@pegboard.tool(read_only=True)
def add(a: int, b: int = 0) -> int:
    '''Add two numbers.'''
    return a + b

print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""
    loaded = set(run(code).split())

    assert "pegboard" in loaded
    assert loaded & HEAVY == set()
