"""From `pegboard new` to a call, as a reader of the tutorial does it."""

from __future__ import annotations

import sys
import time

import pytest


@pytest.mark.parametrize("kind", ["pack", "plugin"])
def test_a_new_project_is_installed_tested_and_used(author, kind):
    """A project installs, its tests pass, it is shown, checked and called."""
    name = f"my-{kind}"
    started = time.perf_counter()

    author("pegboard", "new", kind, name)
    folder = author.folder / f"pegboard-{name}"
    author("pip", "install", "-q", "-e", ".[test]", cwd=folder)
    tested = author("pytest", "-q", cwd=folder)
    took = time.perf_counter() - started

    print(f"from pegboard new {kind} to passing tests: {took:.1f} s", file=sys.stderr)
    assert " passed" in tested
    checked = author("pegboard", "check", f"pegboard-{name}")
    assert "keeps its promises" in checked
    assert name in author("pegboard", "plugins")
    if kind == "pack":
        assert author("pegboard", "call", "count_words", "text=one two two") == "3\n"
        assert "count_words" in author("pegboard", "list")


def test_a_policy_of_a_new_project_guards_a_pack(author):
    """The two projects work together: the policy's settings refuse the pack's tool."""
    settings = author.folder / "pegboard.toml"
    settings.write_text('[plugins.my-plugin]\nrefuse = ["my-pack:*"]\n')

    with pytest.raises(AssertionError, match="count_words is switched off here"):
        author("pegboard", "call", "count_words", "text=one")
