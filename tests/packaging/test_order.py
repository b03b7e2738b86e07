"""Policies: one order on every machine, and an organisation that has the last word."""

from __future__ import annotations

import json

import pytest

from .wheels import Wheel, greeter, pack, policy

NAMES = ("ant", "bee", "cat")


def marking(name: str, *, mark: str = "") -> Wheel:
    """A policy whose mark on a result shows its place."""
    body = f"return result.replace(content=result.text + ' {name}')"
    hook = "after_tool_call(self, call, result)"
    wheel = policy(name, body, hook=hook)
    source = wheel.source.replace("@hookimpl", f"@hookimpl{mark}")
    return Wheel(name, source, plugins={name: "Policy"})


def text(result: dict) -> str:
    return result["content"][0]["text"]


@pytest.mark.parametrize("order", [NAMES, NAMES[::-1]])
def test_order_is_a_function_of_names(machine, order):
    """H2: W162: neither the order of installation nor a hash seed moves a policy."""
    for name in order:
        machine.install(marking(name))
    machine.install(greeter("alpha"))

    first = machine.json("explain", "greet", PYTHONHASHSEED="1")
    result = machine.call("greet", PYTHONHASHSEED="2")

    assert [step["plugin"] for step in first["after"]] == ["ant", "bee", "cat"]
    assert text(result) == "hello from alpha 1.0 ant bee cat"


def test_settings_put_policies_in_order(machine):
    """H2: W159: `order` stands outside the rest, and explain gives the reasons."""
    machine.install(*map(marking, ("ant", "bee", "cat")), greeter("alpha"))
    machine.configure('order = ["ant"]')

    explained = machine.json("explain", "greet")
    drawn = machine.run("explain", "greet").stdout

    assert text(machine.call("greet")) == "hello from alpha 1.0 bee cat ant"
    reasons = {step["plugin"]: step["part"] for step in explained["after"]}
    assert reasons == {"ant": "order", "bee": "name", "cat": "name"}
    assert "placed by `order` in the settings" in drawn


def test_tryfirst_gets_nobody_past_a_required_plugin(machine):
    """H2: a pack's tryfirst moves it inside its own part only."""
    machine.install(
        marking("ant"), marking("zebra", mark="(tryfirst=True)"), greeter("alpha")
    )
    machine.rule('required = ["ant"]')

    assert text(machine.call("greet")) == "hello from alpha 1.0 zebra ant"
    assert [p["name"] for p in machine.json("plugins")] == ["ant", "zebra", "alpha"]


def test_what_the_organisation_requires_cannot_be_moved(machine):
    """Section 10: no layer below disables, reorders or replaces a required plugin."""
    machine.install(
        policy("guard", "return Block('not here')"), marking("zebra"), greeter("alpha")
    )
    machine.rule('required = ["guard"]\nfinal = ["timeout"]\ntimeout = 7\n')
    machine.configure(
        'disable = ["guard"]\norder = ["zebra", "guard"]\noptional = ["guard"]\n'
        "timeout = 9\nrequired = []\n"
    )

    for variables in ({}, {"PEGBOARD_DISABLE": "guard"}, {"PEGBOARD_TIMEOUT": "1"}):
        result = machine.call("greet", status=1, **variables)
        assert (result["code"], result["by"]) == ("blocked", "guard")

    explained = machine.json("explain", "greet")
    assert [step["plugin"] for step in explained["before"]] == ["guard"]
    assert explained["timeout"] == 7


def test_a_board_without_its_required_plugin_calls_nothing(machine):
    """D6: missing or switched off with all plugins: looking works, calling does not."""
    machine.install(greeter("alpha"))
    machine.rule('required = ["guard"]')

    listed = machine.run("list")
    called = machine.run("call", "greet")
    doctor = machine.problems()

    assert (listed.returncode, "greet" in listed.stdout) == (0, True)
    assert called.returncode == 2
    assert "plugin 'guard' is required" in called.stderr
    assert "plugin 'guard' is required" in doctor[0]["message"]

    machine.install(policy("guard", "return None"))
    assert machine.call("greet")["status"] == "success"
    without = machine.run("call", "greet", PEGBOARD_NO_PLUGINS="1")
    assert without.returncode != 0


def test_a_pack_cannot_pass_for_a_required_policy(machine):
    """D8: a stranger's plugin of the required name does not get the place."""
    machine.install(policy("guard", "return Block('no')"), greeter("alpha"))
    machine.rule('required = ["guard"]\n[plugins.guard]\ndistribution = "guard"\n')
    stranger = policy("guard", "return None")
    machine.install(Wheel("stranger", stranger.source, plugins={"guard": "Policy"}))

    assert machine.call("greet", status=1)["by"] == "guard"


def test_a_lock_holds_what_was_looked_at(machine):
    """D7: an upgrade, a changed definition, another order: all drift, line by line."""
    machine.install(greeter("alpha"), pack(1), marking("ant"))
    written = machine.run("lock")
    held = machine.run("lock", "--check")

    machine.install(pack(1, version="1.1"), marking("bee"))
    changed = greeter("alpha", version="2.0")
    machine.install(changed)
    drifted = machine.run("lock", "--check")

    assert (written.returncode, held.returncode, drifted.returncode) == (0, 0, 1)
    assert sorted(json.loads((machine.project / "pegboard.lock").read_text())) == [
        "format",
        "order",
        "plugins",
        "tools",
    ]
    lines = drifted.stdout.splitlines()
    assert "~ plugin alpha: alpha 1.0 -> alpha 2.0" in lines
    assert "~ plugin p001: packs-001 1.0 -> packs-001 1.1" in lines
    assert "+ plugin bee (bee 1.0)" in lines
    assert any(line.startswith("~ tool alpha:greet: sha256:") for line in lines)
    assert any(line.startswith("~ order: ") for line in lines)
    assert not any("first_1" in line for line in lines)


def test_a_locked_board_refuses_a_tool_that_differs(machine):
    """D7: `locked = true` refuses what drifted, and nothing else."""
    machine.install(greeter("alpha"), pack(1))
    machine.configure("locked = true\n")
    assert machine.run("lock").returncode == 0
    assert machine.call("greet")["status"] == "success"

    machine.install(greeter("alpha", version="2.0"))

    refused = machine.call("greet", status=1)
    assert refused["code"] == "tool_unavailable"
    assert "pegboard.lock" in text(refused)
    assert machine.call("first_1", "a=1")["data"] == 2
