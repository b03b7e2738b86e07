"""Bodies under a watch, run to their end."""

import asyncio
import contextlib

from pegboard._clock import Watch
from pegboard._deadline import bounded

SOON = 0.02


async def watched(body, *, seconds=None, grace=5.0):
    """What a body comes to under a watch, with the watch."""
    loop = asyncio.get_running_loop()
    watch = Watch(None if seconds is None else loop.time() + seconds, grace)
    value = await bounded(body, watch)
    return value, watch


def run(main):
    """Run, and see that no task and no cancellation is left."""

    async def checked():
        value = await main
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert asyncio.current_task().cancelling() == 0
        return value

    return asyncio.run(checked())


async def forever():
    await asyncio.get_running_loop().create_future()


async def stubborn(released=()):
    """Swallows every cancellation, until something is in `released`."""
    while not released:
        with contextlib.suppress(asyncio.CancelledError):
            await forever()
