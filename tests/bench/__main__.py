"""Pegboard and its peers at the same work, in the same run, by turns.

nox -s bench                              everything; writes docs/benchmarks.md
nox -s bench -- calls batch               these parts; the others keep their numbers
nox -s bench -- --peers none              Pegboard alone; printed, not written
nox -s bench -- --peers mcp,llm cold      the same with two peers
nox -s bench -- --quick                   a minute, Pegboard against floors; printed
"""

import argparse
import subprocess
import sys
from pathlib import Path

import page
import quick
from bench import Bench
from page import PARTS
from projects import ROOT, Environments, read_peers


def parse() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="nox -s bench --", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--peers", default="all", help="all, none, or names")
    parser.add_argument("--quick", action="store_true", help="a report in a minute")
    parser.add_argument("--rounds", type=int, default=7, help="repeats (7)")
    parser.add_argument("--record", action="store_true", help="keep counts (--quick)")
    parser.add_argument("--home", type=Path, default=ROOT / ".nox" / "bench")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"there are no parts {unknown}; there are {', '.join(PARTS)}")
    return options


def main() -> None:
    """Measure, keep the numbers, write the page."""
    options = parse()
    environments = Environments(options.home / "environments")
    peers = list(read_peers())
    if options.quick or options.peers == "none":
        peers = []
    elif options.peers != "all":
        peers = options.peers.split(",")
    try:
        bench = _open(options, environments, peers)
    except subprocess.CalledProcessError as error:
        print(f"nothing was measured: {error}\n{error.stderr}")
        sys.exit(0 if options.quick else 1)  # the quick report is never a gate
    if options.quick:
        quick.report(bench, record=options.record)
        return
    for part in options.parts or PARTS:
        bench.save(part, PARTS[part].measure(bench))
    numbers = {part: bench.load(part) for part in PARTS}
    page.show(numbers)
    if options.peers == "all":
        page.write(numbers)


def _open(
    options: argparse.Namespace, environments: Environments, peers: list[str]
) -> Bench:
    return Bench(
        environments.own(),
        environments.peers(peers),
        options.home if options.peers == "all" else options.home / "some",
        rounds=options.rounds,
        missing=environments.missing,
    )


if __name__ == "__main__":
    main()
