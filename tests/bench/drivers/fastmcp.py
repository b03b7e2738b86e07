"""FastMCP: a server without and with a middleware, and a client in memory."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Path
from tasks import Function

# Read at import.
os.environ.setdefault("FASTMCP_LOG_LEVEL", "CRITICAL")

from fastmcp import Client, FastMCP
from fastmcp.server.middleware import Middleware


class Passive(Middleware):
    """Wraps every call in nothing."""

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Let it pass."""
        return await call_next(context)


def register(functions: Sequence[Function]) -> FastMCP:
    """Return a server of the functions."""
    server = FastMCP("bench")
    for function in functions:
        server.add_tool(function)
    return server


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open two servers and a client."""
    plain, wrapped = register(functions), register(functions)
    wrapped.add_middleware(Passive())
    async with Client(plain) as client:
        yield {
            "FastMCP.call_tool": Path(plain.call_tool),
            "FastMCP.call_tool, 1 middleware": Path(wrapped.call_tool),
            "Client.call_tool, in memory": Path(client.call_tool),
        }


async def export(server: FastMCP) -> list[Any]:
    """Return what a client gets."""
    tools = [tool.to_mcp_tool() for tool in await server.list_tools()]
    return [tool.model_dump(mode="json", exclude_none=True) for tool in tools]
