"""The tutorial, done to the letter in a fresh environment."""

from __future__ import annotations

import doctest
import re
import time
from itertools import pairwise
from pathlib import Path

from .machine import ROOT

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
#: A block of this first line becomes this file.
FILES = {
    '"""Tools for language models: weather."""': "pegboard_weather/__init__.py",
    '"""The tools, as a program and as a model use them."""': "tests/test_weather.py",
}


def test_every_step_of_the_tutorial_works(author):
    """Commands print what is shown, files are written where the page says."""
    blocks = [*BLOCK.findall(PAGE), ("", "")]
    place, compared = author.folder, 0
    started = time.perf_counter()
    for (kind, text), (next_kind, expected) in pairwise(blocks):
        path = FILES.get(text.partition("\n")[0])
        if kind == "python" and path:
            (place / path).write_text(text, encoding="utf-8")
        if kind == "sh":
            # Pegboard is there already, from this checkout.
            commands = text.replace("pip install pegboard\n", "")
            printed = author("bash", "-c", f"set -e\n{commands}pwd", cwd=place)
            printed, _, left = printed.rstrip().rpartition("\n")
            place = Path(left)
            if next_kind == "text":
                check = doctest.OutputChecker().check_output
                assert check(expected, printed + "\n", LENIENT), printed
                compared += 1
    print(f"the tutorial took a machine {time.perf_counter() - started:.1f} s")

    assert compared >= 3
