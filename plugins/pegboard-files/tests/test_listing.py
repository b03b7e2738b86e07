"""list_files."""

import os
import socket
from contextlib import nullcontext

import pytest

from pegboard import ToolError


def test_a_folder_is_listed_with_kinds_and_sizes(root, tools):
    """Every entry comes with its kind, a file with its size, sorted by name."""
    (root / "b.txt").write_bytes(b"12345")
    (root / "a").mkdir()
    (root / "c").symlink_to("b.txt")
    os.mkfifo(root / "d")

    result = tools.list_files()

    assert result.text.splitlines() == ["a/", "b.txt  5 bytes", "c  link", "d  special"]
    assert result.data == {
        "entries": [
            {"path": "a", "kind": "folder"},
            {"path": "b.txt", "kind": "file", "bytes": 5},
            {"path": "c", "kind": "link"},
            {"path": "d", "kind": "special"},
        ],
        "complete": True,
    }


def test_paths_are_ready_for_the_next_call(root, tools):
    """An entry of a folder below carries the whole path that read_file takes."""
    (root / "docs" / "deep").mkdir(parents=True)
    (root / "docs" / "deep" / "a.md").write_text("hello")

    path = tools.list_files("docs/deep").data["entries"][0]["path"]

    assert path == "docs/deep/a.md"
    assert tools.read_file(path).data == "hello"


def test_a_glob_finds_files_at_any_depth(root, tools):
    """With a glob the files below that match are listed, folders and links are not."""
    for name in ("x.py", "a/y.py", "a/b/z.py", "a/b/z.txt", "node_modules/n.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / "link.py").symlink_to("x.py")

    assert tools.list_files(glob="*.py").text.splitlines() == [
        "a/b/z.py  0 bytes",
        "a/y.py  0 bytes",
        "x.py  0 bytes",
    ]
    assert tools.list_files("a", glob="b/*.{py,txt}").text.splitlines() == [
        "a/b/z.py  0 bytes",
        "a/b/z.txt  0 bytes",
    ]


def test_a_folder_that_is_skipped_can_be_named(root, tools):
    """What a search does not enter on its own is entered when it is asked for."""
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x")

    assert tools.list_files(glob="*").text == "[nothing]"
    assert tools.list_files(".git", glob="*").text == ".git/config  1 bytes"


def test_a_long_listing_ends_with_the_way_on(root, make_tools):
    """A listing stops at max_entries, and its last line says how to see the rest."""
    for number in range(5):
        (root / f"{number}.txt").touch()
    tools = make_tools(max_entries=3)

    result = tools.list_files()

    *entries, note = result.text.splitlines()
    assert [entry[:5] for entry in entries] == ["0.txt", "1.txt", "2.txt"]
    assert note.startswith("[there are more than these 3: ")
    assert (len(result.data["entries"]), result.data["complete"]) == (3, False)
    assert make_tools(max_entries=5).list_files().data["complete"]


def test_an_empty_folder_says_so(tools):
    """Nothing is a text too."""
    assert tools.list_files().text == "[nothing]"


def test_odd_names_stay_one_line_and_valid_text(root, tools):
    """Line breaks, blanks and bytes that are no UTF-8 cannot fake an entry."""
    for name in (b"a\nb", b" lead", b'"q"', b"caf\xe9", "naïve".encode()):
        with open(os.path.join(os.fsencode(root), name), "wb"):
            pass

    result = tools.list_files()

    assert result.text.splitlines() == [
        '" lead"  0 bytes',
        '"\\"q\\""  0 bytes',
        '"a\\nb"  0 bytes',
        "caf\N{REPLACEMENT CHARACTER}  0 bytes",
        "naïve  0 bytes",
    ]
    assert str(result.data).encode()


def test_a_socket_is_special(root, tools, monkeypatch):
    """A socket is shown as what no tool opens."""
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")

        assert tools.list_files().text == "s  special"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none", "'none' does not exist"),
        ("file", "'file' is no folder"),
        ("file/x", "'file/x' cannot exist: a part of the path is no folder"),
    ],
)
def test_what_is_no_folder_is_one_clear_line(root, tools, path, message):
    """A path that cannot be listed is named, with what is wrong."""
    (root / "file").touch()

    with pytest.raises(ToolError, match=f"^{message}$"):
        tools.list_files(path)


def test_a_file_that_vanishes_is_listed_without_size(root, tools, monkeypatch):
    """What is removed while a folder is listed disturbs nothing."""
    scan = os.scandir

    def scan_and_remove(folder):
        with scan(folder) as listing:
            entries = list(listing)
        (root / "a.txt").unlink()
        return nullcontext(entries)

    (root / "a.txt").touch()
    (root / "b.txt").touch()
    monkeypatch.setattr(os, "scandir", scan_and_remove)

    assert tools.list_files().text.splitlines() == ["a.txt  file", "b.txt  0 bytes"]
