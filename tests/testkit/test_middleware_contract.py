"""`assert_plugin_contract` on middlewares: what they must let through."""

import asyncio

import pytest

from pegboard import ToolResult, hookimpl
from pegboard.testing import ContractError, assert_plugin_contract

from .promises import broken


def layered(middleware):
    class Layered:
        @hookimpl
        def tool_middleware(self, tool):
            return middleware

    return Layered()


async def swallowing(call, call_next):
    try:
        return await call_next(call)
    except BaseException:
        return ToolResult("never mind", code="tool_failed")


async def hiding(call, call_next):
    await call_next(call)
    return ToolResult("all is well", call=call.sent)


async def empty(call, call_next):
    await call_next(call)


class Shared:
    async def __call__(self, call, call_next):
        self.call = call
        result = await call_next(call)
        return result.replace(call=self.call.sent)


async def failing(call, call_next):
    raise ValueError("no")


@pytest.mark.parametrize(
    ("middleware", "promise"),
    [
        (swallowing, "cancellation"),
        (hiding, "closed"),
        (empty, "specs"),
        (failing, "specs"),
        (Shared(), "overlap"),
    ],
)
def test_a_middleware_lets_through_what_it_must(middleware, promise):
    """H4: results come back, cancellations pass, blocked stays blocked, calls apart."""
    assert broken(assert_plugin_contract, layered(middleware)) == [promise]


def test_a_middleware_that_hangs_is_found(monkeypatch):
    """A middleware that never comes back is not waited for, for ever."""
    monkeypatch.setattr("pegboard.testing._layers.LIMIT", 0.05)

    async def hanging(call, call_next):
        await asyncio.Event().wait()

    with pytest.raises(ContractError, match=r"took longer than 0.05 s"):
        assert_plugin_contract(layered(hanging))


def test_a_middleware_may_answer_by_itself():
    """H4: skipping call_next swallows nothing."""

    async def answer(call, call_next):
        return ToolResult("from memory", call=call.sent)

    assert broken(assert_plugin_contract, layered(answer)) == []
