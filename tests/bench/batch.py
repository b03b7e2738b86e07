"""Batches: 1,000 quick calls, 200 that wait, 64 that block."""

from statistics import median
from typing import Any

from bench import Bench, Data
from samples import keep, table

#: Name -> tool and how many calls.
BATCHES = {"quick": ("A", 1_000), "naps": ("nap", 200), "blocking": ("block", 64)}
SLOW = 1.0  # seconds of a batch that is not measured more than three times


def measure(bench: Bench) -> Data:
    """Measure every path by turns."""
    data: Data = {"samples": {}, "paths": {}, "versions": {}}
    with bench.team(bench.everybody) as team:
        for name, remote in team.items():
            data["versions"][name] = remote.about["versions"]
            data["paths"][name] = remote.about["paths"]
        names = list(team)
        for turn, order in bench.turns(len(names)):
            bench.say(f"batches: round {turn + 1} of {bench.rounds}")
            for name in (names[place] for place in order):
                _measure(data, team[name])
    return data


def _measure(data: Data, remote: Any) -> None:
    for path in remote.about["paths"]:
        for kind, (task, count) in BATCHES.items():
            place = (remote.project.name, path, kind)
            known = _at(data["samples"], *place)
            if len(known) >= 3 and median(s["seconds"] for s in known) > SLOW:
                continue
            sample = remote.ask("batch", path=path, task=task, count=count)
            keep(data["samples"], *place, value=sample)


def _at(tree: Any, *place: str) -> Any:
    for key in place:
        tree = tree.get(key, {})
    return tree or []


def seconds(data: Data, project: str, path: str, kind: str) -> float | None:
    """Return what a batch took, None if it was not measured."""
    samples = _at(data.get("samples", {}), project, path, kind)
    return median(s["seconds"] for s in samples) if samples else None


def render(data: Data) -> str:
    """Return the table."""
    rows = []
    for project, paths in data["samples"].items():
        for path, kinds in paths.items():
            taken = {k: median(s["seconds"] for s in v) for k, v in kinds.items()}
            marks = {k: " (of 3)" if len(v) == 3 else "" for k, v in kinds.items()}
            own = data["paths"][project][path]["own_batch"]
            rows.append(
                [
                    f"{project}: {path}",
                    "own batch" if own else "gather",
                    f"{1_000 / taken['quick']:,.0f}{marks['quick']}",
                    f"{taken['naps']:.3f}{marks['naps']}",
                    f"{taken['blocking']:.3f}{marks['blocking']}",
                ]
            )
    header = ["path", "how", "1,000 calls: a second", "200 naps, s", "64 blocking, s"]
    return table(header, rows)
