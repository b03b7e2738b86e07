"""Trees that somebody made to hurt."""

import errno
import itertools
import os
import socket
import stat

import pytest

from pegboard import ToolError
from pegboard_files.walking import MAX_DEPTH


def attempts(tools, path):
    yield lambda: tools.read_file(path)
    yield lambda: tools.write_file(path, "x")
    yield lambda: tools.edit_file(path, "x", "y")


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))


def make_device(path):
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero: endless
    except PermissionError:
        pytest.skip("only root makes devices")


@pytest.mark.parametrize("make", [make_pipe, make_socket, make_device])
def test_only_regular_files_are_opened(root, tools, make):
    """A pipe, a socket or a device holds nobody up: it is named and left alone."""
    make(root / "odd")

    for attempt in attempts(tools, "odd"):
        with pytest.raises(ToolError, match=r"^'odd' is a pipe, socket or device, not"):
            attempt()
    found = tools.search_files("x")

    assert found.data["files"] == 0
    assert found.data["skipped"] == {"special files": 1}


def test_a_deep_tree_is_walked_so_far(root, tools):
    """A walk ends at a depth that no project has, and says so."""
    folder = root
    for depth in range(MAX_DEPTH + 2):
        (folder / f"{depth}.txt").write_text("x")
        folder = folder / "d"
        folder.mkdir()

    result = tools.search_files("x")

    assert result.data["files"] == MAX_DEPTH + 1
    assert result.data["skipped"] == {"folders that lie too deep": 1}
    assert tools.read_file(f"{'d/' * (MAX_DEPTH + 1)}{MAX_DEPTH + 1}.txt").data == "x"


def test_nothing_stays_open(root, tools):
    """Calls that end early or fail close what they opened."""
    for name in ("a/b/c.txt", "a/d.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n" * 1_000)
    (root / "loop").symlink_to("loop")
    before = os.listdir("/dev/fd")

    tools.search_files("x")
    tools.list_files(glob="*")
    for path in ("a", "loop", "a/b/c.txt/d", "../x"):
        for attempt in attempts(tools, path):
            with pytest.raises(ToolError):
                attempt()

    assert len(os.listdir("/dev/fd")) == len(before)


def test_names_that_are_no_text_are_searched_and_shown(root, tools):
    """A name of any bytes is walked over and cannot break an answer."""
    for name in (b"\xff\xfe", b"new\nline: 1: fake", b"\x1b[31mred"):
        with open(os.path.join(os.fsencode(root), name), "w") as file:
            file.write("x")

    result = tools.search_files("x")

    assert result.text.splitlines() == [
        '"\\u001b[31mred"',
        "1: x",
        '"new\\nline: 1: fake"',
        "1: x",
        "\N{REPLACEMENT CHARACTER}" * 2,
        "1: x",
        "[3 matches in 3 files]",
    ]
    assert result.text.encode()


def test_a_file_of_line_breaks_is_no_burden(root, tools):
    """Two million lines are counted, searched and read within the limits."""
    (root / "a.txt").write_bytes(b"\n" * 2_000_000)

    assert tools.read_file("a.txt", 1_999_999).details["lines"] == 2_000_000
    assert len(tools.search_files("^", around=20).data["matches"]) == 200
    assert not tools.search_files("x").data["matches"]


def test_a_folder_that_cannot_be_listed_is_counted(root, tools, monkeypatch):
    """A walk goes on when a folder below fails, and tells when the first one does."""
    scan = os.scandir

    def fail_at(number):
        counter = itertools.count(1)

        def scandir(folder):
            if next(counter) == number:
                raise OSError(errno.EIO, "Input/output error")
            return scan(folder)

        monkeypatch.setattr(os, "scandir", scandir)

    (root / "a").mkdir()
    (root / "b.txt").write_text("x")

    fail_at(2)
    assert tools.search_files("x").data["skipped"] == {"unreadable folders": 1}
    fail_at(2)
    assert tools.list_files(glob="*").text == "b.txt  1 bytes"
    fail_at(1)
    with pytest.raises(ToolError, match=r"^'\.' failed: input/output error$"):
        tools.search_files("x")
