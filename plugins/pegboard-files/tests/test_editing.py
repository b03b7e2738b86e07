"""edit_file."""

import os

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pegboard import ToolError
from pegboard_files.editing import replace


def test_one_place_is_replaced(root, tools):
    """The rest of the file stays as it is, and the result tells where it happened."""
    (root / "a.py").write_text("one\ntwo\nthree\n")

    result = tools.edit_file("a.py", "two\n", "2\n2\n")

    assert (root / "a.py").read_text() == "one\n2\n2\nthree\n"
    assert result.text == "replaced 1 place in 'a.py', at line 2"
    assert result.data == {"path": "a.py", "replaced": 1, "line": 2}


def test_all_places_are_replaced_when_asked_for(root, tools):
    """replace_all goes from left to right and never into what it has put in."""
    (root / "a.py").write_text("aaa b aa")

    result = tools.edit_file("a.py", "a", "aa", replace_all=True)

    assert (root / "a.py").read_text() == "aaaaaa b aaaa"
    assert result.data["replaced"] == 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("none", "x", "does not hold the text to replace: read it again"),
        ("if  x:\ny()", "z", "from line 2 on it differs only in blanks"),
        ("dup", "x", r"more than once \(lines 4, 5\): add lines around it"),
        ("aa", "x", r"more than once \(lines 6\)"),
        ("", "x", "the text to replace is empty"),
        ("dup", "dup", "the old and the new text are the same"),
        ("top", "\ud800", r"the text holds '\\ud800', half of a surrogate pair"),
    ],
)
def test_a_doubtful_edit_changes_nothing(root, tools, old, new, message):
    """What is not there, is there twice, overlaps itself or does nothing is refused."""
    text = "top\n  if  x:\n\ty()\ndup\ndup\naaa\n"
    (root / "a.py").write_text(text)

    with pytest.raises(ToolError, match=message):
        tools.edit_file("a.py", old, new)

    assert (root / "a.py").read_text() == text
    assert os.listdir(root) == ["a.py"]


def test_many_occurrences_are_named_within_bounds(root, tools):
    """A message names ten lines, not a million."""
    (root / "a.py").write_text("x\n" * 1_000)

    with pytest.raises(ToolError, match=r"lines 1, 2, .*, 10 and more\)"):
        tools.edit_file("a.py", "x", "y")


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "utf-8"),
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ],
)
def test_encoding_and_line_breaks_are_kept(root, tools, mark, codec):
    """A file keeps its mark, its encoding and its CRLF; the model writes LF."""
    (root / "a.txt").write_bytes(mark + "é\r\nold\r\nend\r\n".encode(codec))

    tools.edit_file("a.txt", "é\nold", "ü\nnew\nnewer")

    expected = "ü\r\nnew\r\nnewer\r\nend\r\n".encode(codec)
    assert (root / "a.txt").read_bytes() == mark + expected


@pytest.mark.parametrize("data", [b"a\0b", b"caf\xe9 a", b"\xff\xfea"])
def test_a_file_that_is_no_text_is_not_edited(root, tools, data):
    """Bytes that cannot be read as text are not written back as text."""
    (root / "a.bin").write_bytes(data)

    with pytest.raises(ToolError, match=r"is a binary file|is no text"):
        tools.edit_file("a.bin", "a", "b")

    assert (root / "a.bin").read_bytes() == data


def test_a_file_that_is_too_large_is_not_edited(root, make_tools):
    """An edit loads the file, so there is a limit, and the message names it."""
    (root / "a.txt").write_text("x" * 11)

    with pytest.raises(ToolError, match=r"'a.txt' has more than 10 bytes"):
        make_tools(max_file_bytes=10).edit_file("a.txt", "x", "y")


TEXT = st.text(st.sampled_from("ab\n"), max_size=20)
PART = st.text(st.sampled_from("ab\n"), min_size=1, max_size=3)


@given(text=TEXT, old=PART, new=TEXT)
def test_replacing_all_is_what_str_replace_does(text, old, new):
    """On a text with LF only, and a part that occurs, the result is Python's own."""
    assume(old in text and old != new)

    edited = replace(text, old, new, every=True, path="a")

    assert edited.text == text.replace(old, new)
    assert edited.times == text.count(old)


@given(text=TEXT, old=PART, new=TEXT)
def test_crlf_makes_no_difference(text, old, new):
    """The edit of a file with CRLF is the edit of the same file with LF."""
    assume(old in text and old != new)

    def with_crlf(text):
        return text.replace("\n", "\r\n")

    edited = replace(with_crlf(text), old, new, every=True, path="a").text

    expected = text.replace(old, new)
    assert edited == (with_crlf(expected) if "\n" in text else expected)


@given(
    before=st.text(st.sampled_from("a\r\n"), max_size=12),
    after=st.text(st.sampled_from("a\r\n"), max_size=12),
)
def test_what_is_not_replaced_stays_byte_for_byte(before, after):
    """However line breaks are mixed, only the part that was named changes."""
    edited = replace(f"{before}XY{after}", "XY", "Z", every=False, path="a")

    assert edited.text == f"{before}Z{after}"
    assert edited.line == before.count("\n") + 1
