"""What is known of every plugin without importing it."""

import json
import subprocess
import sys

import pytest

from pegboard._manifest import Manifest
from pegboard._manifest.records import Record, drift


@pytest.fixture
def three(site, board):
    """Three packs, one of which needs a library; all of them known."""
    site.install("acme-lib", modules={"acme_lib": "names = ['c']"})
    for name in "ab":
        site.install(
            f"acme-{name}",
            tools={f"acme_{name}": f"acme_{name}:tools"},
            modules={f"acme_{name}": f"tools = ['{name}1', '{name}2']"},
        )
    site.install(
        "acme-c",
        tools={"acme_c": "acme_c:tools"},
        modules={"acme_c": "from acme_lib import names as tools"},
        requires=["acme-lib>=1"],
    )
    board.known()
    settle(site)
    board.known()
    return site


def settle(site):
    """A new process, a while later."""
    site.forget()
    site.age()


def names(known):
    return [tool.id for record in known.records.values() for tool in record.tools]


def test_nothing_is_known_before_the_first_look(site, board):
    """D2: without a manifest every plugin is imported, once."""
    site.install(
        "acme-a", tools={"acme_a": "acme_a:t"}, modules={"acme_a": "t = ['x']"}
    )

    assert Manifest().current(board.settings) is None
    known = board.known()

    assert board.imported == ["acme_a"]
    assert names(known) == ["acme_a:x"]


def test_what_is_known_is_shown_without_an_import(three, board):
    """D2: while the manifest is current no plugin is imported."""
    known = board.known()

    assert board.imported == []
    assert not {"acme_a", "acme_b", "acme_c", "acme_lib"} & sys.modules.keys()
    assert names(known) == [
        "acme_a:a1",
        "acme_a:a2",
        "acme_b:b1",
        "acme_b:b2",
        "acme_c:c",
    ]
    record = known.records["acme_a"]
    assert (record.hooks, record.seconds, record.error) == (("inject",), 0.25, "")
    assert record.tools[0].input_schema["properties"] == {"x": {"type": "string"}}
    assert record.tools[0].version == "1.0"
    assert [p.name for p in known.discovery.found] == ["acme_a", "acme_b", "acme_c"]


def test_a_brief_look_reads_the_index_only(three, board, home):
    """D3: the index has names, effects and first lines; schemas are elsewhere."""
    for file in (home / "cache").rglob("definitions-*"):
        file.unlink()

    known = Manifest().current(board.settings, brief=True)

    assert known is not None
    tool = known.records["acme_a"].tools[0]
    assert (tool.name, tool.description) == ("a1", "Does a1.")
    assert tool.read_only
    assert Manifest().current(board.settings) is None


def test_an_added_plugin_alone_is_imported(three, board):
    """D3: installing a pack costs its own import."""
    three.install(
        "acme-d", tools={"acme_d": "acme_d:t"}, modules={"acme_d": "t = ['d']"}
    )

    known = board.known()

    assert board.imported == ["acme_d"]
    assert "acme_d:d" in names(known)
    assert len(names(known)) == 6


@pytest.mark.parametrize("version", ["2.0", "0.9"])
def test_an_upgraded_or_downgraded_plugin_alone_is_imported(three, board, version):
    """D3: another version of a pack is another pack."""
    remove(three, "acme_b-1.0")
    three.install(
        "acme-b",
        version,
        tools={"acme_b": "acme_b:tools"},
        modules={"acme_b": "tools = ['new']"},
    )
    known = board.known()

    assert board.imported == ["acme_b"]
    assert names(known) == ["acme_a:a1", "acme_a:a2", "acme_b:new", "acme_c:c"]


def test_a_reinstalled_plugin_is_imported_again(three, board):
    """D3: the time of RECORD tells what version and name do not."""
    remove(three, "acme_b-1.0")
    three.install(
        "acme-b",
        tools={"acme_b": "acme_b:tools"},
        modules={"acme_b": "tools = ['new']"},
    )
    board.known()

    assert board.imported == ["acme_b"]


def test_an_upgraded_library_counts(three, board):
    """D3: who requires a distribution that changed is imported again."""
    remove(three, "acme_lib-1.0")
    three.install("acme-lib", "2.0", modules={"acme_lib": "names = ['new']"})

    known = board.known()

    assert board.imported == ["acme_c"]
    assert names(known)[-1] == "acme_c:new"


def test_a_removed_plugin_is_gone(three, board):
    """D3: what is no longer installed is no longer shown."""
    remove(three, "acme_b-1.0")

    known = board.known()

    assert board.imported == []
    assert names(known) == ["acme_a:a1", "acme_a:a2", "acme_c:c"]


def remove(site, folder):
    """Uninstall what has this folder of metadata."""
    for file in (site.folder / f"{folder}.dist-info").iterdir():
        file.unlink()
    (site.folder / f"{folder}.dist-info").rmdir()


def test_another_path_is_another_environment(three, board, make_site):
    """D3: a folder of distributions that comes onto the path is looked into."""
    extra = make_site("extra")
    assert Manifest().current(board.settings) is not None

    extra.install(
        "acme-d", tools={"acme_d": "acme_d:t"}, modules={"acme_d": "t = ['d']"}
    )
    known = board.known()

    assert board.imported == ["acme_d"]
    assert "acme_d:d" in names(known)


