"""read_file."""

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import ToolError
from pegboard_files import Settings, register_tools


def texts(result):
    return [block.text for block in result.content]


def test_a_file_is_read_as_it_is(root, tools):
    """A short file is one block, exactly its text; details tell the rest."""
    (root / "a.txt").write_text("one\ntwo\n")

    result = tools.read_file("a.txt")

    assert texts(result) == ["one\ntwo\n"]
    assert result.data == "one\ntwo\n"
    assert result.details == {
        "path": "a.txt",
        "start": 1,
        "end": 2,
        "lines": 2,
        "bytes": 8,
        "encoding": "utf-8",
        "line_breaks": "LF",
    }


@pytest.mark.parametrize(
    ("start", "end", "text", "note"),
    [
        (1, 2, "1\n2\n", "[lines 1-2 of 5]"),
        (4, None, "4\n5", "[lines 4-5 of 5]"),
        (5, 9, "5", "[lines 5-5 of 5]"),
        (3, 3, "3\n", "[lines 3-3 of 5]"),
    ],
)
def test_a_range_of_lines_is_read(root, tools, start, end, text, note):
    """Lines count from 1, both ends belong to the range, and a note names it."""
    (root / "a.txt").write_text("1\n2\n3\n4\n5")

    assert texts(tools.read_file("a.txt", start, end)) == [text, note]


def test_a_long_file_comes_in_whole_lines(root, make_tools):
    """What is too much for one answer is cut after a line, and the note goes on."""
    (root / "a.txt").write_text("first\nsecond\nthird\n")
    tools = make_tools(max_characters=14)

    text, note = texts(tools.read_file("a.txt"))

    assert text == "first\nsecond\n"
    assert note == (
        "[lines 1-2 of 3; it is too much for one answer: go on with start=3]"
    )
    assert texts(tools.read_file("a.txt", 3))[0] == "third\n"


def test_a_long_line_comes_in_pieces(root, make_tools):
    """A line that alone is too long is cut by characters."""
    (root / "a.txt").write_text("é" * 25)
    tools = make_tools(max_characters=10)

    first, second, third = (tools.read_file("a.txt", column=c) for c in (1, 11, 21))

    assert texts(first)[0] == "é" * 10
    assert texts(first)[1].endswith("go on with start=1, column=11]")
    assert texts(second)[1].endswith("go on with start=1, column=21]")
    assert texts(third)[0] == "é" * 5


@given(
    text=st.text(st.sampled_from("ab é\n😀"), max_size=60),
    limit=st.integers(1, 20),
)
def test_following_the_notes_reads_the_whole_file(tmp_path_factory, text, limit):
    """However a file is cut, going on as the notes say loses and repeats nothing."""
    root = tmp_path_factory.mktemp("root")
    (root / "a.txt").write_text(text, encoding="utf-8", newline="")
    tools = register_tools(Settings(roots=[root], max_characters=limit))
    read_file = next(tool for tool in tools if tool.name == "read_file")
    pieces, go_on = [], {"start": 1}
    while go_on:
        result = read_file("a.txt", **go_on)
        pieces.append(result.data)
        found = re.search(r"go on with start=(\d+)(?:, column=(\d+))?", result.text)
        go_on = found and {"start": int(found[1]), "column": int(found[2] or 1)}

    assert "".join(pieces) == text
    assert all(0 < len(piece) <= limit for piece in pieces) or text == ""


