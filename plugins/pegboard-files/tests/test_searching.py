"""search_files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import ToolError
from pegboard_files import Settings, register_tools
from pegboard_files.matching import compile_pattern, find_lines


def test_matches_are_grouped_by_file(root, tools):
    """Files come in order, each once, with the numbers of its lines."""
    (root / "b").mkdir()
    (root / "b" / "c.py").write_text("x\ndef f():\n")
    (root / "a.py").write_text("def g():\n    pass\ndef h(): pass\n")

    result = tools.search_files(r"def \w+\(")

    assert result.text.splitlines() == [
        "a.py",
        "1: def g():",
        "3: def h(): pass",
        "b/c.py",
        "2: def f():",
        "[3 matches in 2 files]",
    ]
    assert result.data == {
        "matches": [
            {"path": "a.py", "line": 1, "text": "def g():"},
            {"path": "a.py", "line": 3, "text": "def h(): pass"},
            {"path": "b/c.py", "line": 2, "text": "def f():"},
        ],
        "files": 2,
        "skipped": {},
        "complete": True,
    }


@pytest.mark.parametrize(
    ("around", "shown"),
    [
        (0, ["3: x", "5: x", "9: x"]),
        (1, ["2- b", "3: x", "4- d", "5: x", "6- f", "--", "8- h", "9: x"]),
        (2, ["1- a", "2- b", "3: x", "4- d", "5: x", "6- f", "7- g", "8- h", "9: x"]),
    ],
)
def test_lines_around_a_match_are_shown_once(root, tools, around, shown):
    """Neighbours of two matches that meet are not repeated; a gap is marked."""
    (root / "a.txt").write_text("a\nb\nx\nd\nx\nf\ng\nh\nx\n")

    assert tools.search_files("x", around=around).text.splitlines()[1:-1] == shown


def test_one_file_or_a_glob_narrows_a_search(root, tools):
    """A search looks at one file, a folder, or what matches a glob below it."""
    for name in ("a.py", "lib/b.py", "lib/c.txt"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("here")

    def found(**where):
        matches = tools.search_files("here", **where).data["matches"]
        return [match["path"] for match in matches]

    assert found(path="lib/b.py") == ["lib/b.py"]
    assert found(path="lib") == ["lib/b.py", "lib/c.txt"]
    assert found(glob="*.py") == ["a.py", "lib/b.py"]
    assert found(path="lib", glob="*.txt") == ["lib/c.txt"]


def test_case_can_be_ignored(root, tools):
    """Case counts unless the call says otherwise, beyond ASCII too."""
    (root / "a.txt").write_text("STRASSE\nÄrger\n", encoding="utf-8")

    assert not tools.search_files("ärger").data["matches"]
    assert tools.search_files("ärger", ignore_case=True).data["matches"]


def test_what_is_left_out_is_counted(root, make_tools):
    """Binary and large files, links and skipped folders are counted, not searched."""
    (root / "a.txt").write_text("needle")
    (root / "b.bin").write_bytes(b"needle\0")
    (root / "c.txt").write_text("needle" * 20)
    (root / "d.txt").symlink_to("a.txt")
    (root / ".git").mkdir()

    result = make_tools(max_file_bytes=100).search_files("needle")

    assert result.text.splitlines()[-1] == (
        "[1 match in 1 file; left out: binary files: 1, files over 100 bytes: 1,"
        " folders called .git: 1, links: 1]"
    )


def test_any_encoding_of_text_is_searched(root, tools):
    """UTF-16 is decoded; bytes that are no UTF-8 are shown as replaced."""
    (root / "a.txt").write_bytes(b"\xff\xfe" + "x\r\nfind mé\r\n".encode("utf-16-le"))
    (root / "b.txt").write_bytes(b"\xef\xbb\xbffind me\r\n")
    (root / "c.txt").write_bytes(b"find m\xe9")

    matches = tools.search_files("^find m.?$|^find m").data["matches"]

    assert [(match["path"], match["line"], match["text"]) for match in matches] == [
        ("a.txt", 2, "find mé"),
        ("b.txt", 1, "find me"),
        ("c.txt", 1, "find m\N{REPLACEMENT CHARACTER}"),
    ]


def test_a_search_stops_at_a_limit_and_says_so(root, make_tools):
    """After max_matches, or more text than max_characters, the model is told."""
    (root / "a.txt").write_text("x\n" * 5)
    note = "there are more: narrow the pattern, the path or the glob"

    few = make_tools(max_matches=2).search_files("x")
    short = make_tools(max_characters=8).search_files("x")
    enough = make_tools(max_matches=5).search_files("x")

    assert few.text.splitlines()[1:] == [
        "1: x",
        "2: x",
        f"[2 matches in 1 file; {note}]",
    ]
    assert note in short.text
    assert len(short.data["matches"]) < 5
    assert enough.data["complete"]


def test_a_long_line_is_cut_around_its_match(root, tools):
    """Of a line of a megabyte the model reads what surrounds the match."""
    (root / "a.txt").write_text("é" * 500_000 + "needle" + "é" * 500_000)

    line = tools.search_files("needle").data["matches"][0]["text"]

    assert re.fullmatch("…é+needleé+…", line)
    assert len(line) <= 302


def test_time_is_linear_in_the_text(root, tools):
    """A pattern that takes a backtracking engine forever is answered."""
    (root / "a.txt").write_text("a" * 1_000_000)

    for pattern in ("(a+)+$b", "(a|a)*b", "(.*)(.*)(.*)(.*)x", "(a?){50}a{50}b"):
        assert tools.search_files(pattern).data["matches"] == []


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", r"missing \)"),
        ("a)(b", r"unexpected \)"),
        ("(?=a)", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        ("[z-a]", "invalid character class range"),
        ("(a{1000}){1000}", "invalid repetition size"),
        ("\ud800", "it is no valid text"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_explained(tools, capfd, pattern, reason):
    """The model reads what is wrong with its pattern; nothing is printed."""
    with pytest.raises(ToolError, match=f"can be searched for: {reason}.*RE2 syntax"):
        tools.search_files(pattern)

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("glob", ["[z-a]", "{a", "[]"])
def test_a_glob_that_cannot_be_used_is_explained(tools, glob):
    """The model reads what is wrong with its glob."""
    with pytest.raises(ToolError, match="is no valid glob: "):
        tools.search_files("x", glob=glob)


PATTERNS = ("a", "^a", "b$", "^$", "a.*b", "[^a]b", r"\s", "a|b ", "x*", "^b? a", ".")


@given(text=st.text(st.sampled_from("ab \n"), max_size=30), number=st.data())
def test_lines_match_as_if_each_stood_alone(text, number):
    """No match spans a line break, and every line is found once: as Python's re."""
    pattern = number.draw(st.sampled_from(PATTERNS))
    lines = text.removesuffix("\n").split("\n") if text else []
    expected = [n for n, line in enumerate(lines, 1) if re.search(pattern, line)]

    compiled = compile_pattern(pattern, ignore_case=False)
    found = [line.number for line in find_lines(compiled, text.encode())]

    assert found == expected


def test_several_roots_are_searched_together(tmp_path):
    """A search of "." goes through every root, a glob through what lies below it."""
    for name in ("app", "docs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("here")
    tools = register_tools(Settings(roots=[tmp_path / "app", tmp_path / "docs"]))
    search_files = next(tool for tool in tools if tool.name == "search_files")

    def found(**where):
        matches = search_files("here", **where).data["matches"]
        return [match["path"] for match in matches]

    assert found() == ["app/a.txt", "docs/a.txt"]
    assert found(path="docs") == ["docs/a.txt"]
    assert found(glob="docs/*.txt") == ["docs/a.txt"]
