"""What a board makes of the cache and of what is installed."""

import sys

import pytest

from pegboard import Pegboard


@pytest.fixture
def survey(site):
    """Makes a board of the site's plugins, as a new process does."""

    def make():
        site.forget()
        site.age()
        return Pegboard.survey(None, settings={"enable": ["acme_*"]})

    return make


def test_no_cache_chooses_what_is_imported(site, survey, cached):
    """D2: what runs is what entry points name, whatever the cache says of them."""
    source = (
        "import pegboard\n\n"
        "@pegboard.tool\ndef one() -> str:\n    return 'one'\n\n"
        "thing = one\n"
    )
    site.install("acme-a", tools={"acme_a": "acme_a:thing"}, modules={"acme_a": source})
    site.write("acme_evil", "raise SystemExit('imported by mistake')")
    survey()
    survey()
    index = cached("index")
    index.write_text(index.read_text().replace("acme_a:thing", "acme_evil:thing"))

    with survey() as board:
        result = board.call_sync("one", {})

    assert "acme_evil" not in sys.modules
    assert (result.status, result.text) == ("success", "one")


def test_a_board_names_the_plugin_that_settings_misspell(site):
    """W233: a table for a plugin that is not there is a problem of the board."""
    site.install(
        "acme-a", tools={"acme_audit": "acme_a:t"}, modules={"acme_a": "t = []"}
    )

    board = Pegboard.survey(None, settings={"plugins": {"acme_aduit": {"level": 1}}})

    (problem,) = [p for p in board.problems if p.plugin == "acme_aduit"]
    assert problem.remedy == "Did you mean 'acme_audit'?"


def test_no_cache_hides_a_policy(site, survey, cached):
    """D2: a guard that the cache knows nothing of guards all the same."""
    source = (
        "import pegboard\n\n"
        "@pegboard.tool\ndef one() -> str:\n    return 'one'\n\n"
        "class Guard:\n"
        "    @pegboard.hookimpl\n"
        "    def before_tool_call(self, call):\n"
        "        return pegboard.Block('no')\n"
    )
    site.install(
        "acme-a",
        tools={"acme_a": "acme_a:one"},
        plugins={"acme_guard": "acme_a:Guard"},
        modules={"acme_a": source},
    )
    survey()
    survey()
    index = cached("index")
    index.write_text(index.read_text().replace("acme_guard", "acme_other"))

    with survey() as board:
        result = board.call_sync("one", {})

    assert (result.status, result.text) == ("blocked", "no")
