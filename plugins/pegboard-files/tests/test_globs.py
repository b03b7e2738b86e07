"""Globs."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard_files.globs import compile_glob


@pytest.mark.parametrize(
    ("glob", "matching", "other"),
    [
        ("*.py", ["a.py", "d/e/a.py", ".py"], ["a.pyc", "a.py/b"]),
        ("d/*.py", ["d/a.py"], ["a.py", "d/e/a.py", "x/d/a.py"]),
        ("**/*.py", ["a.py", "d/a.py", "d/e/a.py"], ["a.txt"]),
        ("d/**/a.py", ["d/a.py", "d/e/f/a.py"], ["a.py", "da.py"]),
        ("d/**", ["d/a", "d/e/a"], ["d", "dd/a"]),
        ("d/", ["d/a", "d/e/a"], ["d", "x/d/a"]),
        ("/a.py", ["a.py", "d/a.py"], ["b.py"]),
        ("./d/a", ["d/a"], ["a"]),
        ("?.py", ["a.py", "é.py", "d/b.py"], [".py", "ab.py"]),
        ("[ab].[!c-e]", ["a.b", "b.f"], ["c.b", "a.d"]),
        ("[]a]", ["]", "a"], ["[", "b"]),
        ("*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.t", "a.ts,tsx"]),
        ("{a,b{c,d}}", ["a", "bc", "bd"], ["b", "abc"]),
        ("a,b", ["a,b"], ["a", "b"]),
        ("a}", ["a}"], ["a"]),
        ("a[", ["a["], ["a"]),
        ("a+(b).$^|", ["a+(b).$^|"], ["aab"]),
        ("[.]*", [".x"], ["x", "/x"]),
        ("a\nb", ["a\nb"], ["a"]),
    ],
)
def test_a_glob_matches_what_people_expect(glob, matching, other):
    """Without a slash the name counts, with one the path below the folder."""
    matches = compile_glob(glob)

    assert [path for path in matching if not matches(path)] == []
    assert [path for path in other if matches(path)] == []


@given(
    glob=st.text(st.sampled_from("ab.*?"), min_size=1, max_size=8),
    name=st.text(st.sampled_from("ab."), min_size=1, max_size=8),
)
def test_names_match_as_in_a_shell(glob, name):
    """Stars and question marks do what fnmatch does."""
    assert compile_glob(glob)(name) == fnmatch.fnmatchcase(name, glob)


def test_time_is_linear_in_the_name():
    """A glob that takes a backtracking engine forever is answered."""
    assert not compile_glob("*a" * 100 + "b")("a" * 4_000)
