"""`assert_tool_contract` on bodies: what they do to arguments, time and tasks."""

import asyncio
import threading
from typing import Annotated, Any

import pytest
from pydantic import Field

from pegboard import Injected, ToolContext, tool
from pegboard.testing import ContractError, assert_tool_contract

from . import promises


def broken(subject: Any, **options: Any) -> list[str]:
    return promises.broken(assert_tool_contract, subject, **options)


def test_arguments_are_not_changed_in_place():
    """A second attempt of a call gets what the first one got."""

    @tool
    def collect(items: Annotated[list[int], Field(description="Some.")]) -> int:
        """Collect."""
        items.append(0)
        return len(items)

    with pytest.raises(ContractError, match="unchanged: it changed items in place"):
        assert_tool_contract(collect, examples=[{"items": [1]}])


async def stubborn() -> None:
    """Never end."""
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            continue


async def untidy() -> None:
    """Fail while cleaning up."""
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        raise OSError("no room") from None


async def leaving() -> None:
    """Leave a task behind."""
    asyncio.get_running_loop().create_task(asyncio.sleep(60))
    await asyncio.sleep(0)


@pytest.mark.parametrize("body", [untidy, leaving])
def test_a_cancelled_body_ends_cleanly(body):
    """B10: a body that raises or leaves a task behind when cancelled is found."""

    @tool(name=body.__name__, description=body.__doc__)
    async def once() -> None:
        if ran:
            await body()
        ran.append(1)

    ran = []

    assert broken(once, examples=[{}]) == ["cancellation"]


def test_a_body_that_cannot_be_stopped_is_found(monkeypatch):
    """B10: a body that goes on after it was cancelled is found, in its own time."""
    monkeypatch.setattr("pegboard.testing._tools.GRACE", 0.05)
    ran = []

    @tool(description="Never end.")
    async def once() -> None:
        if ran:
            await stubborn()
        ran.append(1)

    assert broken(once, examples=[{}]) == ["cancellation"]


def test_a_thread_that_polls_ends_cleanly(monkeypatch):
    """B9: a body in a thread that asks context.cancelled keeps the promise."""
    monkeypatch.setattr("pegboard.testing._tools.GRACE", 0.5)
    ran, never = [], threading.Event()

    @tool(description="Wait until nobody wants it.")
    def poll(patient: Annotated[bool, Field(description="Whether.")], c: ToolContext):
        while ran and not c.cancelled:
            never.wait(0.005)
        ran.append(1)

    @tool(description="Hear nothing.")
    def deaf() -> None:
        if ran:
            released.wait(10)
        ran.append(1)

    released = threading.Event()

    assert broken(poll, examples=[{"patient": True}]) == []
    ran.clear()
    assert broken(deaf, examples=[{}]) == ["cancellation"]
    released.set()


def test_prepare_takes_whatever_a_model_sends():
    """A4: a prepare that trips over odd arguments hides the real fault from a model."""

    def careless(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"path": arguments["path"].strip()}

    @tool(prepare=careless)
    def read(path: Annotated[str, Field(description="Which.")]) -> str:
        """Read."""
        return path

    assert broken(read) == ["prepared", "prepared"]


def test_a_value_that_refers_to_itself_is_no_obstacle():
    """A body that makes a circle of its arguments is found, not followed for ever."""

    @tool
    def knot(items: Annotated[list[Any], Field(description="Some.")]) -> str:
        """Tie a knot."""
        items.append(items)
        return "tied"

    assert broken(knot, examples=[{"items": []}]) == ["unchanged"]


def test_injected_values_come_from_secrets():
    """V4: a tool that needs a hidden value is checked with one."""

    @tool
    async def ask(*, key: Annotated[str, Injected("KEY")]) -> str:
        """Ask."""
        return "short" if key == "k-123" else "wrong key"

    assert broken(ask, examples=[{}]) == ["examples"]
    assert broken(ask, examples=[{}], secrets={"KEY": "k-123"}) == []


def test_generators_are_followed_to_their_end():
    """V8: a body that streams is checked by what it gives at last."""

    @tool
    def steps():
        """Go in steps."""
        yield "half"
        yield "x" * 2_000

    @tool
    async def async_steps():
        """Go in steps."""
        yield "half"
        yield "x" * 2_000

    for subject in (steps, async_steps):
        assert broken(subject, examples=[{}], max_result_bytes=1_000) == ["bounded"]
        assert broken(subject, examples=[{}]) == []
