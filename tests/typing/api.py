"""What a type checker sees of the public API. Checked by `nox -s types`, never run."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, assert_type

from pegboard import (
    Block,
    CallNext,
    Defer,
    Injected,
    Middleware,
    PreparedCall,
    Respond,
    ToolContext,
    ToolDefinition,
    ToolResult,
    hookimpl,
    tool,
)
from pegboard.dialects import openai_chat
from pegboard.protocols import Dialect


@tool
def plain(text: str) -> int:
    """Count."""
    return len(text)


@tool(read_only=True, timeout=5)
async def fetch(
    city: str,
    *,
    context: ToolContext,
    key: Annotated[str, Injected("KEY")],
) -> dict[str, int]:
    """Fetch."""
    return {city: int(context.attempt)}


class Shop:
    """A tool binds as a method does."""

    @tool
    def price(self, item: str) -> float:
        """Price."""
        return float(len(item))


def a_tool_is_called_as_the_function_it_wraps() -> None:
    """V2: nothing of a signature is lost, and nothing is added."""
    assert_type(plain("x"), int)
    assert_type(plain(text="x"), int)
    plain(3)  # type: ignore[arg-type]  # the parameter is a str
    assert_type(Shop().price("x"), float)
    assert_type(plain.definition, ToolDefinition)


async def an_async_tool_is_awaited(context: ToolContext) -> None:
    """V2: an async function stays one."""
    assert_type(await fetch("Oslo", context=context, key="k"), dict[str, int])


def any_callable_is_a_tool(shop: Shop) -> None:
    """V3: the function form keeps the signature too."""
    assert_type(tool(shop.price, name="price")("x"), float)


class Policy:
    """H1: implementations are typed by the contract's own words."""

    @hookimpl
    def before_tool_call(self, call: PreparedCall) -> Block | Respond | Defer | None:
        """Refuse some."""
        return Block("no") if call.tool and call.tool.annotations.destructive else None

    @hookimpl
    async def after_tool_call(
        self, call: PreparedCall, result: ToolResult
    ) -> ToolResult | None:
        """Rewrite some."""
        return result.replace(details={"seen": True}) if result.is_error else None

    @hookimpl
    def tool_middleware(self, tool: ToolDefinition) -> Middleware | None:
        """Wrap some."""
        return stamp if tool.tags else None


async def stamp(call: PreparedCall, call_next: CallNext) -> ToolResult:
    """H4: the form of a middleware."""
    return await call_next(call)


middleware: Middleware = stamp
dialect: Dialect = openai_chat
executed: Callable[..., Any] | None = plain.execute
schema: Mapping[str, Any] = plain.definition.input_schema
