"""`pegboard list`: what a model is offered."""

import importlib_metadata
import pytest

from pegboard.dialects import openai_chat
from pegboard.schemas import ToolDefinition

PACK = '''
from pegboard import tool

@tool(read_only=True)
def look(place: str = "here") -> str:
    """Look around.

    At length.
    """

@tool(destructive=True)
def wipe() -> str:
    """Wipe all."""

@tool(destructive=False)
def put(text: str) -> str:
    """Put a text."""

tools = [wipe, put, look]
'''
TABLE = """\
tool  plugin  effects      purpose
look  acme    read-only    Look around.
put   acme    writes       Put a text.
wipe  acme    destructive  Wipe all.

3 tools, listing """


@pytest.fixture
def pack(site):
    """Three tools."""
    site.install(PACK, value="acme:tools")


def test_an_empty_machine_is_told_how_to_begin(pegboard, site, monkeypatch):
    """Where nothing is installed, `list` says how to begin, and that is no error."""
    monkeypatch.setattr(importlib_metadata, "distributions", lambda: iter(()))
    result = pegboard("list")

    assert result.exit_code == 0
    assert "No tools are installed. Begin with a pack:" in result.stdout
    assert "pip install pegboard-files" in result.stdout


def test_what_is_disabled_is_not_called_missing(pack, pegboard, monkeypatch):
    """D6: where all plugins are disabled, `list` says so instead."""
    monkeypatch.setenv("PEGBOARD_NO_PLUGINS", "1")
    result = pegboard("list")

    assert result.stdout.startswith("No tools are offered, ")
    assert result.stdout.endswith(" disabled.\n")


def test_a_pipe_gets_aligned_lines(pack, pegboard):
    """In a pipe the table is plain: aligned, no colours, one line a tool."""
    result = pegboard("list")

    assert result.exit_code == 0
    assert result.stdout.startswith(TABLE)
    assert result.stderr == ""


def test_the_listing_has_a_hash_that_tells_changes(pack, pegboard, monkeypatch):
    """V10: the hash is the same as long as a model is offered the same."""
    first, again = pegboard("list").stdout, pegboard("list").stdout
    monkeypatch.setenv("PEGBOARD_TOOLS__LOOK__DESCRIPTION", "Look twice.")
    changed = pegboard("list").stdout
    monkeypatch.setenv("PEGBOARD_TOOLS__LOOK__DESCRIPTION", "Look around.\nAt length.")
    hashes = {text.rpartition(" ")[2] for text in (first, changed)}

    assert first == again
    assert len(hashes) == 2
    assert all(len(text.strip()) == 12 for text in hashes)


def test_json_is_an_array_of_definitions(pack, answer):
    """`list --json` is an array from which the definitions can be made again."""
    listed = answer("list", "--json")

    assert [item["id"] for item in listed] == ["acme:look", "acme:put", "acme:wipe"]
    look = ToolDefinition.from_dict(listed[0])
    assert look.read_only
    assert look.to_dict() == listed[0]


def test_a_dialect_shows_what_a_provider_gets(pack, answer):
    """`list --dialect` is what the dialect makes of the same definitions."""
    definitions = [ToolDefinition.from_dict(d) for d in answer("list", "--json")]

    said = answer("list", "--dialect", "openai_chat")
    assert said == openai_chat.tools(definitions)
    assert answer("list", "--dialect", "pegboard.dialects:openai_chat") == said


def test_a_wrong_dialect_gets_the_nearest_one(pack, pegboard):
    """A dialect that does not exist is one line with the nearest name."""
    result = pegboard("list", "--dialect", "openai_chatt")

    assert result.exit_code == 2
    assert "no dialect is called 'openai_chatt'" in result.stderr
    assert "Did you mean 'openai_chat'?" in result.stderr


def test_what_a_plugin_prints_is_no_part_of_the_output(site, answer, pegboard):
    """D4: what a plugin prints while it is imported goes to stderr."""
    site.install(PACK + "\nprint('here I am')", value="acme:tools")
    listed = pegboard("list", "--json")

    assert listed.stdout.startswith("[")
    assert "here I am" in listed.stderr
    assert len(answer("list", "--json")) == 3


def test_problems_are_announced_beside_the_list(site, pack, pegboard):
    """D4: a pack that fails leaves the others alone; stderr says where to look."""
    site.install("import nothing_of_this_name", name="acme-broken")
    result = pegboard("list")

    assert result.exit_code == 0
    assert result.stdout.startswith(TABLE)
    assert result.stderr == ("1 problem with what is installed; see pegboard doctor\n")
