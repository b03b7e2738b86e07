"""Calls that wait for a person: asked about on a terminal, denied elsewhere."""

import json
from pathlib import Path

import pytest

PACK = '''
from pegboard import tool

@tool(destructive=True)
def wipe(path: str) -> str:
    """Wipe a path."""
    return f"wiped {path}"

@tool(read_only=True)
def look() -> str:
    """Look around."""
    return "all is well"

tools = [wipe, look]
'''
GATE = """
from pegboard import Defer, hookimpl

class Gate:
    @hookimpl
    def before_tool_call(self, call):
        return Defer("it destroys things") if call.tool.destructive else None
"""
QUESTION = "edit the arguments first [n]: "


@pytest.fixture(autouse=True)
def gate(site):
    """Two tools, and a policy that asks about one of them."""
    site.install(PACK, value="acme:tools")
    site.install(
        GATE, name="acme-gate", group="pegboard.plugins", value="acme_gate:Gate"
    )


@pytest.fixture
def calls(project: Path) -> str:
    """A batch of two calls that wait for a person and one that does not."""
    calls = [
        {"name": "wipe", "arguments": {"path": "/a"}},
        {"name": "look"},
        {"name": "wipe", "arguments": {"path": "/b"}},
    ]
    path = project / "calls.jsonl"
    path.write_text("\n".join(map(json.dumps, calls)))
    return str(path)


def codes(batch: dict) -> list[str | None]:
    return [result["code"] for result in batch["results"]]


def test_without_a_terminal_a_deferred_call_is_denied(calls, pegboard):
    """Where nobody can be asked, what needs approval is denied; the rest runs."""
    result = pegboard("run", calls, "--json")

    assert result.exit_code == 1
    assert codes(json.loads(result.stdout)) == ["denied", None, "denied"]
    assert "nobody was there to give it" in result.stdout


def test_all_or_none_may_be_approved(calls, answer):
    """--approve all lets every deferred call run, --approve none lets none."""
    every = answer("run", calls, "--json", "--approve", "all")
    none = answer("run", calls, "--json", "--approve", "none")

    assert codes(every) == [None, None, None]
    assert [r["data"] for r in every["results"]] == [
        "wiped /a",
        "all is well",
        "wiped /b",
    ]
    assert codes(none) == ["denied", None, "denied"]
    assert "this run gives none" in none["results"][0]["content"][0]["text"]


def test_each_deferred_call_of_a_sequential_batch_is_decided(calls, answer):
    """B13: in a sequential batch one decision leads to the next question."""
    batch = answer("run", calls, "--json", "--approve", "all", "--sequential")

    assert codes(batch) == [None, None, None]


def test_a_dry_run_leaves_the_question_open(calls, answer):
    """B15: nothing of a dry run is approved, so a deferred call stays so."""
    batch = answer("run", calls, "--json", "--approve", "all", "--dry-run")

    assert codes(batch) == ["approval_required", None, "approval_required"]
    assert [call["position"] for call in batch["pending"]] == [0, 2]


def test_a_person_is_asked_with_all_that_will_run(terminal):
    """On a terminal the question shows tool, arguments, reason and policy."""
    command = terminal("call", "wipe", "path=/a")
    command.wait_for(QUESTION)
    command.type("y\n")

    assert command.end() == 0
    assert (
        "acme:wipe waits for approval (policy acme_gate): it destroys things\n"
        '{\n  "path": "/a"\n}\n'
    ) in command.screen
    assert command.screen.endswith("wiped /a\n")


def test_a_person_may_say_no(terminal):
    """No is the default; the model would read that a person denied the call."""
    command = terminal("call", "wipe", "path=/a")
    command.wait_for(QUESTION)
    command.type("\n")

    assert command.end() == 1
    assert command.screen.endswith(
        "error: wipe did not run: a person denied this call\n"
    )


def test_a_person_may_edit_the_arguments(terminal):
    """The arguments may be edited first; the call runs with what was written."""
    command = terminal("call", "wipe", "path=/a", EDITOR="sed -i s,/a,/other,")
    command.wait_for(QUESTION)
    command.type("e\n")

    assert command.end() == 0
    assert command.screen.endswith("wiped /other\n")


def test_an_edit_that_is_no_object_may_be_mended(terminal):
    """Arguments that are no JSON object after the edit are not taken."""
    command = terminal("call", "wipe", "path=/a", EDITOR="sed -i s,{,[,")
    command.wait_for(QUESTION)
    command.type("e\n")
    command.wait_for("Edit again? [y/N]: ")
    command.type("n\n")

    assert command.end() == 1
    assert "That does not work: " in command.screen
    assert command.screen.endswith("a person denied this call\n")


def test_an_edit_may_be_given_up_or_taken_up_again(terminal):
    """An editor that saves nothing denies the call; a wrong edit may be tried again."""
    untouched = terminal("call", "wipe", "path=/a", EDITOR="true")
    untouched.wait_for(QUESTION)
    untouched.type("e\n")
    twice = terminal("call", "wipe", "path=/a", EDITOR="sed -i -e s,{,[{, -e s,},}],")
    twice.wait_for(QUESTION)
    twice.type("e\n")
    twice.wait_for("it is no JSON object. Edit again? [y/N]: ")
    twice.type("y\nn\n")

    assert (untouched.end(), twice.end()) == (1, 1)
    assert untouched.screen.endswith("a person denied this call\n")
    assert twice.screen.count("it is no JSON object") == 2


def test_a_policy_may_still_end_an_approved_call(site, calls, pegboard):
    """H5: an Abort after the approval ends the batch, and its reason is heard."""
    site.install(
        """
        from pegboard import Abort, hookimpl

        class Stop:
            @hookimpl
            def before_tool_call(self, call):
                if call.approval:
                    raise Abort("not even then")
        """,
        name="acme-stop",
        group="pegboard.plugins",
        value="acme_stop:Stop",
    )
    result = pegboard("run", calls, "--approve", "all")

    assert result.exit_code == 1
    assert result.stderr.endswith("error: not even then\n")
    assert "3 calls" in result.stdout


def test_each_call_of_a_batch_is_asked_about(calls, terminal):
    """Of several calls each has its own question and its own answer."""
    command = terminal("run", calls)
    command.wait_for('"/a"')
    command.wait_for(QUESTION)
    command.type("n\n")
    command.wait_for('"/b"')
    command.type("y\n")

    assert command.end() == 1
    assert "wiped /b" in command.screen
    assert "wiped /a" not in command.screen
    assert "3 calls, 2 succeeded, 1 failed" in command.screen


def test_ctrl_c_at_a_question_ends_everything(calls, terminal):
    """Ctrl-C at a question runs nothing more, and ends with 130."""
    command = terminal("run", calls)
    command.wait_for(QUESTION)
    code = command.interrupt()

    assert code == 130
    assert "wiped" not in command.screen
    assert "Traceback" not in command.screen


def test_arguments_cannot_steer_the_terminal(terminal):
    """What stands in arguments is shown, not obeyed."""
    command = terminal("call", "wipe", 'path:="\\u001b[2J\\u202egnp"')
    command.wait_for(QUESTION)
    command.type("n\n")

    assert command.end() == 1
    assert b"\x1b[2J" not in command.output
    assert "\u202e" not in command.screen
