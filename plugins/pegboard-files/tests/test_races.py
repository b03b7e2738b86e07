"""Whoever swaps folders and links while a tool runs cannot lead it outside."""

import itertools
import os
import shutil
import threading

import pytest

from pegboard import ToolError

CALLS = ("open", "readlink", "stat", "fstat", "scandir", "mkdir", "replace")


def swap_folder(root, outside):
    """The folder becomes a link to another one outside."""
    (root / "a").rename(root.parent / "parked")
    (root / "a").symlink_to(outside)


def swap_file(root, outside):
    """The file becomes a link to another one outside."""
    (root / "a" / "file.txt").unlink(missing_ok=True)
    (root / "a" / "file.txt").symlink_to(outside / "file.txt")


def swap_pipe(root, outside):
    """The file becomes a pipe that would hold up whoever opens it."""
    (root / "a" / "file.txt").unlink(missing_ok=True)
    os.mkfifo(root / "a" / "file.txt")


def move_folder(root, outside):
    """The folder is carried out, so that its ".." leads to another place."""
    (root / "a").rename(outside.parent / "moved" / "a")


OPERATIONS = {
    "list": lambda tools: tools.list_files("a").text,
    "find": lambda tools: tools.list_files(glob="*.txt").text,
    "read": lambda tools: tools.read_file("a/file.txt").text,
    "read by link": lambda tools: tools.read_file("link").text,
    "search": lambda tools: tools.search_files(".").text,
    "write": lambda tools: tools.write_file("a/file.txt", "mine").text,
    "write new": lambda tools: tools.write_file("a/b/new.txt", "mine").text,
    "write by link": lambda tools: tools.write_file("link", "mine").text,
    "edit": lambda tools: tools.edit_file("a/file.txt", "inside", "mine").text,
}


@pytest.fixture
def swapped_at(monkeypatch, root, outside, tools):
    """Run an operation with a swap right before its n-th system call."""

    def run(operation, swap, number):
        counter = itertools.count()
        happened = []

        def watch(real):
            def call(*args, **options):
                if next(counter) == number:
                    swap(root, outside)
                    happened.append(True)
                return real(*args, **options)

            return call

        with monkeypatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, watch(getattr(os, name)))
            try:
                text = operation(tools)
            except ToolError as error:
                text = str(error)
        return bool(happened), text

    return run


def lay_out(root, outside):
    for folder in (root, root.parent / "moved", root.parent / "parked"):
        shutil.rmtree(folder, ignore_errors=True)
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "file.txt").write_text("inside\n")
    (root / "link").symlink_to("a/b/../../a/file.txt")
    (root.parent / "moved").mkdir()
    (root.parent / "moved" / "file.txt").write_text("secret\n")


@pytest.mark.parametrize("swap", [swap_folder, swap_file, swap_pipe, move_folder])
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_moment_is_wrong(root, outside, swapped_at, name, swap):
    """At whichever system call a swap happens, nothing outside is read or changed."""
    for number in itertools.count():
        lay_out(root, outside)
        happened, text = swapped_at(OPERATIONS[name], swap, number)
        if not happened:
            break

        assert "secret" not in text
        assert str(root.parent) not in text
        assert os.listdir(outside) == ["file.txt"]
        assert (outside / "file.txt").read_text() == "secret\n"
        assert (root.parent / "moved" / "file.txt").read_text() == "secret\n"
    assert number > 4


def test_a_swapping_thread_leads_nobody_out(root, outside, tools):
    """Two thousand calls against a thread that swaps a folder as fast as it can."""
    (root / "real").mkdir()
    (root / "real" / "file.txt").write_text("inside\n")
    (root / "a").symlink_to("real")
    done = threading.Event()

    def swap():
        for target in itertools.cycle((outside, "real")):
            if done.is_set():
                return
            (root / "next").symlink_to(target)
            (root / "next").replace(root / "a")

    thread = threading.Thread(target=swap)
    thread.start()
    texts = []
    try:
        for number in range(2_000):
            try:
                if number % 2:
                    texts.append(tools.read_file("a/file.txt").text)
                else:
                    texts.append(tools.write_file("a/file.txt", "inside\n").text)
            except ToolError as error:
                texts.append(str(error))
    finally:
        done.set()
        thread.join()

    assert not [text for text in texts if "secret" in text]
    assert any("leads outside" in text for text in texts)
    assert "inside\n" in texts
    assert os.listdir(outside) == ["file.txt"]
    assert (outside / "file.txt").read_text() == "secret\n"


def test_readers_see_a_whole_file_while_it_is_written(root, tools):
    """A file is replaced at once: nobody reads half of it, or finds it missing."""
    contents = ["a" * 50_000, "b" * 50_000]
    tools.write_file("file.txt", contents[0])
    done = threading.Event()

    def write():
        for content in itertools.cycle(contents):
            if done.is_set():
                return
            tools.write_file("file.txt", content)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        seen = {tools.read_file("file.txt").data for _ in range(300)}
    finally:
        done.set()
        thread.join()

    assert seen <= set(contents)
    assert os.listdir(root) == ["file.txt"]
