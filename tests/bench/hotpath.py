"""The hot path, call by call, for a counter of instructions to watch.

`hotpath.py FEW MORE` makes two stretches of each row, of so many calls, and prints the
rows as JSON. Each stretch runs inside `sys.call_tracing`, whose C function nothing else
calls: that is where callgrind switches on and off.
"""

import asyncio
import gc
import json
import sys
from collections.abc import Awaitable, Callable

from drivers.pegboard import MANY, Observer, Passive, make_board
from tasks import ADD, ORDER, TOOLS, add

from pegboard import Pegboard, ToolCall

Work = Callable[[int], Awaitable[None]]


def single(board: Pegboard, tool: str, arguments: str) -> Work:
    """Return work that calls one tool again and again."""

    async def work(calls: int) -> None:
        for _ in range(calls):
            await board.call(tool, arguments)

    return work


def together(board: Pegboard, tool: str, arguments: str) -> Work:
    """Return work that calls one tool in one batch."""

    async def work(calls: int) -> None:
        await board.run(
            [ToolCall(tool, arguments, id=str(i)) for i in range(calls)],
            max_calls=MANY,
        )

    return work


async def bare(calls: int) -> None:
    """Call the function itself."""
    for _ in range(calls):
        await add(**ADD)


def main() -> None:
    """Run every row twice, after a warm-up."""
    first, second = json.dumps(ADD), json.dumps(ORDER)
    plain, five = make_board(TOOLS), make_board(TOOLS, [Passive(i) for i in range(5)])
    watched = make_board(TOOLS, [*(Passive(i) for i in range(5)), Observer()])
    rows = {
        "bare A": bare,
        "A": single(plain, "add", first),
        "A, 5 plugins": single(five, "add", first),
        "A, 5 plugins, observer": single(watched, "add", first),
        "A, in a batch": together(plain, "add", first),
        "A, 5 plugins, in a batch": together(five, "add", first),
        "B": single(plain, "order", second),
        "B, 5 plugins": single(five, "order", second),
    }
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        for work in rows.values():
            loop.run_until_complete(work(20))
        gc.collect()
        gc.disable()
        for work in rows.values():
            for calls in map(int, sys.argv[1:]):
                sys.call_tracing(
                    lambda w, c: loop.run_until_complete(w(c)), (work, calls)
                )
    print(json.dumps(list(rows)))


if __name__ == "__main__":
    main()
