"""Broken packs and policies among good ones: named, alone, and easy to get rid of."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from .wheels import Wheel, greeter, pack, policy

HALF = """
    from pegboard import hookimpl, tool

    @hookimpl
    def register_tools():
        yield tool(lambda: 1, name="first_half", description="One.")
        raise KeyError("TOKEN")
"""
GREEDY = """
    from pegboard import hookimpl, tool

    @hookimpl
    def register_tools():
        return [tool(lambda: 1, name="greedy_tool", description="One.")]

    @hookimpl
    def before_tool_call(call):
        return None
"""
LIMITED = """
    from dataclasses import dataclass
    from pegboard import hookimpl, tool

    @dataclass
    class Settings:
        most: int = 3

    @hookimpl
    def register_tools(settings):
        return [tool(lambda: settings.most, name="most", description="One.")]
"""
#: What is wrong with a pack -> the wheel, and what `doctor` says of it.
PACKS = {
    "raises": (Wheel("bad-raises", "import not_there", {"bad": "tools"}), "not_there"),
    "exits": (
        Wheel("bad-exits", "raise SystemExit(7)", {"bad": "tools"}),
        "SystemExit",
    ),
    "recursion": (
        Wheel("bad-deep", "def f(): f()\nf()", {"bad": "tools"}),
        "RecursionError",
    ),
    "attribute": (Wheel("bad-attribute", "", {"bad": "tools"}), "'tools'"),
    "nonsense": (Wheel("bad-nonsense", "tools = 5", {"bad": "tools"}), "neither tools"),
    "half": (Wheel("bad-half", HALF, {"bad": ""}), "TOKEN"),
    "greedy": (Wheel("bad-greedy", GREEDY, {"bad": ""}), "before_tool_call"),
    "too_new": (
        Wheel(
            "bad-too-new", "tools = []", {"bad": "tools"}, requires=["pegboard<0.0.1"]
        ),
        "pegboard<0.0.1",
    ),
}


@pytest.mark.parametrize("kind", PACKS)
def test_a_broken_pack_is_left_out_alone(machine, kind):
    """D4: W149, W152, W156: others work; `doctor` names it, and the way out."""
    bad, said = PACKS[kind]
    machine.install(pack(1), bad)

    listed = machine.run("list")
    [problem] = machine.problems()
    result = machine.call("first_1", "a=1")

    assert listed.returncode == 0
    assert "first_half" not in listed.stdout
    assert "1 problem with what is installed; see pegboard doctor" in listed.stderr
    assert (problem["plugin"], problem["distribution"]) == ("bad", bad.name)
    assert said in problem["message"]
    assert bad.name in problem["remedy"]
    assert result["data"] == 2


def test_what_the_remedy_says_helps(machine):
    """D4: the line to disable it and the command to remove it both work."""
    bad, _ = PACKS["raises"]
    machine.install(pack(1), bad)
    [problem] = machine.problems()

    assert 'disable = ["bad"]' in problem["remedy"]
    assert "pip uninstall bad-raises" in problem["remedy"]
    machine.configure('disable = ["bad"]')
    assert machine.problems(status=0) == []
    machine.configure("")
    machine.uninstall("bad-raises")
    assert machine.problems(status=0) == []


def test_recovery_needs_no_import(machine):
    """D6: W150: help and a run without plugins import nothing that is broken."""
    machine.install(PACKS["exits"][0], PACKS["raises"][0])

    with machine.imports() as seen:
        helped = machine.run("--help")
        without = machine.run("list", PEGBOARD_NO_PLUGINS="1")
        disabled = machine.run("list", PEGBOARD_DISABLE="bad")

    assert (helped.returncode, helped.stderr) == (0, "")
    assert (without.returncode, without.stderr) == (0, "")
    assert (disabled.returncode, disabled.stderr) == (0, "")
    assert seen == []


#: What is wrong with a policy -> the wheel, and what is said of it.
POLICIES = {
    "raises": (
        Wheel("bad-raises", "import not_there", plugins={"bad": "P"}),
        "not_there",
    ),
    "exits": (
        Wheel("bad-exits", "raise SystemExit", plugins={"bad": "P"}),
        "SystemExit",
    ),
    "misspelled": (
        policy("bad", "return Block('no')", hook="befor_tool_call(self, call)"),
        "Did you mean 'before_tool_call'",
    ),
    "argument": (
        policy("bad", "return None", hook="before_tool_call(self, call, projectname)"),
        "projectname",
    ),
    "unmarked": (
        Wheel(
            "bad-unmarked",
            "class P:\n    def before_tool_call(self, call): return None",
            plugins={"bad": "P"},
        ),
        "without @pegboard.hookimpl",
    ),
    "wrapper": (
        Wheel(
            "bad-wrapper",
            "from pegboard import hookimpl\n"
            "class P:\n    @hookimpl(wrapper=True)\n"
            "    def before_tool_call(self, call): return (yield)",
            plugins={"bad": "P"},
        ),
        "hooks do not nest",
    ),
}


@pytest.mark.parametrize("kind", POLICIES)
def test_a_broken_policy_closes_the_board(machine, kind):
    """D4: W154, W155: no call runs unguarded; looking works; the model reads why."""
    bad, said = POLICIES[kind]
    machine.install(pack(1), bad)

    names = machine.names()
    problems = machine.problems()
    result = machine.call("first_1", "a=1", status=1)
    disabled = machine.call("first_1", "a=1", PEGBOARD_DISABLE="bad")

    assert names == ["first_1", "second_1"]
    assert [problem["plugin"] for problem in problems] == ["bad"]
    assert said in problems[0]["message"]
    assert (result["code"], result["by"], result["executed"]) == (
        "hook_failed",
        "bad",
        "no",
    )
    assert said in result["content"][0]["text"]
    assert disabled["data"] == 2


def test_an_optional_policy_may_fail(machine):
    """D4: what the settings call optional closes nothing."""
    machine.install(pack(1), POLICIES["raises"][0])
    machine.configure('optional = ["bad"]')

    assert machine.call("first_1", "a=1")["data"] == 2
    assert [problem["plugin"] for problem in machine.problems()] == ["bad"]


def test_what_a_pack_prints_stays_out_of_the_output(machine):
    """D4: stdout is the command's own, whatever an import prints."""
    loud = Wheel("loud", "print('hello there')\ntools = []", {"loud": "tools"})
    machine.install(pack(1), loud)

    cold = machine.run("list", "--json")
    warm = machine.run("list", "--json")

    assert cold.stdout == warm.stdout
    assert "hello there" not in cold.stdout
    assert "hello there" in cold.stderr


