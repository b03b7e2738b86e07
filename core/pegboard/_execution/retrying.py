"""Further attempts of a body, after errors that are worth one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pegboard.errors import ToolError
from pegboard.runners import RemoteError

if TYPE_CHECKING:
    from pegboard._plan import Plan


async def retried(attempt: Callable[[int], Awaitable[Any]], plan: Plan) -> Any:
    """Return what the first attempt returned that did not fail.

    Args:
        attempt: Runs the body for the nth time.
        plan: The tool's, with a retry policy.
    """
    import tenacity  # 40 ms, and few tools retry

    retry = plan.retry
    assert retry is not None
    attempts = tenacity.AsyncRetrying(
        stop=tenacity.stop_after_attempt(retry.attempts),
        wait=tenacity.wait_random_exponential(
            multiplier=retry.wait, max=retry.max_wait
        ),
        retry=tenacity.retry_if_exception(lambda error: _is_worth(error, plan)),
        reraise=True,
        sleep=asyncio.sleep,
    )
    async for each in attempts:
        with each:
            return await attempt(each.retry_state.attempt_number)


def _is_worth(error: BaseException, plan: Plan) -> bool:
    assert plan.retry is not None
    if isinstance(error, ToolError) and error.retryable:
        return True
    if not (plan.tool.idempotent or plan.tool.read_only):
        return False
    if isinstance(error, RemoteError):
        names = {f"{kind.__module__}.{kind.__qualname__}" for kind in plan.retry.on}
        return not names.isdisjoint(error.names)
    return isinstance(error, plan.retry.on)
