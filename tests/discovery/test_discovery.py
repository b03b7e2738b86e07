"""Which installed plugins are loaded, and why the others are not."""

import sys

import pytest

from pegboard._discovery import discover
from pegboard.settings import load_settings, make_settings


def found(settings=None):
    """Plugins to load, by name."""
    return {p.name: p for p in discover(settings or make_settings()).found}


def problem(discovery, plugin):
    """The one problem with a plugin."""
    (said,) = [p for p in discovery.problems if p.plugin == plugin]
    return said


def test_both_groups_are_found_without_an_import(site):
    """D1: entry points say what there is; nothing is imported to find it."""
    site.install("acme-files", "2.1", tools={"afiles": "acme_files:tools"})
    site.install("acme-audit", plugins={"aaudit": "acme_audit:Audit"})

    plugins = found()

    assert (plugins["afiles"].group, plugins["afiles"].is_pack) == (
        "pegboard.tools",
        True,
    )
    assert (plugins["aaudit"].group, plugins["aaudit"].is_pack) == (
        "pegboard.plugins",
        False,
    )
    assert plugins["afiles"].value == "acme_files:tools"
    assert plugins["afiles"].distribution == "acme-files"
    assert plugins["afiles"].version == "2.1"
    assert not {"acme_files", "acme_audit"} & sys.modules.keys()


def test_plugins_are_sorted_by_name_whatever_the_path_says(make_site):
    """H2: what is found comes in one order on every machine."""
    make_site("late").install("acme-b", tools={"acme_b": "b"})
    make_site("middle").install("acme-c", tools={"acme_c": "c"})
    make_site("early").install("acme-z", tools={"acme_a": "a", "acme_d": "d"})

    names = [name for name in found() if name.startswith("acme_")]

    assert names == ["acme_a", "acme_b", "acme_c", "acme_d"]


def test_one_distribution_found_twice_is_one(make_site):
    """D8: the first on the path is the one that an import would take."""
    make_site("second").install("acme-files", "1.0", tools={"afiles": "old"})
    make_site("first").install("acme-files", "2.0", tools={"afiles": "new"})

    discovery = discover(make_settings())

    (files,) = [p for p in discovery.found if p.name == "afiles"]
    assert (files.version, files.value) == ("2.0", "new")
    assert not [p for p in discovery.problems if p.plugin == "afiles"]


def test_a_distribution_that_is_covered_declares_nothing(make_site):
    """D8: an older copy further down the path does not bring back what is gone."""
    make_site("second").install("acme-files", "1.0", tools={"afiles": "old"})
    make_site("first").install("acme-files", "2.0", tools={"aother": "new"})

    assert "afiles" not in found()


def test_two_distributions_of_one_name_are_both_left_out(site):
    """D8: neither loads, and both are named."""
    site.install("acme-files", tools={"afiles": "a"})
    site.install("evil-files", tools={"afiles": "b"})

    discovery = discover(make_settings())

    assert "afiles" not in {p.name for p in discovery.found}
    said = problem(discovery, "afiles")
    assert said.message == (
        "acme-files and evil-files both bring a plugin 'afiles', so neither is loaded"
    )
    assert said.remedy == (
        'Pick one: [tool.pegboard.plugins."afiles"] distribution = "acme-files"'
    )
    assert discovery.unfit == {}


@pytest.mark.parametrize("spelling", ["acme-files", "Acme_Files", "acme.files"])
def test_settings_pick_the_distribution_that_brings_a_plugin(site, spelling):
    """D8: until `distribution` says whose the name is; spelling does not matter."""
    site.install("acme-files", tools={"afiles": "a"})
    site.install("evil-files", tools={"afiles": "b"})

    picked = found(make_settings({"plugins": {"afiles": {"distribution": spelling}}}))

    assert picked["afiles"].distribution == "acme-files"


def test_a_stranger_does_not_get_what_is_meant_for_another(site):
    """D8: settings and secrets of a picked distribution never reach a second one."""
    site.install("evil-files", tools={"afiles": "b"})
    settings = make_settings({"plugins": {"afiles": {"distribution": "acme-files"}}})

    discovery = discover(settings)

    assert "afiles" not in {p.name for p in discovery.found}
    assert "only acme-files may bring plugin 'afiles'" in (
        problem(discovery, "afiles").message
    )


def test_a_second_policy_of_one_name_does_not_switch_it_off(site):
    """D4: a policy that cannot be loaded for its name closes the board."""
    site.install("acme-audit", plugins={"aaudit": "a"})
    site.install("evil-pack", tools={"aaudit": "b"})

    discovery = discover(make_settings())

    assert set(discovery.unfit) == {"aaudit"}
    assert discovery.unfit["aaudit"] is problem(discovery, "aaudit")


@pytest.mark.parametrize(
    "said",
    [
        {"optional": ["aaudit"]},
        {"disable": ["aaudit"]},
        {"plugins": {"aaudit": {"distribution": "acme-audit"}}},
    ],
)
def test_settings_open_a_board_that_a_policy_closes(site, said):
    """D4: until it works, is disabled by name, or stands in `optional`."""
    site.install("acme-audit", plugins={"aaudit": "a"})
    site.install("evil-pack", tools={"aaudit": "b"})

    assert discover(make_settings(said)).unfit == {}


def test_a_name_declared_twice_is_not_loaded(site):
    """D8: a plugin is one object, so one distribution declares it once."""
    site.install("acme-files", tools={"afiles": "a"}, plugins={"afiles": "b"})

    discovery = discover(make_settings())

    assert problem(discovery, "afiles").message == (
        "acme-files declares plugin 'afiles' twice, so it is not loaded"
    )
    assert set(discovery.unfit) == {"afiles"}


