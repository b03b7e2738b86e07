"""What is shown follows what is installed, whatever changes and whoever watches."""

from __future__ import annotations

import subprocess
import zipfile

import pytest

from .wheels import Wheel, greeter, pack, policy


def test_an_upgrade_and_a_downgrade_show_at_once(machine):
    """D3: each installation is seen by the next command, in both directions."""
    seen = []
    for version in ("1.0", "2.0", "1.0"):
        machine.install(greeter("alpha", version=version))
        [tool] = machine.json("list")
        seen.append((tool["version"], tool["description"]))

    assert seen == [
        ("1.0", "Greet from alpha 1.0."),
        ("2.0", "Greet from alpha 2.0."),
        ("1.0", "Greet from alpha 1.0."),
    ]


def test_only_what_changed_is_imported_again(machine):
    """D3: an installation among many costs the import of that one."""
    machine.install(*(pack(n) for n in range(10)))
    machine.names()
    machine.install(pack(3, version="1.1"))

    with machine.imports() as seen:
        machine.names()

    assert seen == ["packs_003"]


def test_an_uninstalled_pack_is_gone_at_once(machine):
    """D3: what pip removed is not shown and not called."""
    machine.install(greeter("alpha"), pack(1))
    machine.names()
    machine.uninstall("alpha")

    assert machine.names() == ["first_1", "second_1"]
    assert machine.call("greet", status=1)["code"] == "unknown_tool"


def test_a_library_that_packs_share_counts(machine):
    """D3: an upgraded dependency shows in the tools that are made of it."""
    source = """
        import shared_words
        from pegboard import tool
        tools = [tool(lambda: 1, name="word", description=shared_words.WORD)]
    """
    user = Wheel("user", source, tools={"user": "tools"}, requires=["shared-words"])
    machine.install(user, Wheel("shared-words", "WORD = 'old'"))
    assert machine.json("list")[0]["description"] == "old"

    machine.install(Wheel("shared-words", "WORD = 'new'", version="2.0"))

    assert machine.json("list")[0]["description"] == "new"


def test_an_editable_pack_shows_what_its_file_says(machine, tmp_path):
    """D3: an edit of an editable installation needs no new installation."""
    folder = tmp_path / "edited"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\n'
        'backend-path = ["."]\n[project]\nname = "edited"\nversion = "1.0"\n'
        '[project.entry-points."pegboard.tools"]\nedited = "edited:greet"\n'
    )
    source = "from pegboard import tool\n@tool\ndef greet() -> str:\n    '''{}'''\n"
    (folder / "edited.py").write_text(source.format("Before."))
    _install_editable(machine, folder)
    assert machine.json("list")[0]["description"] == "Before."

    (folder / "edited.py").write_text(source.format("After an edit."))

    assert machine.json("list")[0]["description"] == "After an edit."


def _install_editable(machine, folder):
    """Install a folder as pip does with -e, without a build backend to download."""
    wheel = Wheel("edited", tools={"edited": "greet"}).write(folder)
    slim = folder / "slim.whl"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(slim, "w") as new:
        for name in old.namelist():
            if ".dist-info/" in name and not name.endswith("RECORD"):
                new.writestr(name, old.read(name))
        new.writestr("edited.pth", str(folder))
        new.writestr("edited-1.0.dist-info/RECORD", "edited.pth,,\n")
    slim.rename(wheel)
    machine.environment.pip("install", "--no-index", "--no-deps", str(wheel))
    machine.keep_track_of("edited")
    info = next(machine.environment.folder.rglob("edited-1.0.dist-info"))
    (info / "direct_url.json").write_text(
        f'{{"url": "{folder.as_uri()}", "dir_info": {{"editable": true}}}}'
    )


