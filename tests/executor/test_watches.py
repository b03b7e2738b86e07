"""Watches inside watches, clocks that begin later, and what closes a body (B9)."""

import asyncio

import pytest

from pegboard._clock import Watch
from pegboard._deadline import EXPIRED, TooLong, bounded, within

from .watching import SOON, forever, run, stubborn, watched


def test_watches_nest():
    """B9, V11: an inner expiry ends the inner body; the outer one goes on."""

    async def outer():
        value, _ = await watched(forever(), seconds=SOON)
        assert value is EXPIRED
        await asyncio.sleep(SOON)
        return "outer"

    value, watch = run(watched(outer(), seconds=60, grace=SOON))

    assert value == "outer"
    assert not watch.abandoned


def test_an_outer_expiry_ends_the_inner_body():
    """B9, V11: and an inner body that does not let go is closed with the outer one."""
    closed = []

    async def inner():
        try:
            await stubborn()
        finally:
            closed.append(True)

    async def outer():
        await watched(inner(), seconds=60, grace=60)

    value, watch = run(watched(outer(), seconds=SOON, grace=SOON))

    assert value is EXPIRED
    assert watch.abandoned
    assert closed == [True]


def test_a_body_that_raises_generator_exit_does_not_pass_for_a_closing():
    """B7: GeneratorExit out of a body is an error like any other."""

    async def body(suspend):
        if suspend:
            await asyncio.sleep(0)
        raise GeneratorExit

    for suspend in (False, True):
        with pytest.raises(RuntimeError, match="raised GeneratorExit"):
            run(watched(body(suspend)))


def test_a_closed_coroutine_closes_the_body():
    """B9: when the loop goes down, the body's cleanup runs and no timer stays."""
    closed = []

    async def body():
        try:
            await forever()
        finally:
            closed.append(True)

    async def main():
        coroutine = watched(body(), seconds=60)
        coroutine.send(None)
        coroutine.close()

    run(main())

    assert closed == [True]


def test_a_clock_may_begin_later():
    """B9: time spent before `begin` does not count."""

    async def main():
        watch = Watch(None, 5.0)

        async def body():
            await asyncio.sleep(SOON)
            watch.begin(SOON)
            await forever()

        assert await bounded(body(), watch) is EXPIRED

    run(main())


def test_within_raises_too_long():
    """H5: what takes longer than it may is cancelled and raises TooLong."""

    async def main():
        with pytest.raises(TooLong, match=r"longer than 0\.02 s"):
            await within(forever(), SOON, 1.0)
        assert await within(asyncio.sleep(0, "value"), None, 1.0) == "value"
        assert await within(asyncio.sleep(0, "value"), 0, 1.0) == "value"

    run(main())
