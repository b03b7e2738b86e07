"""Single calls: what one costs, and what becomes of a model's mistakes."""

from statistics import median
from typing import Any

from bench import Bench, Data
from projects import OWN, PEGBOARD, read_peers
from samples import keep, middle, number, ratio, table, times
from tasks import MISTAKES, TASKS


def measure(bench: Bench) -> Data:
    """Measure every path by turns."""
    data: Data = {"samples": {}, "mistakes": {}, "versions": {}, "paths": {}}
    with bench.team(bench.everybody) as team:
        for name, remote in team.items():
            data["versions"][name] = remote.about["versions"]
            data["paths"][name] = remote.about["paths"]
            for path in _paths(remote):
                found = remote.ask("mistakes", path=path)
                data["mistakes"].setdefault(name, {})[path] = found
        names = list(team)
        for turn, order in bench.turns(len(names)):
            bench.say(f"calls: round {turn + 1} of {bench.rounds}")
            for name in (names[place] for place in order):
                for path in _paths(team[name]):
                    for task in TASKS:
                        sample = team[name].ask(
                            "calls", path=path, task=task, seconds=bench.seconds
                        )
                        keep(data["samples"], name, path, task, value=sample)
    return data


def _paths(remote: Any) -> list[str]:
    found = remote.about["paths"]
    return [path for path in found if found[path]["single"]]


def lacks(project: str, path: str) -> str:
    """Return what a path does not do, or how it is special."""
    table = OWN if project == PEGBOARD else read_peers()[project]
    return str(table["paths"].get(path, ""))


def against_bare(data: Data, project: str, path: str, task: str) -> float | None:
    """Return how many bare calls one call takes, None if it was not measured."""
    samples = data.get("samples", {}).get(project, {}).get(path, {}).get(task)
    return ratio(samples) if samples else None


def render(data: Data) -> str:
    """Return the tables."""
    calibrations = [
        sample["calibration"]
        for paths in data["samples"].values()
        for tasks in paths.values()
        for samples in tasks.values()
        for sample in samples
    ]
    low, high = min(calibrations), max(calibrations)
    return "\n\n".join(
        [
            _costs(data),
            "What a way does not do for its time, or how it is special:",
            _lacks(data),
            f"The fixed loop took {median(calibrations):.1f} ms (from {low:.1f} to"
            f" {high:.1f}); the more it varies, the busier the machine was.",
            "What becomes of a model's mistakes: the tool *ran* with what was sent, the"
            " call *raises*, or an error is its *result*, for the model to read:",
            _mistakes(data),
        ]
    )


def _costs(data: Data) -> str:
    rows = []
    own = data["samples"][PEGBOARD]["board"]
    for project, paths in data["samples"].items():
        for path, tasks in paths.items():
            row = [f"{project}: {path}"]
            for task in ("A", "B"):
                row.append(number(middle(tasks[task], lambda s: s["us"])))
                row.append(times(ratio(tasks[task])))
            row.append(times(ratio(tasks["A"]) / ratio(own["A"])))
            row += [
                number(middle(tasks[t], lambda s: s["us"])) for t in list(tasks)[2:]
            ]
            rows.append((project != PEGBOARD, ratio(tasks["A"]), row))
    rows.sort(key=lambda each: each[0] and each[1])
    header = ["path", "A, us", "over bare", "B, us", "over bare"]
    header += ["A, over Pegboard's", "refused, us", "raised, us"]
    return table(header, [row for *_, row in rows])


def _lacks(data: Data) -> str:
    return "\n".join(
        f"- *{project}: {path}*: {said}"
        for project, paths in data["samples"].items()
        for path in paths
        if (said := lacks(project, path))
    )


def _mistakes(data: Data) -> str:
    rows = [
        [f"{project}: {path}", *(_word(found[name]) for name in MISTAKES)]
        for project, paths in data["mistakes"].items()
        for path, found in paths.items()
    ]
    short = [name.removeprefix("nested: ").removeprefix("the ") for name in MISTAKES]
    return table(["path", *short], rows)


def _word(found: str) -> str:
    return "result" if found == "error result" else found.partition(" ")[0]
