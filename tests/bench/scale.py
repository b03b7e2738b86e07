"""Many tools and long batches: what grows, and what does not."""

import json
from statistics import median
from typing import Any

from bench import Bench, Data
from programs import Programs
from projects import HERE, Project
from remote import Remote, RemoteError
from samples import keep, middle, number, table

TOOLS = 10_000
MORE = 1_000  # tools beside the five that a peer's call is measured with
PEER_ROUNDS = 1  # of registering 10,000 tools with a peer: some take half a minute


def measure(bench: Bench) -> Data:
    """Measure Pegboard alone, then everybody."""
    bench.say("scale: Pegboard with many tools, and with long batches")
    data: Data = {"tools": [], "peers": {}, "wide": {}}
    runner = Programs()
    script = [bench.own.python, HERE / "growth.py"]
    for _ in range(bench.rounds):
        printed = runner.run([*script, "tools", str(TOOLS)])
        data["tools"].append(json.loads(printed))
    data["calls"] = json.loads(runner.run([*script, "calls", str(bench.rounds)]))
    runner.close()
    for project in bench.everybody:
        bench.say(f"scale: {project.name}")
        try:
            _register(data, project)
            _widen(data, project, bench)
        except RemoteError as error:
            bench.missing[project.name] = str(error)
            bench.say(f"left out: {error}")
    return data


def _register(data: Data, project: Project) -> None:
    for _ in range(PEER_ROUNDS):
        with Remote(project) as remote:
            sample = remote.ask("register", count=TOOLS)
        keep(data["peers"], project.name, value=sample)


def _widen(data: Data, project: Project, bench: Bench) -> None:
    """Measure a call among 5 tools and among 1,005, by turns."""
    with Remote(project) as few, Remote(project, more=MORE) as many:
        paths = few.describe()["paths"]
        singles = [path for path in paths if paths[path]["single"]]
        for _ in range(bench.rounds):
            for path in singles:
                options = {"path": path, "task": "A", "seconds": bench.seconds / 2}
                sample = {
                    "few": few.ask("calls", **options),
                    "many": many.ask("calls", **options),
                }
                keep(data["wide"], project.name, path, value=sample)


def own(data: Data, name: str) -> float | None:
    """Return a figure of 10,000 tools of Pegboard, None if it was not measured."""
    samples = data.get("tools")
    return median(sample[name] for sample in samples) if samples else None


def growth(data: Data) -> float | None:
    """Return how many times a call costs more among 10,000 tools than among 10."""
    if not data:
        return None
    return middle(data["calls"]["samples"], lambda s: s["many"] / s["few"])


def batch_costs(data: Data) -> dict[int, float]:
    """Return microseconds a call, by the size of the batch."""
    calls: Any = data.get("calls", {"sizes": [], "samples": []})
    return {
        size: median(sample["batches"][place] for sample in calls["samples"])
        for place, size in enumerate(calls["sizes"])
    }


def cycles(data: Data) -> int | None:
    """Return the most objects that 1,000 calls left to the collector."""
    return max(data["calls"]["cycles"].values()) if data else None


def render(data: Data) -> str:
    """Return the tables."""
    return "\n\n".join(
        [
            "10,000 functions, each a tool of its own:",
            _registered(data),
            f"A call of tool A among 5 tools, and with {MORE:,} more registered:",
            _widened(data),
            _growth(data),
        ]
    )


def _registered(data: Data) -> str:
    rows = []
    for project, samples in data["peers"].items():
        row = [project]
        for name in ("register", "export"):
            row.append(number(median(sample[name] for sample in samples)))
        for name in ("bytes", "bytes_exported"):
            row.append(number(median(s[name] for s in samples) / 1024))
        rows.append((float(row[1].replace(",", "")), row))
    header = ["project", "register, s", "first export, s"]
    header += ["KiB a tool", "KiB after export"]
    return table(header, [row for _, row in sorted(rows)])


def _widened(data: Data) -> str:
    rows = []
    for project, paths in data["wide"].items():
        for path, samples in paths.items():
            cost = {
                kind: middle([s[kind] for s in samples], lambda s: s["us"])
                for kind in ("few", "many")
            }
            change = median(
                (s["many"]["us"] / s["many"]["bare"])
                / (s["few"]["us"] / s["few"]["bare"])
                for s in samples
            )
            row = [f"{project}: {path}", number(cost["few"]), number(cost["many"])]
            rows.append([*row, f"{change:.2f}"])
    return table(["path", "5 tools, us", "1,005 tools, us", "ratio"], rows)


def _growth(data: Data) -> str:
    costs = batch_costs(data)
    sizes = ", ".join(f"{size:,}: {number(cost)}" for size, cost in costs.items())
    left = ", ".join(f"{n} ({k})" for k, n in data["calls"]["cycles"].items())
    return (
        f"Pegboard alone: among 10,000 tools a call costs {growth(data):.2f} times what"
        f" it costs among 10. Microseconds a call in a batch of {sizes}. Objects that"
        f" 1,000 calls leave to the garbage collector: {left}."
    )
