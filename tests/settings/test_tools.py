"""What is set for one tool, and whether it is offered at all."""

import itertools

import pytest

from pegboard.schemas import ToolAnnotations
from pegboard.settings import ToolSettings, make_settings


def test_every_key_of_a_tool_can_be_set():
    """Settings: `[tools.NAME]` overrides all that section 10 lists."""
    said = {
        "enabled": True,
        "timeout": 1.5,
        "retry": {"attempts": 2, "wait": 0.5, "max_wait": 3.0},
        "execution": "sequential",
        "runner": "thread",
        "resources": ["file:{path}"],
        "arguments": "strict",
        "updates": False,
        "max_result_bytes": 10,
        "max_concurrency": 2,
        "description": "Other.",
        "annotations": {"read_only": True, "open_world": False},
        "rename": "other",
    }

    read = make_settings({"tools": {"read": said}}).tool("files:read")

    assert set(said) == set(ToolSettings.__dataclass_fields__)
    assert read.resources == ("file:{path}",)
    assert read.annotations == ToolAnnotations(read_only=True, open_world=False)
    assert read.retry is not None
    assert (read.retry.attempts, read.retry.wait, read.retry.max_wait) == (2, 0.5, 3)
    plain = set(said) - {"resources", "annotations", "retry"}
    assert {key: getattr(read, key) for key in plain} == {k: said[k] for k in plain}


def test_a_bare_name_means_every_tool_of_that_name():
    """D5: a setting for `read` holds for whoever brings a `read`."""
    settings = make_settings({"tools": {"read": {"timeout": 1}}})

    assert settings.tool("files:read").timeout == 1
    assert settings.tool("other:read").timeout == 1
    assert settings.tool("code:read").timeout == 1
    assert settings.tool("files:write") == ToolSettings()
    assert settings.tool("read:write") == ToolSettings()


NAMES = ["*", "*:*", "r*", "files:*", "files:r*", "read", "files:read"]


def test_the_most_specific_name_wins():
    """Settings: names beat globs, identities bare names, long ones short ones."""
    for size in range(1, len(NAMES) + 1):
        said = {name: {"timeout": i} for i, name in enumerate(NAMES[:size])}

        assert make_settings({"tools": said}).tool("files:read").timeout == size - 1


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["*", "files:*", "read"]))
)
def test_the_order_in_a_file_decides_nothing(order):
    """Settings: what is set for a tool is a function of the names alone."""
    said = {"*": {"timeout": 1}, "files:*": {"timeout": 2}, "read": {"timeout": 3}}

    settings = make_settings({"tools": {name: said[name] for name in order}})

    assert settings.tool("files:read").timeout == 3
    assert settings.tool("files:write").timeout == 2
    assert settings.tool("web:get").timeout == 1


def test_what_several_names_say_is_merged_key_by_key():
    """Settings: a more specific name leaves the keys that it does not set."""
    settings = make_settings(
        {
            "tools": {
                "*": {"timeout": 1, "annotations": {"read_only": True}},
                "files:read": {"retry": {"attempts": 2}, "annotations": {}},
                "read": {"annotations": {"open_world": False}, "retry": {"wait": 1}},
            }
        }
    )

    read = settings.tool("files:read")

    assert read.timeout == 1
    assert read.annotations == ToolAnnotations(read_only=True, open_world=False)
    assert read.retry is not None
    assert (read.retry.attempts, read.retry.wait) == (2, 1)


@pytest.mark.parametrize(
    ("said", "offered"),
    [
        ({}, {"files:read", "files:write", "web:get"}),
        ({"disable": ["files"]}, {"web:get"}),
        ({"disable": ["files:*"]}, {"web:get"}),
        ({"disable": ["read", "get"]}, {"files:write"}),
        ({"disable": ["*:write"]}, {"files:read", "web:get"}),
        ({"enable": ["files"]}, {"files:read", "files:write"}),
        ({"enable": ["files:r*", "get"]}, {"files:read", "web:get"}),
        ({"enable": ["files"], "disable": ["read"]}, {"files:write"}),
        ({"tools": {"read": {"enabled": False}}}, {"files:write", "web:get"}),
        (
            {"enable": ["web"], "tools": {"files:read": {"enabled": True}}},
            {"files:read", "web:get"},
        ),
        (
            {"disable": ["files"], "tools": {"files:read": {"enabled": True}}},
            {"web:get"},
        ),
        (
            {"tools": {"*": {"enabled": False}, "get": {"enabled": True}}},
            {"web:get"},
        ),
    ],
)
def test_enable_disable_and_enabled_say_what_is_offered(said, offered):
    """D6: globs of plugins and tools; `disable` is the last word."""
    settings = make_settings(said)

    tools = ["files:read", "files:write", "web:get"]

    assert {tool for tool in tools if settings.is_offered(tool)} == offered


def test_tools_of_a_required_plugin_are_not_disabled():
    """D6: neither `enable` nor `disable` touches what a required plugin brings."""
    settings = make_settings(
        {"required": ["files"], "enable": ["web"], "disable": ["files", "read", "*:*"]}
    )

    assert settings.is_offered("files:read")
    assert not settings.is_offered("web:get")


def test_a_tool_passed_in_code_needs_no_place_in_enable():
    """D6: the host that passes a tool means it; `disable` takes it away even so."""
    assert make_settings({"enable": ["files"]}).is_offered("code:mine")
    assert not make_settings({"disable": ["mine"]}).is_offered("code:mine")


@pytest.mark.parametrize(
    ("said", "enabled"),
    [
        ({}, {"audit", "files", "web"}),
        ({"disable": ["a*"]}, {"files", "web"}),
        ({"disable": ["files:read"]}, {"audit", "files", "web"}),
        ({"enable": ["files:read", "web"]}, {"files", "web"}),
        ({"enable": ["files"], "required": ["audit"]}, {"audit", "files"}),
        ({"disable": ["*"], "required": ["audit"]}, {"audit"}),
    ],
)
def test_globs_say_which_plugins_may_load(said, enabled):
    """D6: `enable` and `disable` take plugin globs; required plugins always load."""
    settings = make_settings(said)

    plugins = ["audit", "files", "web"]

    assert {plugin for plugin in plugins if settings.is_enabled(plugin)} == enabled


def test_a_tool_named_in_enable_keeps_every_pack_that_may_have_it():
    """D5: a bare name that is no plugin's is a tool's, of whatever pack."""
    settings = make_settings({"enable": ["read"]})
    packs = {"files", "web"}

    assert settings.is_enabled("files", packs=packs)
    assert not settings.is_enabled("files", packs={*packs, "read"})
    assert not settings.is_enabled("audit")
