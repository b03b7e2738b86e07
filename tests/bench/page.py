"""docs/benchmarks.md: the parts between its markers are written by the bench."""

import re
from pathlib import Path

import batch
import calls
import cold
import packs
import scale
import targets
from bench import Data
from projects import ROOT
from samples import table

PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = {"calls": calls, "batch": batch, "cold": cold, "packs": packs, "scale": scale}


def sections(numbers: dict[str, Data]) -> dict[str, str]:
    """Return the text of each marked place, by its name."""
    found = {name: PARTS[name].render(data) for name, data in numbers.items() if data}
    return {
        "targets": targets.render(numbers),
        "surroundings": surroundings(numbers),
        **found,
    }


def surroundings(numbers: dict[str, Data]) -> str:
    """Return on what, when, and with which versions it was measured."""
    taken: dict[str, list[str]] = {}
    versions: dict[str, dict[str, str]] = {}
    missing: dict[str, str] = {}
    for name, data in numbers.items():
        if data:
            taken.setdefault(f"{data['taken']}, {data['machine']}", []).append(name)
            versions |= data.get("versions", {})
            missing |= data["missing"]
    lines = [f"- {', '.join(names)}: {when}" for when, names in taken.items()]
    rows = [
        [project, ", ".join(f"{name} {number}" for name, number in found.items())]
        for project, found in versions.items()
    ]
    rows += [[project, f"not measured: {why}"] for project, why in missing.items()]
    return "\n".join(lines) + "\n\n" + table(["project", "versions"], rows)


def fill(page: str, texts: dict[str, str]) -> str:
    """Return a page with texts between its markers; the rest stays as it is.

    Raises:
        KeyError: the page has no such marker.
    """
    for name, text in texts.items():
        begin, end = f"<!-- bench: {name} -->", "<!-- bench: end -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(page):
            raise KeyError(name)
        before, after = pattern.split(page, maxsplit=1)
        page = f"{before}{begin}\n\n{text}\n\n{end}{after}"
    return page


def write(numbers: dict[str, Data], path: Path = PAGE) -> None:
    """Write what is known into the page."""
    page = path.read_text(encoding="utf-8")
    path.write_text(fill(page, sections(numbers)), encoding="utf-8")


def show(numbers: dict[str, Data]) -> None:
    """Print what is known."""
    for name, text in sections(numbers).items():
        print(f"\n## {name}\n\n{text}")
