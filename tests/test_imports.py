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


def test_each_module_can_be_the_first_of_the_package():
    """Every module can be the first that a program imports, without a warning."""
    code = """
import importlib, pkgutil, sys, traceback
import pegboard

for module in pkgutil.walk_packages(pegboard.__path__, "pegboard."):
    if module.name.endswith("__main__"):
        continue
    for name in [name for name in sys.modules if name.startswith("pegboard")]:
        del sys.modules[name]
    try:
        importlib.import_module(module.name)
    except BaseException:
        print(module.name, traceback.format_exc())
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