def test_packs_on_a_path_of_their_own(machine, tmp_path):
    """D3: PYTHONPATH brings packs and takes them away, one command to the next."""
    machine.install(greeter("alpha"))
    site = tmp_path / "site"
    site.mkdir()
    with zipfile.ZipFile(pack(7).write(tmp_path)) as archive:
        archive.extractall(site)

    assert machine.names() == ["greet"]
    assert machine.names(PYTHONPATH=str(site)) == ["first_7", "greet", "second_7"]
    assert machine.names() == ["greet"]


def test_a_pack_in_a_zip_file_works(machine, tmp_path):
    """D3: what Python can import from a zip is found, shown and called."""
    archive = pack(7).write(tmp_path)

    assert machine.names(PYTHONPATH=str(archive)) == ["first_7", "second_7"]
    assert machine.call("first_7", "a=1", PYTHONPATH=str(archive))["data"] == 8


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', "\x00\xff" * 50])
def test_a_spoilt_cache_is_made_anew(machine, text):
    """D3: a file of the cache that is not ours to read costs one import, no more."""
    machine.install(greeter("alpha"))
    names = machine.names()
    files = [path for path in (machine.home / "cache").rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_text(text, encoding="utf-8")

    assert machine.names() == names
    with machine.imports() as seen:
        assert machine.names() == names
    assert seen == []


def test_a_cache_cannot_switch_a_policy_off(machine):
    """D2: what the cache says is shown; what runs is what is installed."""
    machine.install(greeter("alpha"))
    machine.names()
    copies = {
        path: path.read_bytes()
        for path in (machine.home / "cache").rglob("*")
        if path.is_file()
    }
    machine.install(policy("guard", "return Block('no')"))
    assert machine.call("greet", status=1)["by"] == "guard"
    for path, content in copies.items():
        path.write_bytes(content)

    assert machine.call("greet", status=1)["by"] == "guard"


def test_a_home_that_cannot_be_written_is_no_obstacle(machine):
    """D3: without a cache everything works, with an import a process."""
    machine.install(greeter("alpha"))
    nowhere = machine.home / "file"
    nowhere.write_text("")
    cache = str(nowhere / "cache")

    assert machine.names(PEGBOARD_CACHE_DIR=cache) == ["greet"]
    assert machine.call("greet", PEGBOARD_CACHE_DIR=cache)["status"] == "success"


def test_processes_side_by_side_agree(machine):
    """D3: many first looks at once all see the same, and leave a cache that holds."""
    machine.install(*(pack(n) for n in range(20)))
    started = [
        subprocess.Popen(
            machine.command("list"),
            cwd=machine.project,
            env=machine.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]

    outputs = {process.communicate() for process in started}

    assert len(outputs) == 1
    assert {process.returncode for process in started} == {0}
    with machine.imports() as seen:
        machine.names()
    assert seen == []


def test_settings_of_a_plugin_have_records_of_their_own(machine):
    """D3: a tool that settings add is shown under those settings only."""
    source = """
        from dataclasses import dataclass
        from pegboard import hookimpl, tool

        @dataclass
        class Settings:
            more: bool = False

        @hookimpl
        def register_tools(settings):
            names = ["one", "two"] if settings.more else ["one"]
            return [tool(lambda: 1, name=n, description="Count.") for n in names]
    """
    machine.install(Wheel("counting", source, tools={"counting": ""}))

    seen = []
    for text in ("", "[plugins.counting]\nmore = true\n", ""):
        machine.configure(text)
        seen.append(machine.names())

    assert seen == [["one"], ["one", "two"], ["one"]]


@pytest.mark.parametrize("module", ["pluggy", "typing", "importlib_metadata", "click"])
def test_the_working_folder_is_no_place_for_modules(machine, module):
    """D8: a file beside the user does not pass for a library, or for Python's own."""
    (machine.project / f"{module}.py").write_text("raise SystemExit('captured')\n")

    for options in (["-m", "pegboard"], ["-mpegboard"]):
        done = subprocess.run(
            [machine.environment.python, *options, "list"],
            cwd=machine.project,
            env=machine.variables(),
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
