"""UTCP: the client's dispatch, to a protocol of ours that calls a function.

Its core has no protocol within a process, and is handed each tool's schema.
"""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Path
from tasks import Function
from utcp.data.call_template import CallTemplate
from utcp.data.register_manual_response import RegisterManualResult
from utcp.data.tool import JsonSchema, Tool
from utcp.data.utcp_manual import UtcpManual
from utcp.interfaces.communication_protocol import CommunicationProtocol
from utcp.interfaces.serializer import Serializer
from utcp.plugins.discovery import (
    register_call_template,
    register_communication_protocol,
)
from utcp.utcp_client import UtcpClient

SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}


class Templates(Serializer[CallTemplate]):
    """Templates as they are."""

    def to_dict(self, obj: CallTemplate) -> dict[str, Any]:
        """Return a template's members."""
        return obj.model_dump()

    def validate_dict(self, obj: dict[str, Any]) -> CallTemplate:
        """Return the template with these members."""
        return CallTemplate.model_validate(obj)


class Direct(CommunicationProtocol):
    """Calls functions of this process."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}

    async def register_manual(self, caller: Any, manual_call_template: Any) -> Any:
        """Offer each function as a tool with one schema."""
        tools = [
            Tool(
                name=name,
                description=inspect.getdoc(function) or "",
                inputs=JsonSchema.model_validate(SCHEMA),
                tool_call_template=manual_call_template,
            )
            for name, function in self.functions.items()
        ]
        return RegisterManualResult(
            manual_call_template=manual_call_template,
            manual=UtcpManual(tools=tools),
            success=True,
        )

    async def deregister_manual(self, caller: Any, manual_call_template: Any) -> None:
        """Do nothing."""

    async def call_tool(
        self, caller: Any, tool_name: str, tool_args: Any, tool_call_template: Any
    ) -> Any:
        """Call the function."""
        result = self.functions[tool_name.partition(".")[2]](**tool_args)
        return await result if inspect.isawaitable(result) else result

    async def call_tool_streaming(self, *given: Any) -> AsyncIterator[Any]:
        """Call the function."""
        yield await self.call_tool(*given)


DIRECT = Direct()
register_call_template("direct", Templates())
register_communication_protocol("direct", DIRECT)


async def _client(functions: Sequence[Function]) -> UtcpClient:
    DIRECT.functions = {function.__name__: function for function in functions}
    client = await UtcpClient.create()
    await client.register_manual(
        CallTemplate(name="bench", call_template_type="direct")
    )
    return client


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open a client."""
    client = await _client(functions)

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        return await client.call_tool(f"bench.{name}", arguments)

    yield {"UtcpClient.call_tool": Path(call)}


def register(functions: Sequence[Function]) -> UtcpClient:
    """Return a client of the functions; it has only an asynchronous way."""
    made: list[UtcpClient] = []
    thread = threading.Thread(
        target=lambda: made.append(asyncio.run(_client(functions)))
    )
    thread.start()
    thread.join()
    return made[0]


async def export(client: UtcpClient) -> list[Any]:
    """Return what a model gets."""
    tools = await client.config.tool_repository.get_tools()
    return [tool.inputs.model_dump(by_alias=True, exclude_none=True) for tool in tools]
