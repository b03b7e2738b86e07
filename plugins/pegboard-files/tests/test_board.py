"""The pack on a board: settings, guards, batches, progress, cancelling."""

import asyncio

import pytest

from pegboard import (
    Block,
    Pegboard,
    PreparedCall,
    ToolCall,
    ToolContext,
    ToolError,
    hookimpl,
)
from pegboard.events import BatchEnd, ToolUpdate
from pegboard_files import Settings, register_tools


@pytest.fixture
def board(root):
    return Pegboard(tools=register_tools(Settings(roots=[root])))


def discover(project, **settings):
    """A board of this pack alone, whatever else is installed."""
    overrides = {"enable": ["files"], "plugins": {"files": settings}}
    return Pegboard.discover(project, settings=overrides)


def test_an_installed_pack_is_on_every_board(root):
    """D1: the entry point and the settings of the application are all it takes."""
    (root / "a.txt").write_text("inside")
    board = discover(None, roots=[str(root)])

    result = board.call_sync("read_file", {"path": "a.txt"})

    assert result.text == "inside"
    assert {d.id for d in board.definitions()} == {
        "files:edit_file",
        "files:list_files",
        "files:read_file",
        "files:search_files",
        "files:write_file",
    }


def test_settings_that_are_wrong_leave_the_pack_out(root):
    """D4: a root that does not exist is a problem that names the key."""
    board = discover(None, roots=[str(root / "none")])

    assert board.definitions() == ()
    assert "'plugins.files.roots' has '" in board.problems[0].message


def test_a_project_that_nobody_trusts_does_not_widen_the_roots(root, outside):
    """A cloned repository cannot open the disk: its roots wait for `pegboard trust`."""
    (root / "pyproject.toml").write_text(
        f'[tool.pegboard.plugins.files]\nroots = ["{outside}"]\nwritable = true\n'
    )
    settings = {"enable": ["files"]}
    board = Pegboard.discover(root, settings=settings)

    result = board.call_sync("read_file", {"path": str(outside / "file.txt")})

    assert "leads outside" in result.text
    assert any("'plugins.files.roots'" in p.message for p in board.problems)


def test_a_refusal_is_a_result_for_the_model(board):
    """V9: the model reads why, as an error result of the tool."""
    result = board.call_sync("read_file", {"path": "../x"})

    assert (result.status, result.code) == ("error", "tool_failed")
    assert result.text.startswith("'../x' leads outside the folders")


def test_a_guard_sees_where_a_path_leads(root):
    """H6: a guard that forbids a folder is not fooled by another spelling of it."""

    class NoSecrets:
        @hookimpl
        def before_tool_call(self, call: PreparedCall) -> Block | None:
            secret = call.arguments["path"].startswith("secrets/")
            return Block("hands off") if secret else None

    (root / "secrets").mkdir()
    tools = register_tools(Settings(roots=[root]))
    board = Pegboard(tools=tools, plugins=[NoSecrets()])

    for path in ("secrets/a", "./secrets/a", "x/../secrets//a", f"{root}/secrets/a"):
        result = board.call_sync("write_file", {"path": path, "content": ""})
        assert result.text == "hands off"


def test_edits_of_one_file_in_one_batch_all_land(root, board):
    """B12: calls that write one file run one after the other, however it is spelled."""
    (root / "a.txt").write_text("".join(f"<{n}>" for n in range(20)))
    spelled = ("a.txt", "./a.txt", "x/../a.txt", str(root / "a.txt"))
    calls = [
        ToolCall(
            "edit_file",
            {"path": spelled[n % 4], "old_text": f"<{n}>", "new_text": f"({n})"},
        )
        for n in range(20)
    ]

    batch = board.run_sync(calls)

    assert [result.status for result in batch] == ["success"] * 20
    assert (root / "a.txt").read_text() == "".join(f"({n})" for n in range(20))


def test_a_dry_run_reads_and_does_not_write(root, board):
    """B15: what is read-only runs, what writes is only previewed."""
    (root / "a.txt").write_text("old")
    calls = [
        ToolCall("read_file", {"path": "a.txt"}),
        ToolCall("write_file", {"path": "a.txt", "content": "new"}),
    ]

    read, written = board.run_sync(calls, dry_run=True)

    assert read.text == "old"
    assert written.code == "dry_run"
    assert (root / "a.txt").read_text() == "old"


def test_a_long_search_tells_how_far_it_is(root, board):
    """B5: a walk over many files sends updates on the way."""
    for number in range(2_100):
        (root / f"{number}.txt").touch()

    async def collect():
        calls = [ToolCall("search_files", {"pattern": "x"})]
        return [event async for event in board.stream(calls)]

    events = asyncio.run(collect())

    updates = [event for event in events if isinstance(event, ToolUpdate)]
    assert [u.content[0].text for u in updates] == ["2,000 files and folders so far"]
    assert isinstance(events[-1], BatchEnd)
    assert "2,100 files" in events[-1].batch[0].text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_files", {"glob": "*"}),
        ("search_files", {"pattern": "x"}),
        ("read_file", {"path": "long.txt"}),
        ("write_file", {"path": "a.txt", "content": "new"}),
        ("edit_file", {"path": "a.txt", "old_text": "old", "new_text": "new"}),
    ],
)
def test_a_cancelled_call_stops_and_writes_nothing(root, tools, name, arguments):
    """V11: a thread that nobody waits for ends at the next step, before it writes."""
    (root / "a.txt").write_text("old")
    (root / "long.txt").write_text("x" * 1_000_000)
    tool = getattr(tools, name)
    context = ToolContext(ToolCall(name), tool.definition, stopped=lambda: True)

    with pytest.raises(ToolError, match="the call was cancelled") as error:
        tool(**arguments, context=context)

    assert error.value.code == "cancelled"
    assert (root / "a.txt").read_text() == "old"
