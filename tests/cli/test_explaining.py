"""`explain`: what a call of one tool passes through, and why in this order."""

import pytest

from pegboard import Pegboard, hookimpl, tool

from .acme import PACK


@pytest.fixture(autouse=True)
def pack(site):
    """Two tools."""
    site.install(PACK, value="acme:tools", version="2.0")


EXPLAINED = """\
look  (acme:look 2.0)

step                                   by               why here
prepare                                acme_policy 1.0  placed by its name
validate (repaired, coerced)           Pegboard
guard                                  acme_policy 1.0  placed by its name
middleware mark                        acme_policy 1.0  placed by its name
  body (runner inline, at most 5 s)    acme
rewrite                                acme_policy 1.0  placed by its name
observe                                acme_policy 1.0  placed by its name
"""


def test_explain_draws_the_chain_from_outside_in(policy, pegboard):
    """`explain` has a line a step: plugin, version and the reason for its place."""
    result = pegboard("explain", "look")

    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        line.split() for line in EXPLAINED.splitlines()
    ]
    assert "\n  body (" in result.stdout


def test_explain_says_why_a_plugin_has_its_place(policy, pegboard, tmp_path, project):
    """H2: the reason for a place is the organisation, `order`, or the name."""
    (project / "pegboard.toml").write_text('order = ["acme_policy"]\n')
    placed = pegboard("explain", "acme:put").stdout
    (tmp_path / "organisation.toml").write_text('required = ["acme_policy"]\n')
    required = pegboard("explain", "put").stdout

    assert "guard" in placed
    assert placed.count("placed by `order` in the settings") == 4
    assert required.count("required by the organisation") == 4
    assert "middleware" not in placed


def test_explain_in_json_has_every_step(policy, answer):
    """`explain --json` has the same in fields."""
    said = answer("explain", "look", "--json")

    assert (said["tool"], said["runner"], said["timeout"]) == ("acme:look", "inline", 5)
    assert said["layers"] == [
        {
            "plugin": "acme_policy",
            "version": "1.0",
            "distribution": "acme-policy",
            "part": "name",
            "name": "mark",
        }
    ]


def test_explain_of_an_unknown_tool_is_one_line(pegboard):
    """A tool that does not exist is one line with the nearest name, and code 2."""
    result = pegboard("explain", "loock")

    assert result.exit_code == 2
    assert result.stderr == "error: There is no tool 'loock'. Did you mean look?\n"


class Doorman:
    """A policy passed in code."""

    @hookimpl
    def before_tool_call(self, call):
        """Let everybody in."""


async def watch(call, call_next):
    return await call_next(call)


class Layer:
    """A middleware that is an object."""

    async def __call__(self, call, call_next):
        return await call_next(call)


def test_a_board_explains_what_was_passed_in_code():
    """H2: middlewares passed in code stand inside all plugins', first innermost."""
    put = tool(lambda text: text, name="put", prepare=lambda arguments: None)
    board = Pegboard(tools=[put], plugins=[Doorman()], middlewares=[watch, Layer()])
    said = board.explain("put")

    assert [(s.plugin, s.name, s.reason) for s in said.layers] == [
        ("code", "Layer", "passed in code"),
        ("code", "watch", "passed in code"),
    ]
    assert [(s.plugin, s.reason) for s in said.prepare] == [("code", "the tool's own")]
    assert [(s.plugin, s.version, s.distribution) for s in said.before] == [
        ("Doorman", "", "")
    ]
    assert said.to_dict()["before"][0]["part"] == "name"


def test_explain_says_how_the_body_runs(site, pegboard, project):
    """The line of the body has runner, limits, attempts and what is kept apart."""
    (project / "pegboard.toml").write_text(
        "[tools.put]\n"
        "timeout = 0\n"
        "retry = {attempts = 4}\n"
        'execution = "sequential"\n'
        'arguments = "strict"\n'
        'resources = ["place:{text}"]\n'
    )
    said = pegboard("explain", "put").stdout

    assert (
        "body (runner thread, no time limit, 4 attempts, sequential, one at a time for"
        " place:{text})"
    ) in said
    assert "validate (strictly)" in said


def test_a_closed_board_says_why_there_is_no_chain(site, pegboard):
    """D4: while a policy is broken no tool has a chain; one line says which one."""
    site.install("1/0", name="acme-gate", group="pegboard.plugins")
    result = pegboard("explain", "put")

    assert result.exit_code == 2
    assert "No tool can be called: plugin 'acme_gate'" in result.stderr
