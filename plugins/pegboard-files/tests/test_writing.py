"""write_file, and how both writing tools replace a file."""

import errno
import os
import stat

import pytest

from pegboard import ToolError


def test_a_new_file_is_written_with_its_folders(root, tools):
    """The file holds exactly the content, in UTF-8, line breaks as given."""
    result = tools.write_file("a/b/c.txt", "é\r\nx\n")

    assert (root / "a/b/c.txt").read_bytes() == "é\r\nx\n".encode()
    assert result.text == "created 'a/b/c.txt': 6 bytes"
    assert result.data == {"path": "a/b/c.txt", "created": True, "bytes": 6}


def test_an_old_file_is_overwritten(root, tools):
    """The result tells that there was one before."""
    (root / "a.txt").write_text("a long old text")

    result = tools.write_file("a.txt", "new")

    assert (root / "a.txt").read_text() == "new"
    assert result.text == "overwrote 'a.txt': 3 bytes"
    assert result.data["created"] is False


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o640])
def test_permissions_are_kept(root, tools, mode):
    """A script stays executable, a private file private, by both tools."""
    (root / "a.sh").write_text("old")
    (root / "a.sh").chmod(mode)

    tools.write_file("a.sh", "new")
    tools.edit_file("a.sh", "new", "newer")

    assert stat.S_IMODE((root / "a.sh").stat().st_mode) == mode


def test_a_new_file_has_the_usual_permissions(root, tools):
    """A new file is what open() would have made, by the umask of the process."""
    (root / "usual").write_text("")

    tools.write_file("new", "")

    assert (root / "new").stat().st_mode == (root / "usual").stat().st_mode


def test_a_write_that_fails_leaves_the_old_file(root, tools, monkeypatch):
    """Whole or not at all: an error on the way leaves no trace."""

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    (root / "a.txt").write_text("old")
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(ToolError, match=r"^'a.txt' failed: no space left on device$"):
        tools.write_file("a.txt", "new")

    assert (root / "a.txt").read_text() == "old"
    assert os.listdir(root) == ["a.txt"]


def test_an_edit_does_not_overwrite_a_newer_version(root, tools, monkeypatch):
    """If somebody saves the file between reading and writing, the edit is refused."""
    (root / "a.txt").write_text("old")
    replace = os.stat

    def save_first(*args, **options):
        monkeypatch.setattr(os, "stat", replace)
        opened.append(1)
        if len(opened) == 2:
            (root / "a.txt").write_text("saved by somebody")
        else:
            monkeypatch.setattr(os, "stat", save_first)
        return replace(*args, **options)

    opened: list[int] = []
    monkeypatch.setattr(os, "stat", save_first)

    with pytest.raises(ToolError, match="was changed by somebody else meanwhile") as e:
        tools.edit_file("a.txt", "old", "new")

    assert e.value.retryable
    assert (root / "a.txt").read_text() == "saved by somebody"


def test_the_longest_name_can_be_written(root, tools):
    """The file that is written first has a short name of its own."""
    tools.write_file("x" * 255, "1")

    assert os.listdir(root) == ["x" * 255]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("folder", "'folder' is a folder; list it instead"),
        (".", "'.' is a folder; list it instead"),
        ("file/new", "'file/new' cannot exist: a part of the path is no folder"),
        ("pipe", "'pipe' is a pipe, socket or device, not a file"),
        ("x" * 256, "'x+' cannot exist: a part of the path is too long"),
    ],
)
def test_what_is_no_file_is_not_overwritten(root, tools, path, message):
    """Only a regular file makes way for a new one."""
    (root / "folder").mkdir()
    (root / "file").touch()
    os.mkfifo(root / "pipe")

    with pytest.raises(ToolError, match=f"^{message}$"):
        tools.write_file(path, "new")

    assert sorted(os.listdir(root)) == ["file", "folder", "pipe"]
    assert stat.S_ISFIFO((root / "pipe").stat().st_mode)


def test_what_may_not_be_changed_is_not_changed(make_tools, powerless):
    """A write-protected file or folder is respected, though a rename could pass it."""
    tools = make_tools(roots=[powerless])
    (powerless / "a.txt").write_text("old")
    (powerless / "a.txt").chmod(0o444)
    (powerless / "b").mkdir(mode=0o555)
    (powerless / "c.txt").touch(mode=0)

    with pytest.raises(ToolError, match=r"'a.txt' may not be opened: permission"):
        tools.write_file("a.txt", "new")
    with pytest.raises(ToolError, match=r"'b/a.txt' may not be opened: permission"):
        tools.write_file("b/a.txt", "new")
    with pytest.raises(
        ToolError, match=r"'c.txt' may not be opened: permission denied"
    ):
        tools.read_file("c.txt")

    assert (powerless / "a.txt").read_text() == "old"
    assert tools.search_files("x").data["skipped"] == {"unreadable files": 1}


def test_without_writable_there_is_no_tool_that_writes(make_tools):
    """writable = false leaves the three tools that only look."""
    assert set(vars(make_tools(writable=False))) == {
        "list_files",
        "read_file",
        "search_files",
    }
