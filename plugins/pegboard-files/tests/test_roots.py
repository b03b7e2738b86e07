"""No path leads out of the roots."""

import os
from pathlib import Path

import pytest

from pegboard import ToolError
from pegboard_files import Settings, register_tools
from pegboard_files.roots import Roots

REFUSED = "leads outside the folders that may be used; give a path relative to them"


def attempts(tools, path):
    """Everything that a model can do with a path."""
    yield lambda: tools.list_files(path)
    yield lambda: tools.list_files(path, glob="*")
    yield lambda: tools.read_file(path)
    yield lambda: tools.read_file(f"{path}/file.txt")
    yield lambda: tools.search_files("secret", path)
    yield lambda: tools.write_file(path, "mine")
    yield lambda: tools.write_file(f"{path}/file.txt", "mine")
    yield lambda: tools.write_file(f"{path}/new/file.txt", "mine")
    yield lambda: tools.edit_file(f"{path}/file.txt", "secret", "mine")


def check_untouched(outside):
    assert os.listdir(outside) == ["file.txt"]
    assert (outside / "file.txt").read_text() == "secret\n"


@pytest.mark.parametrize(
    "path", ["../outside", "a/../../outside", "a/b/../../../outside", "..", "./.."]
)
def test_dots_do_not_lead_out(root, outside, tools, path):
    """No tool goes above the root by "..", whether folders on the way exist or not."""
    (root / "a").mkdir()

    for attempt in attempts(tools, path):
        with pytest.raises(ToolError, match=REFUSED):
            attempt()

    check_untouched(outside)


def test_absolute_paths_do_not_lead_out(root, outside, tools):
    """An absolute path serves only inside the root, not beside it."""
    for path in (outside, f"{root}/../outside", f"//{outside}", f"{root}x", "/", "//"):
        for attempt in attempts(tools, str(path)):
            with pytest.raises(ToolError, match=REFUSED):
                attempt()

    check_untouched(outside)


def make_links(root, outside):
    """Ways out by links: to a folder, by a chain, through "..", to one file."""
    (root / "in").mkdir()
    (root / "absolute").symlink_to(outside)
    (root / "relative").symlink_to("../outside")
    (root / "chain").symlink_to("in/next")
    (root / "in" / "next").symlink_to("../relative")
    (root / "winding").symlink_to(f"{root}/in/../../outside")
    (root / "beyond").symlink_to("in/../../tree/../outside")


@pytest.mark.parametrize("link", ["absolute", "relative", "chain", "winding", "beyond"])
def test_links_do_not_lead_out(root, outside, tools, link):
    """A link out of the root is refused by every tool, without naming its target."""
    make_links(root, outside)

    for attempt in attempts(tools, link):
        with pytest.raises(ToolError, match=REFUSED) as refusal:
            attempt()
        assert str(outside.parent) not in str(refusal.value)

    check_untouched(outside)


def test_a_link_to_a_file_does_not_lead_out(root, outside, tools):
    """A link is refused as the last part of a path, too."""
    (root / "a.txt").symlink_to(outside / "file.txt")

    for attempt in (
        lambda: tools.read_file("a.txt"),
        lambda: tools.search_files("secret", "a.txt"),
        lambda: tools.write_file("a.txt", "mine"),
        lambda: tools.edit_file("a.txt", "secret", "mine"),
    ):
        with pytest.raises(ToolError, match=REFUSED):
            attempt()

    check_untouched(outside)


def test_a_walk_follows_no_link(root, outside, tools):
    """Searches and globs stay in the tree, whatever is linked into it."""
    make_links(root, outside)

    assert tools.search_files("secret").data["matches"] == []
    assert tools.list_files(glob="*").text == "[nothing]"


