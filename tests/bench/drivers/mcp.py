"""MCP's Python SDK: a server's tool manager, the server, and a client in memory."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import ToolManager
from paths import Path
from tasks import Function


def _is_error(result: Any) -> bool:
    return bool(getattr(result, "is_error", False))


def register(functions: Sequence[Function]) -> MCPServer:
    """Return a server of the functions."""
    server = MCPServer("bench", log_level="CRITICAL")
    for function in functions:
        server.add_tool(function)
    return server


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open the manager, the server, and a client of it."""
    manager, server = ToolManager(), register(functions)
    for function in functions:
        manager.add_tool(function)

    async def managed(name: str, arguments: dict[str, Any]) -> Any:
        return await manager.call_tool(name, arguments, None, convert_result=True)

    async with Client(server) as client:
        yield {
            "ToolManager.call_tool": Path(managed, is_error=_is_error),
            "MCPServer.call_tool": Path(server.call_tool, is_error=_is_error),
            "Client.call_tool, in memory": Path(client.call_tool, is_error=_is_error),
        }


async def export(server: MCPServer) -> list[Any]:
    """Return what a client gets."""
    tools = await server.list_tools()
    return [tool.model_dump(mode="json", exclude_none=True) for tool in tools]
