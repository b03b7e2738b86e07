"""Bodies that handle time and cancellation themselves, under a watch (B9, B10)."""

import asyncio
import contextlib

import anyio
import pytest

from pegboard._deadline import EXPIRED

from .watching import SOON, forever, run, stubborn, watched


def test_a_body_that_never_suspends_costs_no_timer():
    """B9: its value comes straight back; the watch never learns of a task."""

    async def quick():
        return 7

    value, watch = run(watched(quick(), seconds=SOON))

    assert value == 7
    assert (watch.expired, watch.clock) == (False, None)


def test_a_body_in_time_returns_its_value():
    """B9: what ends before its deadline is not touched."""

    async def body():
        await asyncio.sleep(0)
        return "in time"

    assert run(watched(body(), seconds=60))[0] == "in time"


def test_what_a_body_raises_passes():
    """B7: an exception before or after the first suspension is the body's own."""

    async def body(suspend):
        if suspend:
            await asyncio.sleep(0)
        raise ValueError("mine")

    for suspend in (False, True):
        with pytest.raises(ValueError, match="mine"):
            run(watched(body(suspend), seconds=60))


def test_an_expired_body_may_clean_up():
    """B9: on expiry it is cancelled, and its cleanup may take its time."""
    cleaned = []

    async def body():
        try:
            await forever()
        finally:
            await asyncio.sleep(SOON)
            cleaned.append(True)

    value, watch = run(watched(body(), seconds=SOON))

    assert value is EXPIRED
    assert (watch.expired, watch.abandoned) == (True, False)
    assert cleaned == [True]


@pytest.mark.parametrize("end", ["returns", "raises"])
def test_an_expired_body_has_expired_whatever_it_does_then(end):
    """B9: a value, or another exception, during the grace does not undo the expiry."""

    async def body():
        try:
            await forever()
        except asyncio.CancelledError:
            if end == "raises":
                raise ValueError("late") from None
            return "late"

    assert run(watched(body(), seconds=SOON))[0] is EXPIRED


def test_a_body_that_outlives_its_grace_is_closed():
    """B9: what swallows its cancellation is given up, with no task left behind."""
    closed = []

    async def body():
        try:
            await stubborn()
        finally:
            closed.append(True)

    value, watch = run(watched(body(), seconds=SOON, grace=SOON))

    assert value is EXPIRED
    assert watch.abandoned
    assert closed == [True]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_body_that_ignores_even_its_closing_is_let_go():
    """B9: a coroutine that awaits after GeneratorExit is dropped, and harms nobody."""

    async def body():
        while True:
            try:
                await forever()
            except (asyncio.CancelledError, GeneratorExit):
                continue

    value, watch = run(watched(body(), seconds=SOON, grace=SOON))

    assert value is EXPIRED
    assert watch.abandoned


def test_a_body_that_fails_at_its_closing_is_let_go():
    """B9: what its cleanup raises then interests nobody any more."""

    async def body():
        try:
            await stubborn()
        finally:
            raise ValueError("cleanup")

    assert run(watched(body(), seconds=SOON, grace=SOON))[0] is EXPIRED


@pytest.mark.parametrize("wait_for", ["a task", "a gathering"])
def test_a_body_that_waits_for_a_stubborn_task_is_given_up(wait_for):
    """B9: a task that swallows its cancellation cannot hold whoever awaits it."""
    tasks, released = [], []

    async def body():
        tasks.append(asyncio.ensure_future(stubborn(released)))
        if wait_for == "a task":
            await tasks[0]
        else:
            await asyncio.gather(tasks[0], return_exceptions=True)

    async def main():
        found = await watched(body(), seconds=SOON, grace=SOON)
        released.append(True)  # the body's own task, which only the body can end
        tasks[0].cancel()
        await asyncio.wait(tasks)
        return found

    value, watch = run(main())

    assert value is EXPIRED
    assert watch.abandoned


def test_a_task_that_a_body_awaits_is_cancelled_with_it():
    """B9: expiry reaches what the body waits for, and its outcome reaches the body."""
    seen = []

    async def inner():
        try:
            await forever()
        except asyncio.CancelledError:
            seen.append("inner")
            raise

    async def body():
        try:
            await asyncio.gather(inner(), inner())
        except asyncio.CancelledError:
            seen.append("body")
            raise

    assert run(watched(body(), seconds=SOON))[0] is EXPIRED
    assert seen == ["inner", "inner", "body"]


def test_a_task_may_turn_its_cancellation_into_a_value():
    """B9: the body gets that value, as in a plain `await task`; it has expired."""
    got = []

    async def inner():
        try:
            await forever()
        except asyncio.CancelledError:
            return "kept"

    async def body():
        got.append(await asyncio.create_task(inner()))

    assert run(watched(body(), seconds=SOON))[0] is EXPIRED
    assert got == ["kept"]


def with_timeout():
    return asyncio.timeout(SOON)


@contextlib.asynccontextmanager
async def with_group():
    async def fail():
        await asyncio.sleep(SOON)
        raise OSError("child")

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            yield
    except* OSError:
        raise TimeoutError from None


@contextlib.asynccontextmanager
async def with_scope():
    with anyio.fail_after(SOON):
        yield


@pytest.mark.parametrize("scope", [with_timeout, with_group, with_scope])
def test_a_bodys_own_cancellation_is_no_reason_to_end_it(scope):
    """B9: after a timeout or group of its own a body goes on, beyond any grace."""

    async def body():
        with pytest.raises(TimeoutError):
            async with scope():
                await forever()
        await asyncio.sleep(SOON * 5)
        return "went on"

    value, watch = run(watched(body(), seconds=60, grace=SOON))

    assert value == "went on"
    assert not watch.abandoned


@pytest.mark.parametrize("scope", [with_timeout, with_group, with_scope])
def test_a_deadline_holds_after_a_bodys_own_cancellation(scope):
    """B9: what a body did about its own timeout does not disarm the tool's."""

    async def body():
        with pytest.raises(TimeoutError):
            async with scope():
                await forever()
        await forever()

    value, watch = run(watched(body(), seconds=SOON * 3))

    assert value is EXPIRED
    assert not watch.abandoned


def test_a_deadline_inside_a_bodys_timeout_is_the_deadlines():
    """B9: a longer timeout of the body does not claim the tool's expiry."""

    async def body():
        async with asyncio.timeout(60):
            await forever()

    assert run(watched(body(), seconds=SOON))[0] is EXPIRED


def test_the_callers_timeout_is_the_callers():
    """B10: a timeout around the call cancels the body and stays a TimeoutError."""
    cleaned = []

    async def body():
        try:
            await forever()
        finally:
            cleaned.append(True)

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(SOON):
                await watched(body(), seconds=60)

    run(main())

    assert cleaned == [True]


def test_a_swallowed_cancellation_of_the_caller_is_raised_all_the_same():
    """B10: whatever the body makes of it, the caller's cancellation goes on."""

    async def body():
        with contextlib.suppress(asyncio.CancelledError):
            await forever()
        return "ignored it"

    async def main():
        task = asyncio.create_task(watched(body(), seconds=60))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())


def test_a_body_in_the_way_of_its_callers_cancellation_is_given_up():
    """B10: after the grace the caller's cancellation goes on without it."""

    async def main():
        task = asyncio.create_task(watched(stubborn(), grace=SOON))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
