"""A report in a minute: Pegboard against floors in the same process; never a gate."""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import instructions
import targets
from batch import BATCHES
from bench import Bench, Data
from cold import measure as measure_starts
from packs import Site
from remote import RemoteError
from samples import keep, table

#: A busy machine may be so much slower before a line of the report says no.
MARGIN = 1.5
ROUNDS = 3
CALLS = ("board", "board, 5 plugins", "board, 5 plugins, timeout, observer")


def report(bench: Bench, *, record: bool) -> None:
    """Print where Pegboard stands; whatever fails is said."""
    bench.rounds, bench.seconds = ROUNDS, 0.1
    numbers: dict[str, Data] = {}
    steps = {
        "calls": _calls,
        "batch": _batches,
        "cold": measure_starts,
        "packs": _listing,
    }
    for name, step in steps.items():
        try:
            numbers[name] = step(bench)
        except (RemoteError, OSError, AssertionError) as error:
            print(f"{name}: not measured: {error!r}")
    known = [t for t in targets.judge(numbers) if t.value is not None]
    header = ["measure", "must be", "is", f"met, within {MARGIN}"]
    print("\n" + table(header, [target.row(MARGIN) for target in known]))
    counts = instructions.count(bench.own)
    if isinstance(counts, str):
        print(f"\ninstructions: not counted: {counts}")
        return
    build = instructions.build(bench.own)
    print("\n" + instructions.compare(counts, build))
    if record:
        instructions.keep(counts, build)


def _calls(bench: Bench) -> Data:
    data: Data = {"samples": {}}
    with bench.team([bench.own]) as team:
        for _ in range(bench.rounds):
            for path in CALLS:
                for task in ("A", "B"):
                    sample = team[bench.own.name].ask(
                        "calls", path=path, task=task, seconds=bench.seconds
                    )
                    keep(data["samples"], bench.own.name, path, task, value=sample)
    return data


def _batches(bench: Bench) -> Data:
    data: Data = {"samples": {}}
    with bench.team([bench.own]) as team:
        for _ in range(bench.rounds):
            for path in CALLS[:2]:
                for kind, (task, count) in BATCHES.items():
                    sample = team[bench.own.name].ask(
                        "batch", path=path, task=task, count=count
                    )
                    keep(data["samples"], bench.own.name, path, kind, value=sample)
    return data


def _listing(bench: Bench) -> Data:
    """Measure the command line with no pack at all."""
    data: Data = {"samples": {}}
    with TemporaryDirectory() as folder:
        site = Site(bench.own, 0, False, Path(folder))
        with closing(site.runner):
            site.time()  # fills the caches
            for _ in range(bench.rounds):
                keep(data["samples"], *site.key, value=site.time())
    return data
