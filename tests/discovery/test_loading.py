"""The import of one plugin, and what an import may hang on."""

import sys

import pytest

from pegboard._discovery import discover, misspelled
from pegboard._distributions import Requirements
from pegboard.errors import PluginError
from pegboard.settings import make_settings


def load(site, source, *, value="acme_one:tools"):
    """Install a pack of one module and load it."""
    site.install("acme-one", tools={"aone": value}, modules={"acme_one": source})
    (found,) = [p for p in discover(make_settings()).found if p.name == "aone"]
    return found.load()


def test_load_returns_what_the_entry_point_names(site):
    """H3: an entry point names a module, or an object in one."""
    assert load(site, "class Pack:\n    tools = [1]", value="acme_one:Pack.tools") == [
        1
    ]


def test_load_returns_a_module(site):
    """H3: without a colon the entry point is the module."""
    assert load(site, "x = 1", value="acme_one") is sys.modules["acme_one"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import not_installed_anywhere", "No module named 'not_installed_anywhere'"),
        ("def broken(:", "SyntaxError"),
        ("raise KeyError('TOKEN')", "KeyError: 'TOKEN'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import sys; sys.exit()", "SystemExit"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("import asyncio; raise asyncio.CancelledError", "CancelledError"),
        ("other = 1", "no attribute 'tools'"),
        ("class E(Exception):\n    __str__ = None\nraise E", ": E"),
    ],
)
def test_whatever_an_import_raises_is_one_error(site, source, said):
    """D4: a failed import is a PluginError with plugin, distribution and cause."""
    with pytest.raises(PluginError) as caught:
        load(site, source)

    start = "plugin 'aone' (acme-one 1.0) cannot be imported from 'acme_one:tools': "
    assert str(caught.value).startswith(start)
    assert said in str(caught.value)
    assert caught.value.plugin == "aone"
    assert caught.value.__cause__ is not None


def test_an_entry_point_that_is_no_reference_is_an_error(site):
    """D4: what the entry point names may be nonsense."""
    with pytest.raises(PluginError, match="cannot be imported from 'not a reference'"):
        load(site, "x = 1", value="not a reference")


def test_a_keyboard_interrupt_passes(site):
    """B7: who presses Ctrl-C while a plugin is imported means the program."""
    with pytest.raises(KeyboardInterrupt):
        load(site, "raise KeyboardInterrupt")


def test_the_way_out_names_the_distribution(site):
    """D4: doctor says what to upgrade, remove or disable."""
    site.install("acme-one", tools={"aone": "acme_one:tools"})

    (found,) = [p for p in discover(make_settings()).found if p.name == "aone"]

    assert "pip uninstall acme-one" in found.way_out
    assert 'disable = ["aone"]' in found.way_out


def test_requirements_are_all_that_a_plugin_may_import(site):
    """D3: a shared library counts, through others and through extras."""
    site.install("acme-one", requires=["acme-two[x]>=1", "Acme_Extra; extra == 'more'"])
    site.install(
        "acme-two",
        requires=[
            "acme-three (>=2)",
            "acme-one",
            "pegboard",
            "acme-x; extra == 'x'",
            "acme-y; extra == 'y'",
            "acme-old; python_version < '3'",
            "not a requirement",
        ],
    )

    assert Requirements().of("Acme.One") == [
        "acme-extra",
        "acme-one",
        "acme-three",
        "acme-two",
        "acme-x",
        "pegboard",
    ]


def test_what_pegboard_requires_counts_for_every_plugin():
    """D3: an upgrade of pydantic may change every schema."""
    core = Requirements().of_pegboard()

    assert core == [] or {"pydantic", "pydantic-core", "pluggy"} <= set(core)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({"plugins": {"aduit": {"level": 1}}}, "plugins.aduit"),
        ({"order": ["aduit"]}, "order: aduit"),
        ({"optional": ["aduit"]}, "optional: aduit"),
    ],
)
def test_a_misspelled_plugin_is_named_with_the_nearest(said, key):
    """W233: a table or a place in the order that nobody gets is not ignored."""
    (problem,) = misspelled(make_settings(said), {"audit", "files"})

    assert problem.message == f"code: there is no plugin 'aduit' ({key})"
    assert problem.remedy == "Did you mean 'audit'?"
    assert problem.severity == "warning"


def test_settings_for_what_is_not_installed_here_are_no_problem():
    """Settings: a user's file serves more than one environment."""
    said = {"plugins": {"weather": {}, "audit": {}}, "order": ["redact", "audit"]}

    assert misspelled(make_settings(said), {"audit"}) == ()