def test_a_hanging_import_is_named_while_it_lasts(machine):
    """D4: whoever waits is told for whom, and how to start without it."""
    hanging = Wheel(
        "hanging", "import threading\nthreading.Event().wait()", {"hang": "tools"}
    )
    machine.install(pack(1), hanging)
    for command in ("list", "doctor"):
        process = subprocess.Popen(
            machine.command(command),
            cwd=machine.project,
            env=machine.variables(),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        try:
            said = process.stderr.readline()
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()

        assert "plugin 'hang' (hanging 1.0) is still importing" in said
        assert "PEGBOARD_DISABLE=hang" in said

    assert machine.names(PEGBOARD_DISABLE="hang") == ["first_1", "second_1"]
    assert machine.call("first_1", "a=1", PEGBOARD_DISABLE="hang")["data"] == 2


def test_settings_that_do_not_fit_leave_a_pack_out(machine):
    """D4: invalid settings of a plugin are its problem, with file, key and reason."""
    machine.install(pack(1), Wheel("limited", LIMITED, {"limited": ""}))
    assert machine.call("most")["data"] == 3

    file = machine.configure('[plugins.limited]\nmost = "many"\n')

    [problem] = machine.problems()
    assert str(file) in problem["message"]
    assert "'plugins.limited.most'" in problem["message"]
    assert machine.names() == ["first_1", "second_1"]
    assert machine.call("most", status=1)["code"] in (
        "tool_unavailable",
        "unknown_tool",
    )

    machine.configure("[plugins.limited]\nmsot = 5\n")
    [problem] = machine.problems()
    assert "did you mean 'most'" in problem["message"]

    machine.configure("[plugins.limited]\nmost = 5\n")
    assert machine.call("most")["data"] == 5


def test_two_packs_with_one_tool_name_are_both_prefixed(machine):
    """D5: W160: nobody wins silently, whatever the order; both owners are named."""
    machine.install(greeter("alpha"), greeter("beta"), pack(1))

    names = machine.names()
    [problem] = machine.problems(status=0)
    ambiguous = machine.call("greet", status=1)

    assert names == ["alpha__greet", "beta__greet", "first_1", "second_1"]
    assert "plugin 'alpha' and by plugin 'beta'" in problem["message"]
    assert ambiguous["code"] == "ambiguous_tool"
    assert machine.call("beta__greet")["data"] == "hello from beta 1.0"

    machine.configure('[tools."beta:greet"]\nrename = "greet_beta"\n')
    assert machine.names() == ["first_1", "greet", "greet_beta", "second_1"]
    assert machine.problems(status=0) == []

    machine.configure('collisions = "error"\n')
    refused = machine.run("list")
    assert refused.returncode == 2
    assert "'alpha' and by plugin 'beta'" in refused.stderr


def test_a_new_pack_does_not_switch_a_policy_off(machine):
    """D5: a bare name in settings means every tool of that name, prefixed or not."""
    machine.install(greeter("alpha"))
    machine.configure('disable = ["greet"]')
    assert machine.names() == []

    machine.install(greeter("beta"))

    assert machine.names() == []


def test_one_plugin_name_of_two_distributions_is_nobodys(machine):
    """D8: neither loads and both are named, until settings pick one."""
    stranger = greeter("stranger")
    stranger = Wheel(stranger.name, stranger.source, tools={"alpha": "greet"})
    machine.install(greeter("alpha"), stranger)

    [problem] = machine.problems()
    assert machine.names() == []
    assert "alpha and stranger both bring a plugin 'alpha'" in problem["message"]

    machine.configure('[plugins.alpha]\ndistribution = "stranger"\n')
    assert machine.call("greet")["data"] == "hello from stranger 1.0"
    assert machine.problems(status=0) == []


def test_two_policies_of_one_name_close_the_board(machine):
    """D8: which of two guards counts is not decided by chance."""
    guard = policy("guard", "return None")
    other = Wheel("other-guard", guard.source, plugins={"guard": "Policy"})
    machine.install(pack(1), guard, other)

    result = machine.call("first_1", "a=1", status=1)

    assert result["code"] == "hook_failed"
    assert "guard and other-guard" in result["content"][0]["text"]


def test_a_pack_named_like_a_kept_word_is_refused(machine):
    """D8: W161: a pack cannot pass for tools of code."""
    machine.install(Wheel("sneaky", "tools = []", {"code": "tools"}))

    [problem] = machine.problems()

    assert "'code' is kept for tools passed in code" in problem["message"]


def test_tools_of_a_pack_that_broke_say_so(machine):
    """D4: a tool that was shown before its pack broke answers tool_unavailable."""
    machine.install(greeter("alpha"))
    assert machine.names() == ["greet"]
    module = next(machine.environment.folder.rglob("alpha/__init__.py"))
    module.write_text("raise RuntimeError('moved')\n")

    shown = machine.names()  # an installed file changed behind pip's back: not noticed
    result = machine.call("greet", status=1)

    assert shown == ["greet"]
    assert result["code"] == "tool_unavailable"
    assert "RuntimeError: moved" in result["content"][0]["text"]
    assert machine.names() == []
