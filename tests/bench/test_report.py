"""What the bench says of numbers; the numbers themselves are not tested."""

import importlib
import json
from pathlib import Path

import pytest

ROUND = {"calibration": 3.0, "bare": 0.2, "us": 5.0}


def test_a_ratio_is_taken_within_a_repeat():
    """A machine that halves its speed for one repeat does not move a ratio."""
    samples = importlib.import_module("samples")
    slow = {name: 2 * value for name, value in ROUND.items()}

    assert samples.ratio([ROUND, slow, ROUND]) == pytest.approx(25)


@pytest.mark.parametrize(
    ("bound", "value", "at_least", "met"),
    [
        (25, 25.0, False, True),
        (25, 25.1, False, False),
        (25, None, False, False),
        (150_000, 149_000, True, False),
        (150_000, 151_000, True, True),
    ],
)
def test_a_target_is_met_at_its_bound_and_not_beyond(bound, value, at_least, met):
    """A bound holds up to the bound itself; what was not measured is not met."""
    targets = importlib.import_module("targets")
    target = targets.Target("a call", "x bare", bound, value, at_least)

    assert target.is_met() is met


def test_a_margin_forgives_in_both_directions():
    """Within a factor a ceiling may be passed, and a floor be missed."""
    targets = importlib.import_module("targets")

    assert targets.Target("a call", "x", 10, 14.9).is_met(1.5)
    assert not targets.Target("a call", "x", 10, 15.1).is_met(1.5)
    assert targets.Target("calls", "a second", 15, 10.1, at_least=True).is_met(1.5)
    assert not targets.Target("calls", "a second", 15, 9.9, at_least=True).is_met(1.5)


def test_a_part_that_was_not_measured_says_so():
    """Without numbers every target is listed, and none has a value."""
    targets = importlib.import_module("targets")
    text = targets.render({})

    assert text.startswith("0 of 0 are met.")
    assert text.count("not measured") == len(targets.judge({})) > 20


def test_only_what_stands_between_markers_is_written():
    """A page keeps its own words, and each place gets its text once."""
    page = importlib.import_module("page")
    before = "# Title\n<!-- bench: calls -->\nold\n<!-- bench: end -->\nlast words\n"
    once = page.fill(before, {"calls": r"new \1 text"})

    assert once == page.fill(once, {"calls": r"new \1 text"})
    assert once.startswith("# Title\n")
    assert once.endswith("\nlast words\n")
    assert r"new \1 text" in once
    assert "old" not in once


def test_the_page_has_a_place_for_everything():
    """docs/benchmarks.md has a marked place for each part of the bench."""
    page = importlib.import_module("page")
    text = page.PAGE.read_text(encoding="utf-8")

    for name in ("targets", "surroundings", *page.PARTS):
        assert text.count(f"<!-- bench: {name} -->") == 1


def test_instructions_are_compared_with_a_tolerance(tmp_path: Path):
    """Counts within 2 % of the kept ones are the same; beyond they are named."""
    instructions = importlib.import_module("instructions")
    kept = tmp_path / "kept.json"
    instructions.keep(
        {"bare A": 1_000, "A": 50_000, "B": 90_000}, {"python": "3"}, kept
    )
    counts = {"bare A": 1_010, "A": 52_000, "B": 80_000, "C": 1}
    rows = instructions.compare(counts, {"python": "3"}, kept).splitlines()

    assert "| same |" in rows[2]
    assert "+4.0% **more**" in rows[3]
    assert "-11.1% less" in rows[4]
    assert "| new |" in rows[5]


def test_counts_of_another_build_are_not_taken_for_a_change(tmp_path: Path):
    """Where the interpreter differs from the kept counts', the report says so."""
    instructions = importlib.import_module("instructions")
    kept = tmp_path / "kept.json"
    instructions.keep({"bare A": 1_000}, {"python": "3.11.7"}, kept)

    assert "another build" in instructions.compare({"bare A": 1}, {"python": "4"}, kept)


def test_a_generated_wheel_lists_all_its_files(tmp_path: Path):
    """Packs are wheels as pip wants them: each file is in RECORD with its hash."""
    wheels = importlib.import_module("wheels")
    zipfile = importlib.import_module("zipfile")
    wheel = wheels.write_pack(tmp_path, "pegboard", 7, heavy=True)

    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        record = archive.read("pegboard_pack_7-1.0.dist-info/RECORD").decode()
    assert {line.partition(",")[0] for line in record.splitlines()} == names
    assert {"pegboard_pack_7.py", "pegboard_pack_7_library.py"} < names


def test_every_peer_has_a_driver_and_a_word_on_each_way():
    """peers.toml names for each peer what to install, a program, and its ways."""
    projects = importlib.import_module("projects")
    peers = projects.read_peers()

    assert len(peers) >= 11
    for name, table in peers.items():
        driver = projects.HERE / "drivers" / f"{name.replace('-', '_')}.py"
        assert driver.is_file()
        assert all(note for note in table["paths"].values())
        compile(table["cold"], name, "exec")
        assert json.dumps(table["requires"]).count("==") == len(table["requires"])
