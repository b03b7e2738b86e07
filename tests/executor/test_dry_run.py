"""Batches that change nothing (B15)."""

from typing import Annotated

import pytest

from pegboard import (
    Block,
    Injected,
    Pegboard,
    Tool,
    ToolAnnotations,
    ToolCall,
    ToolContext,
    tool,
)

from .parts import Recorder, calls, codes, named

ran = []


@pytest.fixture(autouse=True)
def nothing_ran():
    ran.clear()


@tool(read_only=True)
async def look(path: str = "") -> str:
    ran.append("look")
    return f"looked at {path}"


@tool
async def edit(path: str, text: str = "") -> str:
    ran.append("edit")
    return "edited"


def test_only_read_only_bodies_execute():
    """B15: of the others a marked preview takes the body's place."""
    batch = Pegboard([look, edit]).run_sync(
        [ToolCall("look", {"path": "a"}), ToolCall("edit", {"path": "a"})], dry_run=True
    )

    assert codes(batch) == ["success", "dry_run"]
    assert batch[0].text == "looked at a"
    assert (batch[1].status, batch[1].executed) == ("success", "no")
    assert batch[1].text == 'Dry run: edit would run with {"path": "a"}'
    assert batch[1].data == {"arguments": {"path": "a"}}
    assert ran == ["look"]


def test_guards_and_chain_are_passed_all_the_same():
    """B15: a dry run tells whether the call would have been let through."""
    recorder = Recorder()
    guard = named(
        "guard",
        before_tool_call=lambda call: Block("no") if call.id == "c1" else None,
    )
    board = Pegboard([edit], plugins=[recorder, guard])
    batch = board.run_sync(calls("edit", "edit", path="a"), dry_run=True)

    assert codes(batch) == ["dry_run", "blocked"]
    assert recorder.of("enter", "after") == [("enter", "c0"), ("after", "c0")]


def test_arguments_are_repaired_and_checked():
    """B15: what would be refused is refused, what would be mended is shown mended."""
    board = Pegboard([edit])
    batch = board.run_sync(
        [ToolCall("edit", "{'path': 'a',}"), ToolCall("edit", "{}")], dry_run=True
    )

    assert codes(batch) == ["dry_run", "invalid_arguments"]
    assert batch[0].data == {"arguments": {"path": "a"}}
    assert batch[0].repairs


@pytest.mark.parametrize("read_only", [True, False])
def test_a_tool_without_a_body_is_previewed(read_only):
    """B15: definitions without bodies are enough for a dry run."""
    hints = ToolAnnotations(read_only=read_only)
    shown = Tool.from_schema("shown", "Is only shown.", {}, None, annotations=hints)
    board = Pegboard([shown])

    assert board.call_sync("shown", dry_run=True).code == "dry_run"
    assert board.call_sync("shown").code == "tool_unavailable"


@pytest.mark.parametrize("is_batch", [True, False])
def test_every_way_in_can_be_dry(is_batch):
    """B15: a single call, a batch, a stream, and the calls a body makes."""

    @tool(read_only=True)
    async def outer(context: ToolContext) -> str:
        return (await context.call("edit", {"path": "a"})).code

    board = Pegboard([edit, outer])
    if is_batch:
        result = board.run_sync(calls("outer"), dry_run=True)[0]
    else:
        result = board.call_sync("outer", dry_run=True)

    assert result.text == "dry_run"
    assert ran == []


def test_hidden_values_are_asked_for_only_if_a_body_runs():
    """B15, V4: a preview needs no secret; a read-only body gets its own."""
    asked = []

    def inject(tool, name):
        asked.append(tool.name)
        return "key"

    @tool(read_only=True)
    async def read(key: Annotated[str, Injected("KEY")]) -> int:
        return len(key)

    @tool
    async def write(key: Annotated[str, Injected("KEY")]) -> int:
        return len(key)

    board = Pegboard([read, write], plugins=[named("keys", inject=inject)])
    batch = board.run_sync(calls("read", "write"), dry_run=True)

    assert codes(batch) == ["success", "dry_run"]
    assert batch[0].data == 3
    assert asked == ["read"]


def test_settings_say_what_is_read_only():
    """B15, V5: annotations that settings override hold here, too."""
    settings = {"tools": {"edit": {"annotations": {"read_only": True}}}}
    board = Pegboard([edit], settings=settings)

    assert board.call_sync("edit", {"path": "a"}, dry_run=True).text == "edited"


def test_a_preview_is_bounded():
    """B15: of very long arguments head and tail are shown; data has them whole."""
    result = Pegboard([edit]).call_sync(
        "edit", {"path": "a", "text": "x" * 10_000}, dry_run=True
    )

    assert len(result.text) < 2_100
    assert len(result.data["arguments"]["text"]) == 10_000
