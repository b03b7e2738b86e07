"""What changes without an installation: editable plugins, and what failed."""

import os
import sys
import time
from types import ModuleType

import pytest

from pegboard._manifest import Manifest


def touch(path, text):
    """Change a file, later than it was changed before."""
    path.write_text(text)
    os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns + 1_000_000))


def age_all(folder):
    """Let files have been as they are for a while."""
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (time.time() - 60,) * 2)


@pytest.mark.parametrize("how", [{"editable": True}, {"record": False}])
def test_the_files_of_an_editable_plugin_are_watched(site, board, pack, how, source):
    """D3: what changes without an installation is seen by its files' time and size."""
    site.write("acme_shared", "names = ['one']", source)
    pack("from acme_shared import names as tools", folder=source, **how)
    age_all(source)
    board.known_later()
    assert board.imported == []

    touch(source / "acme_shared.py", "names = ['two', 'three']")
    known = board.known()

    assert board.imported == ["acme_a"]
    assert [tool.name for tool in known.records["acme_a"].tools] == ["two", "three"]


def test_the_files_of_an_installed_plugin_are_not_watched(site, board, pack):
    """D3: what an installation records changes by another installation."""
    pack()
    board.known_later()
    touch(site.folder / "acme_a.py", "tools = ['changed']")
    site.age()

    board.known()

    assert board.imported == []


def test_an_editable_plugin_that_failed_is_asked_again_once_mended(board, pack, source):
    """D4: a failed import leaves no module behind, yet its files are watched."""
    pack("def broken(:", folder=source, editable=True)
    age_all(source)
    failed = board.known_later()
    assert "SyntaxError" in failed.records["acme_a"].error
    assert board.imported == []

    touch(source / "acme_a.py", "tools = ['mended']")
    known = board.known()

    assert known.records["acme_a"].error == ""


def test_all_files_of_a_failed_editable_package_are_watched(site, board, source):
    """D4: the mistake may be mended in any module of the package."""
    site.write("acme_a/__init__", "from acme_a.inner import tools", source)
    site.write("acme_a/inner", "1 / 0", source)
    site.install("acme-a", tools={"acme_a": "acme_a:tools"}, editable=True)
    age_all(source)
    board.known_later()

    touch(source / "acme_a" / "inner.py", "tools = ['mended']")

    assert board.known().records["acme_a"].error == ""


@pytest.mark.parametrize("value", ["acme_nowhere:tools", "acme_half:tools"])
def test_a_failed_editable_plugin_may_have_no_file(site, board, monkeypatch, value):
    """D4: what an entry point names may not be there, or be there by half."""
    monkeypatch.setitem(sys.modules, "acme_half", ModuleType("acme_half"))
    site.install("acme-a", tools={"acme_a": value}, editable=True)

    known = board.known_later()

    assert known.records["acme_a"].error != ""
    assert board.imported == []


def test_a_file_that_changes_while_it_is_imported_is_asked_again(
    site, board, pack, source
):
    """D3: what was imported may not be what is there now."""
    pack(folder=source, editable=True)
    session = Manifest()
    (source / "acme_a.py").write_text("tools = ['two']")

    board.known(session)
    site.forget()
    site.age()

    assert Manifest().current(board.settings) is None


def test_modules_of_any_kind_are_looked_at(board, pack, tmp_path, monkeypatch):
    """D3: what stands in sys.modules need be no module, and have no file."""

    class Lazy:
        __slots__ = ()

        def __getattr__(self, name):
            raise RuntimeError("imported by mistake")

    monkeypatch.setitem(sys.modules, "acme_lazy", Lazy())
    monkeypatch.setitem(sys.modules, "acme_gone", ModuleType("acme_gone"))
    sys.modules["acme_gone"].__file__ = str(tmp_path / "gone.py")
    pack(editable=True)

    assert board.known_later().records.keys() == {"acme_a"}


def test_a_failed_import_is_kept_and_not_tried_again(board, pack):
    """D2: the manifest keeps load errors; showing them imports nothing."""
    pack("raise KeyError('TOKEN')")

    known = board.known_later()

    assert board.imported == []
    assert "KeyError: 'TOKEN'" in known.records["acme_a"].error
    assert "pip uninstall acme-a" in known.records["acme_a"].remedy
    assert known.records["acme_a"].tools == ()


def test_a_failed_import_is_tried_again_with_another_environment(
    board, pack, monkeypatch
):
    """D4: who exports the missing variable need not clear a cache."""
    pack("import os\ntools = [os.environ['ACME_TOKEN']]")
    board.known_later()
    monkeypatch.setenv("ACME_TOKEN", "one")

    known = board.known()

    assert [tool.name for tool in known.records["acme_a"].tools] == ["one"]


def test_a_failed_import_is_tried_again_after_any_installation(site, board, pack):
    """D4: what it lacked may be a distribution that it never declared."""
    pack("from acme_missing import tools")
    board.known_later()
    site.install("acme-missing", modules={"acme_missing": "tools = ['one']"})

    known = board.known()

    assert known.records["acme_a"].error == ""
