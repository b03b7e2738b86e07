"""Cold starts: import, make one tool, print its schema."""

from collections.abc import Sequence
from contextlib import closing
from statistics import median
from subprocess import CalledProcessError

from bench import Bench, Data
from programs import Programs
from projects import PEGBOARD
from samples import keep, table

FUNCTION = """
async def add(a: int, b: int) -> int:
    "Add."
    return a + b
"""
#: Programs of Pegboard's own environment.
OWN = {
    "import and @tool": f"from pegboard import tool\n@tool{FUNCTION}",
    "TypeAdapter.json_schema": (
        f"import pydantic{FUNCTION}print(pydantic.TypeAdapter(add).json_schema())"
    ),
    "import click": "import click",
}


def measure(bench: Bench) -> Data:
    """Measure every program by turns, each beside a bare python."""
    data: Data = {"samples": {}, "size": {}}
    programs = {
        (project.name, "schema"): (project.python, project.table["cold"])
        for project in bench.everybody
    }
    for name, code in OWN.items():
        programs[PEGBOARD, name] = (bench.own.python, code)
    with closing(Programs()) as runner:
        for (project, name), (python, code) in list(programs.items()):
            try:
                size = runner.peak(python, code)
            except CalledProcessError as error:
                bench.missing[project] = str(error)
                del programs[project, name]
                continue
            data["size"].setdefault(project, {})[name] = size
        keys = list(programs)
        for turn, order in bench.turns(len(keys)):
            bench.say(f"cold starts: round {turn + 1} of {bench.rounds}")
            for key in (keys[place] for place in order):
                python, code = programs[key]
                sample = {
                    "bare": runner.time([python, "-c", "pass"]),
                    "ms": runner.time([python, "-c", code]),
                }
                keep(data["samples"], *key, value=sample)
    return data


def whole(data: Data, name: str, project: str = PEGBOARD) -> float | None:
    """Return the milliseconds of a whole program, None if it was not measured."""
    samples = data.get("samples", {}).get(project, {}).get(name)
    return median(s["ms"] for s in samples) if samples else None


def over_bare(data: Data, name: str, project: str = PEGBOARD) -> float | None:
    """Return its milliseconds over a bare python."""
    samples = data.get("samples", {}).get(project, {}).get(name)
    return median(s["ms"] - s["bare"] for s in samples) if samples else None


def render(data: Data) -> str:
    """Return the table."""
    rows: list[tuple[float, Sequence[str]]] = []
    for project, names in data["samples"].items():
        for name, samples in names.items():
            extra = median(s["ms"] - s["bare"] for s in samples)
            best = min(s["ms"] for s in samples) - min(s["bare"] for s in samples)
            peak, modules, pydantic = data["size"][project][name]
            row = [f"{project}: {name}", f"{extra:.0f}", f"{best:.0f}"]
            row += [f"{peak:.0f}", str(modules), "yes" if pydantic else "no"]
            rows.append((extra, row))
    header = ["program", "ms over bare python", "at best"]
    header += ["memory, MiB", "modules", "loads pydantic"]
    return table(header, [row for _, row in sorted(rows)])
