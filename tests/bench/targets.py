"""Where Pegboard must stand, and where it stands."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import batch
import calls
import cold
import packs
import scale
from bench import Data
from samples import number, table

Numbers = dict[str, Data]
OPENAI = ("openai-agents", "FunctionTool.on_invoke_tool")
HOOKED = ("pydantic-ai", "ToolManager.handle_call, 1 hook")
TOOLSET = ("pydantic-ai", "FunctionToolset.call_tool")
LINEAR = 1.5  # times what a call costs in a batch of 1,000, at 100,000


@dataclass(frozen=True)
class Target:
    """One figure and its bound.

    Attributes:
        measure: What is measured.
        unit: Of both numbers.
        bound: The limit.
        value: What was measured, None if it was not.
        at_least: Whether the limit is a floor.
    """

    measure: str
    unit: str
    bound: float
    value: float | None
    at_least: bool = False

    def is_met(self, margin: float = 1.0) -> bool:
        """Return whether the bound holds, within a factor."""
        if self.value is None:
            return False
        if self.at_least:
            return self.value * margin >= self.bound
        return self.value <= self.bound * margin

    def row(self, margin: float = 1.0) -> list[str]:
        """Return a line of the table."""
        limit = f"{'at least' if self.at_least else 'at most'} {number(self.bound)}"
        if self.value is None:
            return [self.measure, f"{limit} {self.unit}".strip(), "not measured", ""]
        found = f"{number(self.value)} {self.unit}".strip()
        met = "yes" if self.is_met(margin) else "**no**"
        return [self.measure, f"{limit} {self.unit}".strip(), found, met]


def judge(numbers: Numbers) -> list[Target]:
    """Return every target, with what was measured."""
    parts: list[Callable[[Data], Iterator[Target]]] = [
        _calls,
        _batches,
        _starts,
        _packs,
        _tools,
        _growth,
    ]
    names = ["calls", "batch", "cold", "packs", "scale", "scale"]
    return [
        target
        for part, name in zip(parts, names, strict=True)
        for target in part(numbers.get(name, {}))
    ]


def _calls(data: Data) -> Iterator[Target]:
    def bare(path: str, task: str) -> float | None:
        return calls.against_bare(data, "pegboard", path, task)

    timed = "board, 5 plugins, timeout, observer"
    yield Target("a call of A", "x bare", 25, bare("board", "A"))
    yield Target("the same, 5 plugins", "x bare", 40, bare("board, 5 plugins", "A"))
    yield Target("a call of B", "x bare", 100, bare("board", "B"))
    yield Target("the same, 5 plugins", "x bare", 115, bare("board, 5 plugins", "B"))
    yield Target("A with 5 plugins, timeout, observer", "x bare", 48, bare(timed, "A"))
    for path, peer in (("board", OPENAI), ("board, 5 plugins", HOOKED)):
        mine, theirs = bare(path, "A"), calls.against_bare(data, *peer, "A")
        share = mine / theirs if mine and theirs else None
        yield Target(f"A, {path}, over {': '.join(peer)}", "x", 0.4, share)


def _batches(data: Data) -> Iterator[Target]:
    def rate(project: str, path: str) -> float | None:
        taken = batch.seconds(data, project, path, "quick")
        return 1_000 / taken if taken else None

    plain = rate("pegboard", "board")
    yield Target("1,000 calls of A", "a second", 150_000, plain, at_least=True)
    five = rate("pegboard", "board, 5 plugins")
    yield Target("the same, 5 plugins", "a second", 110_000, five, at_least=True)
    if bar := rate(*TOOLSET):
        name = f"1,000 calls of A, against {': '.join(TOOLSET)}"
        yield Target(name, "a second", bar, plain, at_least=True)
    naps = batch.seconds(data, "pegboard", "board", "naps")
    yield Target("200 naps of 50 ms", "s", 0.058, naps)
    blocking = batch.seconds(data, "pegboard", "board", "blocking")
    yield Target("64 blocking calls of 50 ms", "s", 0.062, blocking)


def _starts(data: Data) -> Iterator[Target]:
    extra = cold.over_bare(data, "import and @tool")
    yield Target("`import pegboard` and `@tool`", "ms over bare python", 75, extra)
    schema, adapter = (
        cold.whole(data, name) for name in ("schema", "TypeAdapter.json_schema")
    )
    share = schema / adapter if schema and adapter else None
    name = "the same and its schema, over pydantic's TypeAdapter"
    yield Target(name, "x", 1.2, share)


def _packs(data: Data) -> Iterator[Target]:
    shown = packs.program(data, 200, "definitions", "bare")
    name = "`definitions()` of 200 packs"
    yield Target(name, "ms over bare python", 110, shown)
    loaded = [count for _, count in data.get("loaded", {}).values()]
    yield Target("packs imported for it", "", 0, sum(loaded) if loaded else None)
    version = packs.program(data, 200, "version", "click")
    yield Target("`pegboard --version`, 200 packs", "x `import click`", 1.3, version)
    for count in (0, 200):
        listed = packs.program(data, count, "list", "click")
        name = f"`pegboard list`, {count} packs"
        yield Target(name, "x `import click`", 1.4, listed)
    none, most = (packs.program(data, count, "list") for count in (0, 200))
    share = most / none if none and most else None
    yield Target("`pegboard list`, 200 packs over 0", "x", 1.1, share)
    large = median(data["large"]) if "large" in data else None
    yield Target("10,000 tools: `definitions()`, from the manifest", "s", 0.3, large)


def _tools(data: Data) -> Iterator[Target]:
    def figure(name: str, per: float = 1) -> float | None:
        found = scale.own(data, name)
        return None if found is None else found / per

    yield Target("10,000 functions: register", "s", 0.1, figure("register"))
    unused = figure("bytes", 1024)
    yield Target("memory of a tool before its first use", "KiB", 0.5, unused)
    yield Target("a tool's plan, at its first call", "us", 40, figure("plan_us"))
    yield Target("memory of a plan", "KiB", 6, figure("plan_bytes", 1024))
    derived = figure("definitions")
    yield Target("10,000 tools: first `definitions()`, from code", "s", 4, derived)


def _growth(data: Data) -> Iterator[Target]:
    yield Target("a call among 10,000 tools, over 10", "x", 1.15, scale.growth(data))
    costs = scale.batch_costs(data)
    slope = costs[100_000] / costs[1_000] if 100_000 in costs else None
    name = "a call of a batch of 100,000, over 1,000"
    yield Target(name, "x", LINEAR, slope)
    left = scale.cycles(data)
    # A few objects of the loop and of the batch itself, but none a call.
    yield Target("objects in cycles that 1,000 calls leave", "", 20, left)


def render(numbers: Numbers) -> str:
    """Return the table."""
    targets = judge(numbers)
    known = [target for target in targets if target.value is not None]
    met = sum(target.is_met() for target in known)
    header = ["measure", "must be", "is", "met"]
    rows = table(header, [target.row() for target in targets])
    return f"{met} of {len(known)} are met.\n\n{rows}"
