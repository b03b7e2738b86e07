"""What installed packs cost: the command line, and `definitions()` in a process."""

from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench import Bench, Data
from programs import Programs
from projects import Project
from samples import Sample, keep, table
from wheels import install, write_large_pack, write_pack

COUNTS = (0, 10, 50, 200)
#: Shows what an application would offer a model, then what that has loaded.
DEFINITIONS = """
import sys
from time import perf_counter
from pegboard import Pegboard
PACKS = "pegboard_pack", "pegboard_large"
start = perf_counter()
count = len(Pegboard.discover(project=None).definitions())
seconds = perf_counter() - start
packs = sum(name.startswith(PACKS) for name in sys.modules)
print(count, "pydantic" in sys.modules, packs, seconds)
"""
LARGE = (100, 100)  # packs, and tools of each: 10,000 tools


class Site:
    """A folder of installed packs, and the programs that are run with it.

    Args:
        project: Their host.
        packs: How many.
        heavy: Whether each has a library of its own to import.
        folder: Where to install them.
    """

    def __init__(self, project: Project, packs: int, heavy: bool, folder: Path) -> None:
        self.project, self.packs, self.heavy = project, packs, heavy
        self.folder = folder / f"{project.name}-{packs}-{'heavy' if heavy else 'light'}"
        self.folder.mkdir()
        self.runner = Programs({"PYTHONPATH": str(self.folder)})

    def fill(self) -> None:
        """Install the packs."""
        with TemporaryDirectory() as folder:
            wheels = [
                write_pack(Path(folder), self.project.name, index, heavy=self.heavy)
                for index in range(self.packs)
            ]
            if wheels:
                install(self.project, wheels, self.folder)

    @property
    def programs(self) -> dict[str, list[str | Path]]:
        """The programs that are measured."""
        python = self.project.python
        found: dict[str, list[str | Path]] = {"bare": [python, "-c", "pass"]}
        if self.project.name == "llm":
            command = self.project.program("llm")
            return {**found, "list": [command, "tools", "list"]}
        command = self.project.program("pegboard")
        return {
            **found,
            "click": [python, "-c", "import click"],
            "version": [command, "--version"],
            "list": [command, "list"],
            "definitions": [python, "-c", DEFINITIONS],
        }

    def time(self) -> Sample:
        """Return the milliseconds of each program."""
        return {name: self.runner.time(line) for name, line in self.programs.items()}

    @property
    def key(self) -> tuple[str, str]:
        """Where its numbers are kept."""
        kind = "with a library each" if self.heavy else "that import nothing"
        return self.project.name, f"{self.packs} packs {kind}"


def measure(bench: Bench) -> Data:
    """Measure every program with every number of packs, by turns."""
    data: Data = {"samples": {}, "loaded": {}}
    hosts = [p for p in bench.everybody if p.name in ("pegboard", "llm")]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="bench-packs-")))
        sites = [
            Site(host, packs, heavy, folder)
            for host in hosts
            for packs in COUNTS
            for heavy in (False, True)
            if packs or not heavy
        ]
        for site in sites:
            stack.enter_context(closing(site.runner))
            bench.say(f"packs: installing {site.key[1]} for {site.key[0]}")
            site.fill()
            for command in (*site.programs.values(), site.programs["list"]):
                site.runner.run(command)  # caches fill once, and are warm then
            if "definitions" in site.programs:
                printed = site.runner.run(site.programs["definitions"])
                _note(data, site, printed)
        for turn, order in bench.turns(len(sites)):
            bench.say(f"packs: round {turn + 1} of {bench.rounds}")
            for site in (sites[place] for place in order):
                keep(data["samples"], *site.key, value=site.time())
    data["large"] = measure_large(bench)
    return data


def _note(data: Data, site: Site, printed: str) -> None:
    count, pydantic, loaded, _ = printed.split()
    assert int(count) == 2 * site.packs, printed
    data["loaded"][site.key[1]] = [pydantic == "True", int(loaded)]


def measure_large(bench: Bench) -> list[float]:
    """Return seconds of `definitions()` of 10,000 tools, from the manifest."""
    packs, tools = LARGE
    bench.say(f"packs: {packs} of {tools} tools each")
    with TemporaryDirectory(prefix="bench-packs-") as name, ExitStack() as stack:
        wheels, site = Path(name) / "wheels", Path(name) / "site"
        wheels.mkdir()
        made = [write_large_pack(wheels, index, tools) for index in range(packs)]
        install(bench.own, made, site)
        runner = stack.enter_context(closing(Programs({"PYTHONPATH": str(site)})))
        command: list[str | Path] = [bench.own.python, "-c", DEFINITIONS]
        runner.run([bench.own.program("pegboard"), "list"])  # fills the manifest
        runner.run(command)
        samples = []
        for _ in range(bench.rounds):
            count, *_, seconds = runner.run(command).split()
            assert int(count) == packs * tools, count
            samples.append(float(seconds))
    return samples


LIGHT, HEAVY = "packs that import nothing", "packs with a library each"


def program(data: Data, packs: int, name: str, over: str = "") -> float | None:
    """Return what a program of Pegboard takes with so many packs.

    Args:
        data: What was measured.
        packs: How many packs, each with a library.
        name: Which program.
        over: Another one, to divide by; "bare" subtracts a bare python instead.
    """
    key = f"{packs} {HEAVY if packs else LIGHT}"
    samples: list[Sample] = data.get("samples", {}).get("pegboard", {}).get(key)
    if not samples:
        return None
    if over == "bare":
        return median(s[name] - s["bare"] for s in samples)
    return median(s[name] / (s[over] if over else 1) for s in samples)


def render(data: Data) -> str:
    """Return the tables."""
    names = ["bare", "click", "version", "list", "definitions"]
    rows = []
    for host, kinds in data["samples"].items():
        for kind, samples in kinds.items():
            row = [f"{host}: {kind}"]
            for name in names:
                taken = [sample[name] for sample in samples if name in sample]
                row.append(f"{median(taken):.0f}" if taken else "")
            rows.append(row)
    header = ["installed", "`python -c pass`, ms", "`import click`", "`--version`"]
    header += ["the list of tools", "`definitions()`"]
    loaded = sum(count for _, count in data["loaded"].values())
    pydantic = any(found for found, _ in data["loaded"].values())
    seconds = median(data["large"])
    return "\n\n".join(
        [
            table(header, rows),
            f"`definitions()` imported {loaded} packs and {'' if pydantic else 'no '}"
            f"pydantic. Of 10,000 tools in 100 packs it took {seconds:.2f} s, from"
            " `Pegboard.discover()` on.",
        ]
    )
