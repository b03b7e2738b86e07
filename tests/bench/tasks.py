"""The work that is measured: the same tools, arguments and mistakes for everybody."""

import asyncio
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

try:
    from pydantic import BaseModel, Field

    class LineItem(BaseModel):
        """One line of an order."""

        sku: str
        qty: Annotated[int, Field(ge=1)]
        price: float
        note: str | None = None

except ImportError:  # one peer installs without pydantic; it cannot say qty >= 1
    from typing import NotRequired, TypedDict

    class LineItem(TypedDict):  # type: ignore[no-redef]  # stands in for the other
        """One line of an order."""

        sku: str
        qty: int
        price: float
        note: NotRequired[str | None]


Function = Callable[..., Any]


async def add(a: int, b: int) -> int:
    """Add two integers.

    Args:
        a: The first one.
        b: The second one.
    """
    return a + b


async def order(
    currency: Literal["EUR", "USD", "GBP"], items: list[LineItem]
) -> dict[str, Any]:
    """Place an order.

    Args:
        currency: What the prices are in.
        items: What is ordered.
    """
    return {"order": "A-1", "lines": len(items), "currency": currency}


async def nap(seconds: float) -> float:
    """Wait without holding the loop.

    Args:
        seconds: How long.
    """
    await asyncio.sleep(seconds)
    return seconds


def block(seconds: float) -> float:
    """Wait and hold the thread.

    Args:
        seconds: How long.
    """
    time.sleep(seconds)
    return seconds


async def fail(reason: str) -> str:
    """Raise an error.

    Args:
        reason: What the error says.
    """
    raise ValueError(reason)


TOOLS: tuple[Function, ...] = (add, order, nap, block, fail)

ADD = {"a": 1, "b": 2}
ORDER = {
    "currency": "EUR",
    "items": [
        {"sku": f"SKU-{i:04d}", "qty": i + 1, "price": 9.99 + i}
        | ({"note": "fragile"} if i % 2 else {})
        for i in range(10)
    ],
}  # 634 bytes as JSON

#: Name -> tool and arguments of one call.
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "A": ("add", ADD),
    "B": ("order", ORDER),
    "refused": ("add", {"a": "not a number", "b": 2}),
    "raised": ("fail", {"reason": "no"}),
}


def _order(**item: Any) -> dict[str, Any]:
    return {"currency": "EUR", "items": [{"sku": "X", "qty": 1, "price": 1.0} | item]}


#: What models get wrong -> tool and arguments.
MISTAKES: dict[str, tuple[str, dict[str, Any]]] = {
    '`"1"` for a number': ("add", {"a": "1", "b": 2}),
    "a text for a number": TASKS["refused"],
    "the same, nested": ("order", _order(qty="many")),
    "nested: below the minimum": ("order", _order(qty=0)),
    "not in the enum": ("order", {"currency": "CHF", "items": []}),
    "unknown argument": ("add", {"a": 1, "b": 2, "c": 3}),
    "the tool raises": TASKS["raised"],
}


def make_function(number: int) -> Function:
    """Return a function like `add` that is nobody else's."""

    async def function(a: int, b: int) -> int:
        return a + b

    function.__name__ = function.__qualname__ = f"add_{number}"
    function.__doc__ = f"""Add two integers, number {number}.

    Args:
        a: The first one.
        b: The second one.
    """
    return function