@pytest.mark.parametrize(
    ("requirement", "loads"),
    [
        ("pegboard>=0.1", True),
        ("pegboard", True),
        ("Pegboard < 0.1", False),
        ("pegboard>=7,<8; python_version>'3'", False),
        ("pegboard>=7; python_version<'3'", True),
        ("pegboard>=7; extra == 'new'", True),
        ("pegboard-files>=7", True),
    ],
)
def test_a_distribution_that_excludes_this_pegboard_is_not_loaded(
    site, requirement, loads
):
    """D8: metadata that excludes the installed Pegboard is believed, and said."""
    site.install("acme-files", tools={"afiles": "a"}, requires=[requirement])

    discovery = discover(make_settings())

    assert ("afiles" in {p.name for p in discovery.found}) is loads
    if not loads:
        said = problem(discovery, "afiles")
        assert said.message.startswith("plugin 'afiles' (acme-files 1.0) is not loaded")
        assert "and pegboard 0." in said.message
        assert "Upgrade acme-files" in said.remedy


@pytest.mark.parametrize(
    ("name", "said"),
    [("code", "kept for tools passed in code"), ("a:b", "letters"), ("a b", "letters")],
)
def test_a_name_that_cannot_be_a_plugins_is_refused(site, name, said):
    """D5: an identity is `plugin:tool`, so a name can hold no colon."""
    site.install("acme-files", tools={name: "a"})

    discovery = discover(make_settings())

    assert said in problem(discovery, name).message
    assert name not in {p.name for p in discovery.found}


def test_a_broken_distribution_hides_no_other(site):
    """W149: what cannot be read is named; everything else is found."""
    broken = site.install("acme-broken", tools={"abroken": "a"})
    (broken / "METADATA").unlink()
    odd = site.install("acme-odd", plugins={"aodd": "a"})
    (odd / "entry_points.txt").write_text("[pegboard.plugins]\nno equals sign\n")
    site.install("acme-files", tools={"afiles": "a"})

    discovery = discover(make_settings())

    assert "afiles" in {p.name for p in discovery.found}
    assert "cannot be read" in problem(discovery, "acme_broken").message
    assert "cannot be read" in problem(discovery, "acme_odd").message
    assert set(discovery.unfit) == {"acme_odd"}


def test_other_groups_of_a_distribution_are_not_ours(site):
    """D1: a pack may bring commands and what not besides."""
    metadata = site.install("acme-files", tools={"afiles": "a"})
    points = metadata / "entry_points.txt"
    points.write_text(points.read_text() + "[console_scripts]\nacommand = a\n")

    assert "acommand" not in found()


def test_a_strangers_broken_entry_points_are_not_ours(site):
    """W149: a file that is no text says nothing about plugins."""
    other = site.install("stranger")
    (other / "entry_points.txt").write_bytes(b"\xff\xfe[x]")
    site.install("acme-files", tools={"afiles": "a"})

    assert "afiles" in found()


def test_a_disabled_plugin_is_listed_and_not_loaded(site):
    """D6: `disable` takes plugin globs."""
    site.install("acme-files", tools={"afiles": "a"})
    site.install("acme-audit", plugins={"aaudit": "a"})

    discovery = discover(make_settings({"disable": ["a*"]}))

    assert not {"afiles", "aaudit"} & {p.name for p in discovery.found}
    assert {"afiles", "aaudit"} <= {p.name for p in discovery.disabled}
    assert discovery.unfit == {}


def test_a_tool_in_enable_keeps_the_packs_that_may_have_it(site):
    """D5: a bare name that no plugin has means tools of whatever pack."""
    site.install("acme-files", tools={"afiles": "a"})
    site.install("acme-audit", plugins={"aaudit": "a"})

    by_tool = found(make_settings({"enable": ["read_file"]}))
    by_plugin = found(make_settings({"enable": ["aaudit"]}))

    assert "afiles" in by_tool
    assert "aaudit" not in by_tool
    assert "afiles" not in by_plugin
    assert "aaudit" in by_plugin


def test_no_plugins_leaves_the_required_ones(site, tmp_path, monkeypatch):
    """D6: PEGBOARD_NO_PLUGINS=1 starts with none but what is required."""
    site.install("acme-files", tools={"afiles": "a"})
    site.install("acme-audit", plugins={"aaudit": "a"})
    monkeypatch.setenv("PEGBOARD_NO_PLUGINS", "1")
    required = {"required": ["aaudit"]}

    without = found(load_settings(None))
    with_required = found(load_settings(None, overrides=required))

    assert without == {}
    assert set(with_required) == {"aaudit"}


def test_no_plugins_can_be_switched_off_again(site, monkeypatch):
    """D6: the variable set to 0 or nothing is as good as not set."""
    site.install("acme-files", tools={"afiles": "a"})
    monkeypatch.setenv("PEGBOARD_NO_PLUGINS", "0")

    assert "afiles" in found(load_settings(None))


def test_disabling_for_one_run_does_not_touch_required_plugins(site, monkeypatch):
    """D6: PEGBOARD_DISABLE takes away what is not required."""
    site.install("acme-files", tools={"afiles": "a"})
    site.install("acme-audit", plugins={"aaudit": "a"})
    monkeypatch.setenv("PEGBOARD_DISABLE", "aaudit,afiles")

    plugins = found(load_settings(None, overrides={"required": ["aaudit"]}))

    assert "aaudit" in plugins
    assert "afiles" not in plugins


def test_a_required_plugin_that_is_not_installed_is_a_problem(site):
    """D4: what is required and missing lets no call be made."""
    discovery = discover(make_settings({"required": ["aaudit"]}))

    assert "no distribution brings it" in discovery.unfit["aaudit"].message
