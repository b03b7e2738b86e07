"""Pegboard with many tools and long batches; run in its own environment.

`growth.py tools 10000` and `growth.py calls ROUNDS` print one line of JSON.
"""

import asyncio
import gc
import json
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from drivers.pegboard import MANY, Observer, Passive, make_board
from tasks import ADD, TOOLS, add, make_function
from worker import calibrate, resident, time_bare

from pegboard import Pegboard, ToolCall

ADD_TEXT = json.dumps(ADD)
SIZES = (100, 1_000, 10_000, 100_000)
PLANS = 1_000  # tools of which a plan is made


def settle() -> int:
    """Return the bytes in memory after everything that can go has gone."""
    gc.collect()
    return resident()


async def measure_tools(count: int) -> dict[str, float]:
    """Return what tools cost: registered, described, planned."""
    warm = make_board([make_function(-1)])
    await warm.call("add_-1", ADD_TEXT)
    warm.definitions()
    functions = [make_function(i) for i in range(count)]
    before, start = settle(), perf_counter()
    board = make_board(functions)
    register = perf_counter() - start
    between, start = settle(), perf_counter()
    definitions = board.definitions()
    derive = perf_counter() - start
    assert len(definitions) == count
    after = settle()
    executor = (await board.ready()).executor
    names = [f"add_{i}" for i in range(0, count, max(1, count // PLANS))][:PLANS]
    start = perf_counter()
    plans = [executor.plan(name) for name in names]
    plan = (perf_counter() - start) / len(plans)
    planned = settle()
    return {
        "calibration": calibrate(),
        "register": register,
        "bytes": (between - before) / count,
        "definitions": derive,
        "bytes_described": (after - before) / count,
        "plan_us": plan * 1e6,
        "plan_bytes": (planned - after) / len(plans),
    }


async def time_call(board: Pegboard, calls: int = 5_000) -> float:
    """Return microseconds of one call of `add`."""
    start = perf_counter()
    for _ in range(calls):
        await board.call("add", ADD_TEXT)
    return (perf_counter() - start) / calls * 1e6


async def time_batch(board: Pegboard, size: int) -> float:
    """Return microseconds a call of a batch."""
    calls = [ToolCall("add", ADD_TEXT, id=f"c{i}") for i in range(size)]
    gc.collect()
    start = perf_counter()
    batch = await board.run(calls, max_calls=MANY)
    taken = perf_counter() - start
    assert batch[-1].text == "3"
    return taken / size * 1e6


async def count_cycles(work: Callable[[], Awaitable[Any]]) -> int:
    """Return how many objects only the collector could free after some work."""
    await work()
    gc.collect()
    gc.disable()
    try:
        await work()
        return gc.collect()
    finally:
        gc.enable()


async def measure_cycles() -> dict[str, int]:
    """Return the garbage of 1,000 calls on each way."""
    plain = make_board(TOOLS)
    watched = make_board(TOOLS, [*(Passive(i) for i in range(5)), Observer()])
    calls = [ToolCall("add", ADD_TEXT, id=f"c{i}") for i in range(1_000)]

    async def one_by_one(board: Pegboard) -> None:
        for _ in range(1_000):
            await board.call("add", ADD_TEXT)

    return {
        "single": await count_cycles(lambda: one_by_one(plain)),
        "single, 5 plugins, observer": await count_cycles(lambda: one_by_one(watched)),
        "batch": await count_cycles(lambda: plain.run(calls, max_calls=MANY)),
        "batch, 5 plugins, observer": await count_cycles(
            lambda: watched.run(calls, max_calls=MANY)
        ),
    }


async def measure_calls(rounds: int) -> dict[str, Any]:
    """Return what a call costs among few and many tools, alone and in batches."""
    few = make_board([add, *(make_function(i) for i in range(9))])
    many = make_board([add, *(make_function(i) for i in range(9_999))])
    for board in (few, many):
        await time_call(board, 200)
        await time_batch(board, 200)
    samples = []
    for _ in range(rounds):
        sample: dict[str, Any] = {"calibration": calibrate()}
        sample["bare"] = await time_bare()
        sample["few"], sample["many"] = await time_call(few), await time_call(many)
        sample["batches"] = [await time_batch(few, size) for size in SIZES]
        samples.append(sample)
    return {"samples": samples, "sizes": SIZES, "cycles": await measure_cycles()}


if __name__ == "__main__":
    kind, number = sys.argv[1], int(sys.argv[2])
    measured = measure_tools(number) if kind == "tools" else measure_calls(number)
    print(json.dumps(asyncio.run(measured)))
