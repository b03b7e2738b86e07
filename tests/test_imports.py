"""What an import costs and what it needs."""

import pkgutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pegboard

HEAVY = {
    "click",
    "docstring_parser",
    "jsonschema",
    "jsonschema_rs",
    "pydantic",
    "rich",
    "tenacity",
}
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(pegboard.__path__, "pegboard.")
    if not module.name.endswith("__main__")
)


def run(code: str, *options: str) -> str:
    """What a fresh interpreter prints, errors included."""
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def test_each_module_imports_alone():
    """Every module can be the first that an interpreter imports, without a warning."""
    with ThreadPoolExecutor(2) as pool:
        printed = pool.map(lambda name: run(f"import {name}", "-Werror"), MODULES)
        noisy = {
            name: text for name, text in zip(MODULES, printed, strict=True) if text
        }

    assert noisy == {}


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
