"""Names: identities, collisions, renames, what models may be offered."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import Pegboard, Registry, Tool, ToolCall, UnknownTool, UsageError, tool
from pegboard._names import safe_name

OFFERED = re.compile(r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}\Z")


def named(name, answer="ok"):
    """A tool of that name."""
    return tool(lambda: answer, name=name, description="Answer.")


def of_plugins(**tools):
    """A registry of one tool for each plugin."""
    registry = Registry()
    for plugin, name in tools.items():
        registry.add([named(name)], plugin=plugin, version="1.0")
    return registry


@given(st.text(min_size=1, max_size=200))
def test_any_name_becomes_one_that_every_provider_takes(name):
    """D5: offered names fit the narrowest alphabet; good ones stay as they are."""
    offered = safe_name(name)

    assert OFFERED.match(offered)
    assert (offered == name) is bool(OFFERED.match(name))


@given(st.lists(st.text(min_size=1), min_size=2, max_size=2, unique=True))
def test_different_names_stay_different(names):
    """D5: what is made of two names differs, in every process."""
    assert safe_name(names[0]) != safe_name(names[1])


def test_a_name_with_dots_keeps_its_characters_and_gets_a_hash():
    """D5: the hash is of the original, so it is the same everywhere."""
    assert safe_name("math.factorial") == "math_factorial_2f2114b7"


def test_colliding_names_are_prefixed_and_the_bare_one_is_ambiguous():
    """D5: neither of two plugins gets the bare name, and the collision is reported."""
    registry = of_plugins(files="read", mail="read", web="fetch")

    assert list(registry.offered) == ["fetch", "files__read", "mail__read"]
    assert registry.resolve("files__read").id == "files:read"
    assert "'files'" in registry.problems[0].message
    assert "'mail'" in registry.problems[0].message
    with pytest.raises(UnknownTool, match="files__read or mail__read") as caught:
        registry.resolve("read")
    assert caught.value.code == "ambiguous_tool"


def test_a_tool_passed_in_code_keeps_its_name():
    """D5: a plugin's tool of that name is prefixed, the code's is not."""
    registry = Registry([named("read")])
    registry.add([named("read")], plugin="files")

    assert {name: entry.id for name, entry in registry.offered.items()} == {
        "files__read": "files:read",
        "read": "code:read",
    }


def test_rename_settles_a_collision():
    """D5: after a rename both have names of their own; identities stay."""
    registry = Registry(settings={"tools": {"mail:read": {"rename": "read_mail"}}})
    for plugin in ("files", "mail"):
        registry.add([named("read")], plugin=plugin)

    assert {name: entry.id for name, entry in registry.offered.items()} == {
        "read": "files:read",
        "read_mail": "mail:read",
    }
    assert registry.problems == []


def test_collisions_may_be_errors():
    """D5: with collisions = "error" both plugins are named and nothing is guessed."""
    registry = Registry(settings={"collisions": "error"})
    for plugin in ("files", "mail"):
        registry.add([named("read")], plugin=plugin)

    with pytest.raises(UsageError, match="'files' and by plugin 'mail'"):
        _ = registry.offered


def test_a_prefixed_name_that_is_taken_gets_another():
    """D5: however names fall, each tool is offered once under one name."""
    registry = of_plugins(files="read", mail="read", odd="files__read")

    assert len(registry.offered) == 3
    assert {entry.id for entry in registry} == {
        "files:read",
        "mail:read",
        "odd:files__read",
    }


def test_two_tools_of_one_name_in_one_place_are_refused():
    """D5: within code, or within a plugin, a name is taken once; nothing is added."""
    registry = Registry([named("a")])

    with pytest.raises(UsageError, match="'a'"):
        registry.add([named("b"), named("a")])
    assert list(registry.offered) == ["a"]


def test_an_unknown_tool_lists_the_nearest():
    """D5: up to three names that look like it."""
    registry = Registry([named("read_file"), named("read_files"), named("write")])

    with pytest.raises(UnknownTool) as caught:
        registry.resolve("read_fil")
    assert caught.value.nearest == ("read_file", "read_files")


def test_listings_are_byte_stable():
    """V10: the same tools give the same definitions, in whatever order they came."""
    names = ["b", "c", "a"]
    one = Registry([named(name) for name in names]).definitions()
    other = Registry([named(name) for name in reversed(names)]).definitions()

    assert [item.name for item in one] == ["a", "b", "c"]
    assert [item.to_dict() for item in one] == [item.to_dict() for item in other]
    assert repr(one) == repr(other)


BAD_SCHEMAS = {
    "wrong type": {"type": "objekt"},
    "remote": {"properties": {"a": {"$ref": "https://example.com/a.json"}}},
    "circle": {"properties": {"a": {"$ref": "#/properties/a"}}},
}


@pytest.mark.parametrize("schema", BAD_SCHEMAS.values(), ids=BAD_SCHEMAS)
def test_an_invalid_schema_takes_only_its_tool_down(schema):
    """A7: refused when registered, not offered, answers tool_unavailable."""
    bad = Tool.from_schema("bad", "Bad.", schema, lambda arguments: 1)
    board = Pegboard([bad, named("good")])
    batch = board.run_sync([ToolCall("bad"), ToolCall("good")])

    assert [item.name for item in board.definitions()] == ["good"]
    assert [result.code for result in batch] == ["tool_unavailable", None]
    assert "schema is invalid" in board.problems[0].message


def test_a_signature_that_cannot_be_derived_takes_only_its_tool_down():
    """A7, V1: a derived schema is refused when it is first built; nothing raises."""

    def broken(value: object()): ...

    board = Pegboard([tool(broken), named("good")])

    assert [item.name for item in board.definitions()] == ["good"]
    assert board.call_sync("broken", {}).code == "tool_unavailable"
    assert "'value'" in board.problems[0].message


def test_settings_override_one_tool():
    """V5: description and hints follow the settings; the identity does not."""
    board = Pegboard(
        [named("wipe")],
        settings={
            "tools": {
                "wipe": {
                    "description": "Wipe all.",
                    "annotations": {"destructive": True},
                    "rename": "erase",
                }
            }
        },
    )
    (definition,) = board.definitions()

    assert (definition.id, definition.name) == ("code:wipe", "erase")
    assert (definition.description, definition.destructive) == ("Wipe all.", True)
    assert board.call_sync("erase").text == "ok"


def test_disabled_tools_are_unknown():
    """D6: what the settings take away is not offered and cannot be called."""
    board = Pegboard(
        [named("a"), named("b"), named("c")],
        settings={"disable": ["a"], "tools": {"b": {"enabled": False}}},
    )

    assert [item.name for item in board.definitions()] == ["c"]
    assert board.call_sync("a").code == "unknown_tool"


def test_a_view_offers_fewer_tools_and_follows_changes():
    """only: what a view does not offer is unknown to it, also to nested calls."""
    board = Pegboard([named("read_a"), named("write_a")])
    view = board.only("read_*")
    board.add(named("read_b"))

    assert [item.name for item in view.definitions()] == ["read_a", "read_b"]
    assert view.call_sync("write_a").code == "unknown_tool"
    assert view.call_sync("read_b").text == "ok"
    assert board.call_sync("write_a").text == "ok"


def test_adding_and_removing_tells_observers():
    """add, remove: observers get ToolsChanged with the offered names."""
    from pegboard import hookimpl
    from pegboard.events import ToolsChanged

    seen = []

    class Watch:
        @hookimpl
        def on_event(self, event):
            if isinstance(event, ToolsChanged):
                seen.append((event.added, event.removed))

    board = Pegboard([named("a")], plugins=[Watch()])
    board.add(named("b"))
    board.remove("a")

    assert seen == [(("b",), ()), ((), ("a",))]
    assert board.call_sync("a").code == "unknown_tool"
