"""Every example of a page is a test.

In README.md, docs/ and the READMEs of the plugins, `python` blocks run from top to
bottom in one namespace a page, in a folder of its own, with `await` at top level;
those that begin with `>>>` are doctests; `console` blocks are run by the shell and must
print what they show (`...` stands for anything). Any other block is only shown. To only
show one of these too, say why in the line above it: <!-- skip: next "needs a key" -->
"""

import ast
import asyncio
import doctest
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sybil import Example, Sybil
from sybil.evaluators.python import pad
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser


class Page:
    """Where the examples of one page run: a folder and an event loop."""

    def __init__(self) -> None:
        self.before = Path.cwd()
        self.folder = TemporaryDirectory(prefix="pegboard-page-")
        self.loop = asyncio.Runner()
        os.chdir(self.folder.name)

    def close(self) -> None:
        """Leave nothing behind."""
        self.loop.close()
        os.chdir(self.before)
        self.folder.cleanup()


def open_page(namespace: dict[str, Any]) -> None:
    namespace["__name__"] = "page"
    namespace["__page__"] = Page()


def close_page(namespace: dict[str, Any]) -> None:
    namespace["__page__"].close()


def run_python(example: Example) -> None:
    source = pad(example.parsed, example.line + example.parsed.line_offset)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(source, example.path, "exec", flags, dont_inherit=True)
    outcome = eval(code, example.namespace)
    if inspect.iscoroutine(outcome):
        example.namespace["__page__"].loop.run(outcome)


def run_console(example: Example) -> str | None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for block in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        command, _, expected = block.partition("\n")
        done = subprocess.run(
            command,
            shell=True,
            env={**os.environ, "PATH": path, "COLUMNS": "88"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if not doctest.OutputChecker().check_output(expected, done.stdout, LENIENT):
            return f"$ {command}\nexpected:\n{expected}\nprinted:\n{done.stdout}"
    return None


class PythonBlocks(PythonCodeBlockParser):
    """Sybil's own, with `await` at top level."""

    def __init__(self) -> None:
        super().__init__(doctest_optionflags=LENIENT)
        self.codeblock_parser = CodeBlockParser("python", run_python)


LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def collector(root: Path) -> Callable[..., Any]:
    """Return the hook `pytest_collect_file` for the pages of a folder."""
    return Sybil(
        parsers=[PythonBlocks(), CodeBlockParser("console", run_console), SkipParser()],
        path=str(root),
        patterns=["README.md", "docs/*.md", "docs/*/*.md"],
        setup=open_page,
        teardown=close_page,
    ).pytest()
