"""Boards, contexts and the recording plugin of the kit."""

import asyncio
from typing import Annotated

import pytest

from pegboard import Block, Injected, ToolCall, ToolContext, UsageError, hookimpl, tool
from pegboard import settings as settings_module
from pegboard.events import ToolEnd, ToolStart
from pegboard.testing import (
    RecordingPlugin,
    call_tool,
    make_board,
    make_context,
)


@tool(read_only=True)
async def greet(name: str = "you") -> str:
    """Greet somebody.

    Args:
        name: Whom.
    """
    return f"hello, {name}"


def test_a_board_of_the_kit_knows_nothing_of_the_machine(tmp_path, monkeypatch):
    """Section 10: neither the organisation's file nor a variable reaches a test."""
    organisation = tmp_path / "organisation.toml"
    organisation.write_text("timeout = 1\n")
    (tmp_path / "pegboard.toml").write_text("timeout = 2\n")
    monkeypatch.setattr(settings_module, "ORGANISATION_FILE", organisation)
    monkeypatch.setenv("PEGBOARD_TIMEOUT", "3")
    monkeypatch.chdir(tmp_path)

    board = make_board([greet])

    assert board.settings.timeout == 120
    assert board.discovery.found == ()
    assert make_board(settings={"timeout": 4}).settings.timeout == 4


def test_call_tool_takes_the_whole_path():
    """What comes back is what a model would get: parsed, repaired, guarded."""

    class Guard:
        name = "guard"

        @hookimpl
        def before_tool_call(self, call):
            return Block("no") if call.metadata.get("user") == "mallory" else None

    assert call_tool(greet, "{'name': 'Ada'}").text == "hello, Ada"
    assert call_tool(greet, {"nmae": "Ada"}).code == "invalid_arguments"
    refused = call_tool(greet, {}, plugins=[Guard()], metadata={"user": "mallory"})
    assert (refused.code, refused.by) == ("blocked", "guard")


def test_call_tool_grants_secrets():
    """V4: hidden values are granted by name."""

    @tool
    def ask(*, key: Annotated[str, Injected("KEY")]) -> int:
        return len(key)

    assert call_tool(ask, secrets={"KEY": "12345"}).data == 5


async def _in_a_loop():
    return call_tool(greet).text, (await make_board([greet]).call("greet")).text


def test_call_tool_works_inside_a_running_loop():
    """B16: a test that is itself async may use the sync form."""
    assert asyncio.run(_in_a_loop()) == ("hello, you", "hello, you")


@tool
def work(steps: int, context: ToolContext) -> str:
    """Work in steps.

    Args:
        steps: How many.
    """
    for step in range(steps):
        if context.cancelled:
            return f"stopped at {step}"
        context.update(f"step {step}", details={"of": steps})
    return "done"


def test_a_context_records_what_a_body_sends():
    """V11: a body can be called plainly, with a context that keeps its updates."""
    context = make_context(work, metadata={"user": "ada"}, seconds_left=60, attempt=2)

    assert work(2, context) == "done"
    assert [update.text for update in context.updates] == ["step 0", "step 1"]
    assert context.updates[0].details == {"of": 2}
    assert (context.tool.name, context.attempt) == ("work", 2)
    assert context.metadata == {"user": "ada"}
    assert context.call_id == "call_1"
    assert 0 < context.deadline <= 60
    assert context.log.name == "pegboard.tools.work"


def test_a_context_can_be_cancelled():
    """V11: a body that polls finds that nobody waits any more."""
    context = make_context()
    context.cancel()

    assert work(2, context) == "stopped at 0"
    assert context.deadline is None


def test_a_context_calls_the_tools_it_is_given():
    """V11: `context.call` takes another tool through the whole path."""
    context = make_context(tools=[greet])

    assert asyncio.run(context.call("greet", {"name": "Bo"})).text == "hello, Bo"
    assert context.call_sync("greet").text == "hello, you"
    assert make_context().call_sync("greet").code == "unknown_tool"


def test_a_recording_plugin_sees_a_call_from_start_to_end():
    """B3: every hook and event of one call, in order."""
    recording = RecordingPlugin()

    @tool
    def ask(context: ToolContext, *, key: Annotated[str, Injected("KEY")] = "") -> str:
        context.update("half")
        return "done"

    with make_board([ask], plugins=[recording], secrets={"KEY": "k"}) as board:
        board.run_sync([ToolCall("ask", {}, id="one"), ToolCall("aks", {}, id="two")])

    assert recording.names("one") == [
        "ToolStart",
        "prepare_arguments",
        "before_tool_call",
        "middleware",
        "ToolUpdate",
        "middleware returned",
        "ToolReturned",
        "after_tool_call",
        "ToolEnd",
    ]
    assert recording.names("two") == ["ToolStart", "ToolEnd"]
    assert recording.names()[:3] == ["register_tools", "register_runners", "lifespan"]
    assert recording.names()[-2:] == ["BatchEnd", "lifespan closed"]
    assert {"inject", "tool_middleware"} <= set(recording.names(""))


def test_recorded_steps_carry_what_was_passed():
    """A step holds the call, the result or the event."""
    recording = RecordingPlugin("outside")

    call_tool(greet, {"name": "Cy"}, plugins=[recording])

    steps = {step.name: step.value for step in recording.steps}
    assert recording.name == "outside"
    assert steps["before_tool_call"].arguments == {"name": "Cy"}
    assert steps["after_tool_call"].text == "hello, Cy"
    kinds = [type(event) for event in recording.events]
    assert (kinds[0], kinds[-1]) == (ToolStart, ToolEnd)


def test_what_is_no_tool_is_refused():
    """V9: a board of the kit says what any board says."""
    with pytest.raises(UsageError, match="is no tool"):
        make_board([5])