def test_an_empty_file_says_so(root, tools):
    """Nothing is a text too."""
    (root / "a.txt").touch()

    assert texts(tools.read_file("a.txt")) == ["[the file is empty]"]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("grüße\n".encode(), "utf-8"),
        ("grüße\n".encode("utf-8-sig"), "utf-8 with byte order mark"),
        (b"\xff\xfe" + "grüße\n".encode("utf-16-le"), "utf-16-le with byte order mark"),
        (b"\xfe\xff" + "grüße\n".encode("utf-16-be"), "utf-16-be with byte order mark"),
    ],
)
def test_known_encodings_are_read(root, tools, data, encoding):
    """UTF-8 and, by its mark, UTF-16 are text; the mark is no part of it."""
    (root / "a.txt").write_bytes(data)

    result = tools.read_file("a.txt")

    assert texts(result) == ["grüße\n"]
    assert result.details["encoding"] == encoding


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x7fELF\0\0", "is a binary file, not text"),
        (b"x" * 9_000 + b"\0", "is a binary file, not text"),
        (b"\xff\xfe\0\0a\0\0\0", "is a binary file, not text"),
        (b"gr\xfc\xdfe", "is no text that can be read: neither UTF-8 nor UTF-16"),
        (b"\xff\xfe\0\xd8a\0", "is no text that can be read: neither UTF-8 nor UTF-16"),
    ],
)
def test_what_is_no_text_is_named(root, tools, data, message):
    """A binary file and an unknown encoding are two different answers."""
    (root / "a.bin").write_bytes(data)

    with pytest.raises(ToolError, match=f"^'a.bin' {message}"):
        tools.read_file("a.bin")


def test_crlf_is_shown_as_lf_and_told(root, tools):
    """A model sees lines, not carriage returns, and learns how they end."""
    (root / "a.txt").write_bytes(b"one\r\ntwo\r\n")

    result = tools.read_file("a.txt")

    assert texts(result) == ["one\ntwo\n", "[its lines end with CRLF]"]
    assert result.details["line_breaks"] == "CRLF"


def test_a_huge_file_is_read_without_being_loaded(root, make_tools):
    """A range of a file of a terabyte is read; nobody counts its lines."""
    path = root / "huge.log"
    path.write_bytes(b"line\n" * 10_000)
    os.truncate(path, 1 << 40)
    tools = make_tools()

    assert texts(tools.read_file("huge.log", 3, 4)) == [
        "line\nline\n",
        "[lines 3-4 of a file of 1,099,511,627,776 bytes]",
    ]


def test_text_before_bytes_that_are_no_text_is_read(root, tools):
    """What is asked for counts; that the rest cannot be read leaves lines uncounted."""
    (root / "a.txt").write_bytes(b"line\n" * 100_000 + b"\xff")

    assert texts(tools.read_file("a.txt", 1, 1)) == [
        "line\n",
        "[lines 1-1 of a file of 500,001 bytes]",
    ]
    with pytest.raises(ToolError, match=r"'a.txt' is no text that can be read"):
        tools.read_file("a.txt", 100_001)


def test_a_huge_binary_file_is_refused_at_once(root, tools):
    """The first bytes of a terabyte tell that it is no text."""
    (root / "huge").touch()
    os.truncate(root / "huge", 1 << 40)

    with pytest.raises(ToolError, match="'huge' is a binary file, not text"):
        tools.read_file("huge")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "a.txt", "start": 9}, "'a.txt' has no line 9: it has 2"),
        ({"path": "a.txt", "start": 3}, "'a.txt' has no line 3: it has 2"),
        ({"path": "a.txt", "column": 9}, "'a.txt' has no column 9 in line 1"),
        (
            {"path": "a.txt", "start": 3, "column": 2},
            "'a.txt' has no column 2 in line 3",
        ),
        ({"path": "a.txt", "start": 2, "end": 1}, "end=1 lies before start=2"),
        ({"path": "b.txt"}, "'b.txt' does not exist; its folder has 'a.txt'"),
        ({"path": "no/a.txt"}, "'no/a.txt' does not exist"),
        ({"path": "folder"}, "'folder' is a folder; list it instead"),
        ({"path": "."}, "'.' is a folder; list it instead"),
        ({"path": "x" * 300}, "'x+' cannot exist: a part of the path is too long"),
        ({"path": "a\0b"}, r"'a\\x00b' can be no file's name"),
        ({"path": "\ud800"}, r"'\\ud800' can be no file's name"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(root, tools, arguments, message):
    """A missing file names its neighbours, a wrong range the length of the file."""
    (root / "a.txt").write_text("1\n2\n")
    (root / "folder").mkdir()

    with pytest.raises(ToolError, match=f"^{message}$"):
        tools.read_file(**arguments)


def test_a_name_with_a_line_break_can_be_read(root, tools):
    """Any name that is valid text serves as a path."""
    (root / "a\nb").write_text("odd")

    assert tools.read_file("a\nb").data == "odd"
