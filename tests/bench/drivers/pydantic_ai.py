"""Pydantic AI: a toolset by itself, the tool manager, and the agent loop."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Calls, Path
from pydantic_ai import Agent, FunctionToolset, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.usage import RunUsage
from tasks import Function

PATIENT = 1_000_000  # or a tool that fails often ends the run


class Passive(AbstractCapability):
    """Wraps every execution in nothing."""

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Let it pass."""
        return await handler(args)


def _context() -> RunContext[None]:
    return RunContext(deps=None, model=TestModel(), usage=RunUsage())


def register(functions: Sequence[Function]) -> FunctionToolset:
    """Return a toolset of the functions."""
    return FunctionToolset(list(functions), max_retries=PATIENT)


async def _manager(functions: Sequence[Function], **options: Any) -> Path:
    manager = ToolManager(register(functions), **options)
    manager = await manager.for_run_step(_context())

    async def call(name: str, arguments: Any) -> Any:
        return await manager.handle_call(ToolCallPart(name, arguments, "c"))

    return Path(call, takes_text=True)


async def _toolset(functions: Sequence[Function]) -> Path:
    toolset, context = register(functions), _context()
    tools = await toolset.get_tools(context)

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        tool = tools[name]
        valid = tool.args_validator.validate_python(arguments)
        return await toolset.call_tool(name, valid, context, tool)

    return Path(call)


def _parts(calls: Calls) -> list[ToolCallPart]:
    return [
        ToolCallPart(name, given, f"c{index}")
        for index, (name, given) in enumerate(calls)
    ]


def _loop(functions: Sequence[Function]) -> Path:
    waiting: list[ToolCallPart] = []

    def answer(messages: Any, info: Any) -> ModelResponse:
        asked = [*waiting]
        waiting.clear()
        return ModelResponse(asked or [TextPart("done")])

    agent = Agent(FunctionModel(answer), toolsets=[register(functions)])

    async def many(calls: list[ToolCallPart]) -> list[Any]:
        waiting.extend(calls)
        done = await agent.run("go")
        parts = [part for message in done.all_messages() for part in message.parts]
        return [part for part in parts if part.part_kind == "tool-return"]

    return Path(None, many, _parts)


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open the toolset, the manager without and with a hook, and the loop."""
    yield {
        "FunctionToolset.call_tool": await _toolset(functions),
        "ToolManager.handle_call": await _manager(functions),
        "ToolManager.handle_call, 1 hook": await _manager(
            functions, root_capability=Passive()
        ),
        "Agent.run": _loop(functions),
    }


async def export(toolset: FunctionToolset) -> list[Any]:
    """Return what a model gets."""
    tools = await toolset.get_tools(_context())
    return [tool.tool_def.parameters_json_schema for tool in tools.values()]
