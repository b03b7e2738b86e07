"""One project at work in its own environment: does what it is told, line by line.

`worker.py DRIVER MORE` opens a driver's paths with MORE tools besides the five, reads
JSON commands from stdin and answers each with one line of JSON. It rests between two
commands, so that several such processes can be measured by turns on one machine.
"""

import asyncio
import gc
import importlib
import json
import logging
import os
import platform
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from time import perf_counter
from typing import Any

from paths import Path
from tasks import ADD, MISTAKES, TASKS, TOOLS, add, make_function

BARE_CALLS = 10_000


def calibrate() -> float:
    """Return milliseconds of a fixed loop: how busy the machine is."""
    start, total = perf_counter(), 0
    for i in range(100_000):
        total += i & 7
    return (perf_counter() - start) * 1e3


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def time_bare() -> float:
    """Return microseconds of one call of the function itself."""
    start = perf_counter()
    for _ in range(BARE_CALLS):
        await add(**ADD)
    return (perf_counter() - start) / BARE_CALLS * 1e6


async def _attempt(path: Path, task: str, calls: int) -> float:
    call, (tool, arguments) = path.call, TASKS[task]
    assert call is not None
    given = path.encode(arguments)
    start = perf_counter()
    for _ in range(calls):
        try:
            await call(tool, given)
        except Exception:  # a path that raises is measured as it is
            pass
    return (perf_counter() - start) / calls * 1e6


async def time_calls(path: Path, task: str, seconds: float) -> dict[str, float]:
    """Return what one call costs, beside the bare function and the fixed loop."""
    guess = await _attempt(path, task, 20)
    calls = min(20_000, max(20, int(seconds / guess * 1e6)))
    calibration, before = calibrate(), await time_bare()
    cost = await _attempt(path, task, calls)
    # On both sides, so that a machine that slows down meanwhile slows both.
    bare = (before + await time_bare()) / 2
    return {"calibration": calibration, "bare": bare, "us": cost}


def _batch(task: str, count: int) -> list[tuple[str, Any]]:
    if task == "A":
        return [("add", {"a": i, "b": 2}) for i in range(count)]
    return [(task, {"seconds": 0.05})] * count


async def time_batch(path: Path, task: str, count: int) -> dict[str, float]:
    """Return the seconds of one batch, of as many calls as results."""
    request, calibration = path.prepare(_batch(task, count)), calibrate()
    start = perf_counter()
    results = await path.run(request)
    seconds = perf_counter() - start
    assert len(results) == count, (len(results), count)
    return {"calibration": calibration, "seconds": seconds}


async def outcome(path: Path, tool: str, arguments: dict[str, Any]) -> str:
    """Return what happens to a call: ran, an error result, or what is raised."""
    assert path.call is not None
    try:
        result = await path.call(tool, path.encode(arguments))
    except BaseException as error:
        return f"raises {type(error).__name__}"
    return "error result" if path.is_error(result) else "ran"


async def register_many(driver: Any, count: int) -> dict[str, float]:
    """Return what it takes to register functions and to export their schemas."""
    driver.register([make_function(-1)])  # what is imported late is not the tools'
    functions = [make_function(i) for i in range(count)]
    gc.collect()
    before, start = resident(), perf_counter()
    registered = driver.register(functions)
    seconds = perf_counter() - start
    gc.collect()
    between, start = resident(), perf_counter()
    exported = await driver.export(registered)
    export = perf_counter() - start
    assert len(exported) == count, (len(exported), count)
    return {
        "register": seconds,
        "bytes": (between - before) / count,
        "export": export,
        "bytes_exported": (resident() - before) / count,
    }


class Worker:
    """Holds the paths of a driver open and runs commands on them."""

    def __init__(self, driver: Any, paths: dict[str, Path]) -> None:
        self.driver = driver
        self.paths = paths

    async def describe(self, distributions: list[str]) -> dict[str, Any]:
        """Return what this is, after one successful call of each path."""
        for path in self.paths.values():
            if path.call is not None:
                for tool, arguments in (TASKS["A"], TASKS["B"]):
                    ended = await outcome(path, tool, arguments)
                    assert ended == "ran", (path, tool, ended)
        return {
            "python": platform.python_version(),
            "versions": {name: version(name) for name in distributions},
            "paths": {
                name: {
                    "single": path.call is not None,
                    "own_batch": path.many is not None,
                    "takes_text": path.takes_text,
                }
                for name, path in self.paths.items()
            },
        }

    async def calls(self, path: str, task: str, seconds: float) -> Any:
        """Measure single calls."""
        return await time_calls(self.paths[path], task, seconds)

    async def batch(self, path: str, task: str, count: int) -> Any:
        """Measure one batch."""
        return await time_batch(self.paths[path], task, count)

    async def mistakes(self, path: str) -> Any:
        """Return what happens to each mistake."""
        return {
            name: await outcome(self.paths[path], *each)
            for name, each in MISTAKES.items()
        }

    async def register(self, count: int) -> Any:
        """Measure the registration of many tools."""
        return await register_many(self.driver, count)


async def serve(name: str, more: int, reply: Callable[[Any], None]) -> None:
    """Answer commands until there are none."""
    driver = importlib.import_module(f"drivers.{name}")
    functions = [*TOOLS, *(make_function(i) for i in range(more))]
    async with driver.open_paths(functions) as paths:
        worker = Worker(driver, paths)
        for line in sys.stdin:
            command = json.loads(line)
            try:
                method = getattr(worker, command.pop("do"))
                reply({"value": await method(**command)})
            except Exception as error:
                reply({"error": f"{type(error).__name__}: {error}"})


def main() -> None:
    """Keep what the project prints away from the answers."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    name, more = sys.argv[1], int(sys.argv[2])
    asyncio.run(serve(name, more, lambda a: print(json.dumps(a), file=answers)))


if __name__ == "__main__":
    main()
