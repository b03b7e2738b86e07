"""`pegboard list` in a pipe: answered from what was kept, while it still holds."""

import json
import os

import pytest

PACK = """
    import pegboard

    @pegboard.tool(read_only=True)
    def {name}() -> str:
        '''Say {name}.'''
        return "{name}"

    tools = [{name}]
"""


@pytest.fixture
def kept(site, process, tmp_path, project):
    """Installs a pack, lists it until the listing is kept, and lists it again."""

    def install(name):
        module = f"acme_{name}"
        site.install(PACK.format(name=name), name=module, value=f"{module}:tools")
        age()

    def age():
        past = 1_700_000_000 + len(site.modules)
        for folder in (site.folder, project, *site.folder.iterdir()):
            os.utime(folder, (past, past))

    def listing(**env):
        return process("list", **env).stdout.decode()

    install("one")
    for _ in range(3):
        first = listing()
        age()
    assert list((tmp_path / "home/cache/listings").glob("*.json"))
    assert "Say one." in first
    listing.install, listing.age, listing.first = install, age, first
    return listing


def test_what_is_kept_is_what_was_written(kept, tmp_path):
    """D2: the same bytes; and nothing else is read to write them."""
    (path,) = (tmp_path / "home/cache/listings").glob("*.json")
    said = json.loads(path.read_text())["text"]
    marked = path.read_text().replace("Say one.", "Say 1!!!")
    path.write_text(marked)

    assert said == kept.first
    assert "Say 1!!!" in kept()


def test_an_installation_is_seen(kept):
    """D3: another distribution on the path is listed at once."""
    kept.install("two")

    assert "Say two." in kept()


@pytest.mark.parametrize("name", ["pegboard.toml", "pyproject.toml"])
def test_settings_that_appear_or_change_are_seen(kept, project, name):
    """D2: a settings file made or edited after the listing decides over it."""
    header = "[tool.pegboard]\n" if name == "pyproject.toml" else ""
    (project / name).write_text(f'{header}disable = ["one"]\n')
    without = kept()
    (project / name).write_text(f"{header}disable = []\n")

    assert "Say one." not in without
    assert kept() == kept.first


def test_a_variable_is_seen(kept):
    """D6: what holds for one run decides over that run, and over no other."""
    assert "Say one." not in kept(PEGBOARD_DISABLE="one")
    assert kept() == kept.first


def test_an_organisations_or_users_file_is_seen(kept, tmp_path):
    """D2: a file outside the project counts as much as one inside."""
    user = tmp_path / "home/config/pegboard/pegboard.toml"
    user.parent.mkdir(parents=True)
    user.write_text('disable = ["one"]\n')

    assert "Say one." not in kept()


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"made_of": 3}', "\xff"])
def test_a_file_that_is_broken_is_made_anew(kept, tmp_path, content):
    """D3: whatever stands in the cache, the listing is right."""
    (path,) = (tmp_path / "home/cache/listings").glob("*.json")
    path.write_text(content)

    assert kept() == kept.first


def test_problems_are_told_every_time(kept, site, process):
    """D4: a listing with a broken pack beside it is not kept."""
    site.install("raise ValueError('boom')", name="acme_bad")
    for _ in range(3):
        kept.age()
        done = process("list")

    assert "Say one." in done.stdout.decode()
    assert "1 problem" in done.stderr.decode()


def test_a_listing_of_nothing_is_kept_as_well(kept, tmp_path):
    """D2: whoever has no tools yet waits no longer for being told so."""
    for _ in range(3):
        said = kept(PEGBOARD_DISABLE="one")
        kept.age()
    (path,) = (tmp_path / "home/cache/listings").glob("*.json")

    assert "No tools are offered" in said
    assert json.loads(path.read_text())["text"] == said
    assert kept() == kept.first
