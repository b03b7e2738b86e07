"""`pegboard.__all__` tells the truth."""

import ast
from pathlib import Path

import pegboard


def test_all_names_are_importable():
    """Every name of `__all__` is there when it is asked for."""
    assert [name for name in pegboard.__all__ if not hasattr(pegboard, name)] == []


def test_all_lists_what_the_package_takes_from_its_modules():
    """A name is in `__all__`, once, exactly if `__init__.py` takes it from a module."""
    tree = ast.parse(Path(pegboard.__file__).read_text(encoding="utf-8"))
    taken = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("pegboard.")
        for alias in node.names
    ]

    assert sorted(pegboard.__all__) == sorted(taken)
