"""Many healthy packs: everything is shown, nothing is imported for it."""

from __future__ import annotations

import pytest

from .wheels import pack


def test_an_empty_machine_says_how_to_begin(machine):
    """Without a pack, `list` succeeds and shows the first step."""
    listed = machine.run("list")

    assert listed.returncode == 0
    assert "pip install pegboard-files" in listed.stdout
    assert machine.names() == []
    assert machine.problems(status=0) == []


@pytest.mark.parametrize("count", [10, 50, 200])
def test_packs_are_shown_without_an_import(machine, count):
    """D2: the first look imports each pack once; later looks import none."""
    machine.install(*(pack(n, heavy=n % 10 == 0) for n in range(count)))

    with machine.imports() as first:
        names = machine.names()
    with machine.imports() as later:
        again = machine.names()
        shown = machine.run("show", "first_3")
        plugins = machine.json("plugins")
        problems = machine.problems(status=0)
        config = machine.run("config")

    assert len(names) == 2 * count
    assert again == names
    assert sorted(first) == [f"packs_{n:03}" for n in range(count)]
    assert later == []
    assert "packs-003 1.0" in shown.stdout
    assert len(plugins) == count
    assert {plugin["state"] for plugin in plugins} == {"enabled"}
    assert problems == []
    assert config.returncode == 0


def test_a_call_imports_the_pack_it_needs(machine):
    """D2: a pack is imported when one of its tools is first called, and no other."""
    machine.install(*(pack(n) for n in range(10)))
    machine.names()

    with machine.imports() as called:
        result = machine.call("first_7", "a=5")

    assert result["data"] == 12
    assert called == ["packs_007"]


def test_help_and_version_import_nothing(machine):
    """D6: what needs no plugin looks at none."""
    machine.install(pack(1))

    with machine.imports() as seen:
        for arguments in (["--help"], ["--version"], ["list", "--help"], ["config"]):
            assert machine.run(*arguments).returncode == 0

    assert seen == []


def test_an_embedding_program_imports_no_pack_to_offer_tools(machine):
    """D2: `board.definitions()` of a program is as lazy as the command line."""
    machine.install(*(pack(n) for n in range(5)))
    code = (
        "from pegboard import Pegboard; print(len(Pegboard.discover().definitions()))"
    )
    machine.python(code)

    with machine.imports() as seen:
        printed = machine.python(code)

    assert (printed, seen) == ("10\n", [])


def test_listings_are_the_same_bytes_on_every_machine(machine):
    """V10: neither order of installation nor hash seed changes the listing."""
    machine.install(*(pack(n) for n in range(5)))
    first = machine.run("list", PYTHONHASHSEED="1").stdout
    machine.uninstall()
    machine.install(*(pack(n) for n in reversed(range(5))))
    machine.forget()

    second = machine.run("list", PYTHONHASHSEED="2").stdout

    assert second == first
    assert "listing " in first