def test_a_folder_without_distributions_does_not_count(
    three, board, tmp_path, monkeypatch
):
    """D3: where python was started, and what is written there, changes nothing."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "notes.txt").write_text("x")

    assert Manifest().current(board.settings) is not None


@pytest.mark.parametrize("what", ["executable", "version", "prefix", "pegboard"])
def test_another_interpreter_or_pegboard_keeps_nothing(three, board, monkeypatch, what):
    """D3: a manifest is of one interpreter and one Pegboard."""
    if what == "pegboard":
        monkeypatch.setattr("pegboard._manifest.stamps.__version__", "0.1.99")
    else:
        monkeypatch.setattr(sys, what, "other")

    board.known()

    assert board.imported == ["acme_a", "acme_b", "acme_c"]


def test_other_settings_of_a_plugin_are_another_record(three, make_board):
    """D3: a record is keyed by its plugin's settings, and both are kept."""
    plain = make_board()
    other = make_board(plugins={"acme_b": {"level": 2}}, timeout=5)

    other.known()
    imported = other.imported
    plain.known()
    other.known()

    assert imported == ["acme_b"]
    assert (plain.imported, other.imported) == ([], [])


def test_records_for_old_settings_are_dropped(three, make_board):
    """D3: of each plugin the last few records are kept."""
    boards = [make_board(plugins={"acme_b": {"level": i}}) for i in range(5)]
    for board in boards:
        board.known()
        three.forget()

    boards[-1].known()
    boards[0].known()

    assert boards[-1].imported == []
    assert boards[0].imported == ["acme_b"]


def test_a_disabled_plugin_is_never_imported(three, make_board):
    """D2: what is disabled is known to be there, and no more."""
    board = make_board(disable=["acme_d"])
    three.install("acme-d", tools={"acme_d": "acme_d:t"}, modules={"acme_d": "1 / 0"})

    known = board.known()

    assert board.imported == []
    assert [p.name for p in known.discovery.disabled if p.name == "acme_d"] == [
        "acme_d"
    ]


def test_a_plugin_replaced_in_code_need_not_be_known(three, board):
    """D8: what stands in for an installed plugin keeps nobody from a warm look."""
    three.install("acme-d", tools={"acme_d": "acme_d:t"}, modules={"acme_d": "1 / 0"})
    scan = Manifest().scan(board.settings)
    Manifest().record(scan, [])
    three.age()
    Manifest().record(Manifest().scan(board.settings), [])

    known = Manifest().current(board.settings, without={"acme_d"})

    assert known is not None
    assert "acme_d" not in known.records
    assert Manifest().current(board.settings) is None


def test_no_library_is_loaded_to_show_what_is_known(three, board):
    """D2: a warm look needs neither pydantic nor the distributions' metadata."""
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(three.folder)!r})\n"
        "from pegboard._manifest import Manifest\n"
        "from pegboard.settings import make_settings, Settings\n"
        "known = Manifest().current(Settings(enable=('acme_*',)))\n"
        "print(sorted(known.records), [m for m in ('pydantic', 'importlib_metadata',"
        " 'jsonschema_rs', 'packaging', 'acme_a') if m in sys.modules])\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "['acme_a', 'acme_b', 'acme_c'] []\n"


def test_live_definitions_replace_what_was_kept(three, board):
    """D3: at import the record is replaced; the difference is a problem."""
    known = board.known()
    kept = known.records["acme_a"]
    live = Record("acme_a", kept.tools[:1], hooks=kept.hooks)
    (found,) = [p for p in known.discovery.found if p.name == "acme_a"]

    Manifest().replace(board.settings, found, live)

    now = board.known().records["acme_a"]
    assert now.tools == live.tools
    problem = drift(kept, live)
    assert problem is not None
    assert problem.message.endswith("changed: acme_a:a2")
    assert drift(kept, kept) is None


def test_old_definitions_are_swept(three, board, home):
    """D3: one index, one file of definitions for each environment."""
    three.install(
        "acme-d", tools={"acme_d": "acme_d:t"}, modules={"acme_d": "t = ['d']"}
    )
    board.known()

    files = sorted(f.name.partition("-")[0] for f in (home / "cache").rglob("*.json"))

    assert files == ["definitions", "index"]
    assert not list((home / "cache").rglob("*.tmp"))


def test_the_cache_can_be_moved(site, board, tmp_path, monkeypatch):
    """D3: PEGBOARD_CACHE_DIR says where the manifest is."""
    site.install(
        "acme-a", tools={"acme_a": "acme_a:t"}, modules={"acme_a": "t = ['x']"}
    )
    monkeypatch.setenv("PEGBOARD_CACHE_DIR", str(tmp_path / "elsewhere"))
    board.known(Manifest())

    (index,) = (tmp_path / "elsewhere").rglob("index-*.json")

    assert json.loads(index.read_text())["stamp"]["python"][0] == sys.executable