def test_links_that_stay_inside_are_followed(root, tools):
    """A link whose target lies in the root is as good as its target."""
    (root / "real" / "deep").mkdir(parents=True)
    (root / "real" / "a.txt").write_text("old")
    (root / "folder").symlink_to("real")
    (root / "absolute").symlink_to(root / "real")
    (root / "up").symlink_to("real/deep/../a.txt")
    (root / "self").symlink_to(".")
    (root / "dangling").symlink_to("real/new.txt")

    for path in ("folder/a.txt", "absolute/a.txt", "up", "self/self/folder/a.txt"):
        assert tools.read_file(path).data == "old"
    tools.write_file("up", "new")
    tools.write_file("dangling", "made")

    assert (root / "real" / "a.txt").read_text() == "new"
    assert (root / "real" / "new.txt").read_text() == "made"
    assert (root / "up").is_symlink()
    assert tools.list_files("self").data["entries"][0]["path"] == "self/absolute"


def test_links_that_go_round_are_refused(root, tools):
    """A loop of links ends with a message, whichever way it goes round."""
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    (root / "c").symlink_to("c/c")

    for path in ("a", "b/x", "c"):
        with pytest.raises(ToolError, match=f"^'{path}' goes round in links$"):
            tools.read_file(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", "a"),
        ("./a//b/", "a/b"),
        ("a/./../b", "b"),
        ("", "."),
        (".", "."),
        ("{root}", "."),
        ("{root}/", "."),
        ("{root}/a/../b", "b"),
        ("//{root}/a", "a"),
    ],
)
def test_a_path_has_one_spelling(root, path, expected):
    """B12: calls on one file share one resource, however its path is written."""
    roots = Roots({"": root})

    given = {"path": path.replace("{root}", str(root)), "other": 1}
    assert roots.prepare(given) == {"path": expected, "other": 1}


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a\0b", None, 3])
def test_what_cannot_be_spelled_is_left_for_the_body(root, path):
    """B12: preparing arguments refuses nothing; the body does, with a message."""
    assert Roots({"": root}).prepare({"path": path}) == {"path": path}


def test_with_several_roots_a_path_begins_with_a_name(tmp_path):
    """Each root has a name, the model finds them in ".", and others are refused."""
    for name in ("app", "docs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    (tmp_path / "app" / "docs").symlink_to(tmp_path / "docs")
    (tmp_path / "app" / "up").symlink_to("../docs")
    roots = {"code": tmp_path / "app", "docs": tmp_path / "docs"}
    by_name = {tool.name: tool for tool in register_tools(Settings(roots=roots))}
    read_file = by_name["read_file"]

    assert by_name["list_files"]().text == "code/\ndocs/"
    assert read_file("code/a.txt").data == "app"
    assert read_file(f"{tmp_path}/docs/a.txt").data == "docs"
    assert read_file("code/docs/a.txt").data == "docs"
    assert read_file("code/../docs/a.txt").data == "docs"
    with pytest.raises(
        ToolError, match=r"'a.txt' must begin with one of 'code', 'docs"
    ):
        read_file("a.txt")
    with pytest.raises(ToolError, match=r"'\.' must begin with one of"):
        read_file(".")
    with pytest.raises(ToolError, match=REFUSED):
        read_file("code/up/a.txt")


def test_the_root_is_fixed_when_the_tools_are_made(root, tmp_path, monkeypatch):
    """Changing the working directory later does not move the root."""
    (root / "a.txt").write_text("inside")
    monkeypatch.chdir(root)
    tools = {tool.name: tool for tool in register_tools(Settings())}
    monkeypatch.chdir(tmp_path)

    assert tools["read_file"]("a.txt").data == "inside"


def test_a_root_that_is_a_link_is_used_by_both_its_names(root, tmp_path):
    """A root may be reached by a link; absolute paths serve in either spelling."""
    (root / "a.txt").write_text("inside")
    (tmp_path / "link").symlink_to(root)
    tools = {t.name: t for t in register_tools(Settings(roots=[tmp_path / "link"]))}

    for path in ("a.txt", f"{tmp_path}/link/a.txt", f"{Path(root).resolve()}/a.txt"):
        assert tools["read_file"](path).data == "inside"
