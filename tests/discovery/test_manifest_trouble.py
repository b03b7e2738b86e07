"""What is known must be right or found out anew, whatever happens to the cache."""

import json
import os
import subprocess
import sys
import time
import zipfile

import pytest

from pegboard._discovery import discover
from pegboard._manifest import Manifest
from pegboard._manifest.stamps import take_fingerprint


def test_an_import_that_writes_bytecode_leaves_the_manifest_current(
    site, board, pack, monkeypatch
):
    """D3: the stamp is taken again after an import that wrote `__pycache__`."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    pack()
    site.age()
    scan = Manifest().scan(board.settings)
    records = [board.look(found) for found in scan.to_import]
    assert (site.folder / "__pycache__").is_dir()
    time_of_import = time.time() - 30
    os.utime(site.folder, (time_of_import, time_of_import))

    Manifest().record(scan, records)

    assert Manifest().current(board.settings) is not None


def test_an_installation_during_the_look_is_not_missed(site, board, pack):
    """D3: stamps are taken before scanning, so what comes in between looks stale."""
    pack()
    site.age()
    scan = Manifest().scan(board.settings)
    site.install(
        "acme-b", tools={"acme_b": "acme_b:t"}, modules={"acme_b": "t = ['b']"}
    )
    records = [board.look(found) for found in scan.to_import]
    site.age()

    Manifest().record(scan, records)

    assert Manifest().current(board.settings) is None
    assert "acme_b" in board.known().records


def test_a_change_within_one_tick_of_the_clock_is_not_missed(site, board, pack):
    """D3: a folder that changed just now may change again in the same tick."""
    pack()
    os.utime(site.folder)
    board.known()

    assert Manifest().current(board.settings) is None
    board.known()
    assert board.imported == []


HOSTILE = [
    b"",
    b"\x00\xff",
    b"null",
    b"[]",
    b"{}",
    b'{"format": 1}',
    b'{"format": 2}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("content", HOSTILE)
@pytest.mark.parametrize("file", ["index", "definitions"])
def test_a_corrupt_file_is_rebuilt(board, pack, file, content, cached):
    """D3: what cannot be read counts as not there."""
    pack()
    board.known_later()
    cached(file).write_bytes(content)

    before = Manifest().current(board.settings)
    known = board.known()

    assert before is None
    assert [tool.name for tool in known.records["acme_a"].tools] == ["one"]
    assert Manifest().current(board.settings) is not None


REPLACEMENTS = [None, 5, "x", [], {}, [5], {"a": 5}, [[]]]


@pytest.mark.parametrize("value", REPLACEMENTS)
@pytest.mark.parametrize(
    "where",
    ["stamp", "fingerprint", "installed", "entries", "definitions", "brief", "files"],
)
def test_any_nonsense_in_the_index_is_survived(board, pack, where, value, cached):
    """D3: a file that somebody else wrote is right or rebuilt; nothing raises."""
    pack()
    board.known_later()
    path = cached("index")
    index = json.loads(path.read_text())
    if where in index:
        index[where] = value
    else:
        for entry in index["entries"]["acme_a"].values():
            entry[where] = value
    path.write_text(json.dumps(index))

    Manifest().current(board.settings)
    Manifest().current(board.settings, brief=True)
    known = board.known()

    shown = [tool.name for record in known.records.values() for tool in record.tools]
    assert shown in (["one"], [])
    assert Manifest().scan(board.settings).discovery.found[0].value == "acme_a:tools"


def test_no_cache_can_switch_a_policy_off(site, board, cached):
    """D2: the manifest decides what is shown, never what runs."""
    site.install("acme-audit", plugins={"acme_audit": "acme_audit:Audit"})
    board.known()
    path = cached("index")
    path.write_text(path.read_text().replace("acme_audit", "acme_other"))

    guards = [p.name for p in discover(board.settings).found if not p.is_pack]

    assert guards == ["acme_audit"]


def test_a_cache_that_cannot_be_written_is_kept_in_memory(site, board, pack, home):
    """D3: a read-only home costs imports in every process, and nothing else."""
    pack()
    site.age()
    home.mkdir()
    (home / "cache").write_text("a file where a folder should be")
    session = Manifest()
    board.known(session)
    site.forget()
    site.age()
    board.known(session)
    site.forget()

    known = board.known(session)

    assert board.imported == []
    assert "acme_a" in known.records
    assert Manifest().current(board.settings) is None


def test_parallel_processes_leave_a_whole_manifest(site, board, pack):
    """D3: files are written whole, so that any reader sees one state or another."""
    pack()
    site.age()
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(site.folder)!r})\n"
        "from pegboard._manifest import Manifest\n"
        "from pegboard._manifest.records import Record\n"
        "from pegboard.settings import Settings\n"
        "settings = Settings(enable=('acme_*',))\n"
        "for _ in range(5):\n"
        "    manifest = Manifest()\n"
        "    known = manifest.current(settings)\n"
        "    scan = manifest.scan(settings)\n"
        "    manifest.record(scan, [Record(p.name) for p in scan.discovery.found])\n"
    )

    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]

    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert board.known().records.keys() == {"acme_a"}


def test_a_plugin_in_a_zip_is_found_and_known(site, board, tmp_path, monkeypatch):
    """D3: a zip on the path is one file whose time says whether it changed."""
    path = tmp_path / "acme.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("acme_a.py", "tools = ['zipped']")
        folder = "acme_a-1.0.dist-info"
        zipped.writestr(f"{folder}/METADATA", "Name: acme-a\nVersion: 1.0\n")
        zipped.writestr(f"{folder}/RECORD", "")
        points = "[pegboard.tools]\nacme_a = acme_a:tools\n"
        zipped.writestr(f"{folder}/entry_points.txt", points)
    monkeypatch.syspath_prepend(path)
    site.modules.add("acme_a")
    os.utime(path, (time.time() - 60,) * 2)

    known = board.known_later()
    imported = board.imported
    os.utime(path, (time.time() - 30,) * 2)
    board.known()

    assert [tool.name for tool in known.records["acme_a"].tools] == ["zipped"]
    assert imported == []
    assert board.imported == ["acme_a"]


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip"])
def test_a_file_on_the_path_that_is_no_zip_does_no_harm(
    board, pack, tmp_path, monkeypatch, content
):
    """D3: whatever stands on the path, what is installed is found."""
    path = tmp_path / "odd.zip"
    path.write_bytes(content)
    monkeypatch.syspath_prepend(path)
    pack()

    assert board.known_later().records.keys() == {"acme_a"}
    assert board.imported == []


def test_a_folder_that_goes_away_during_the_look_holds_nothing(tmp_path):
    """D3: the path may change while it is looked at."""
    gone = str(tmp_path / "gone")

    assert take_fingerprint({"path": [[gone, 1, True]]}) == {}


def test_a_namespace_package_is_found_and_known(site, board):
    """D3: packs may share a package that belongs to none of them."""
    for name in "ab":
        site.install(
            f"acme-{name}",
            tools={f"acme_{name}": f"acme_space.{name}:tools"},
            modules={f"acme_space/{name}": f"tools = ['{name}']"},
        )

    known = board.known_later()

    assert board.imported == []
    assert [t.name for r in known.records.values() for t in r.tools] == ["a", "b"]
