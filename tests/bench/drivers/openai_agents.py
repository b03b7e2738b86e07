"""OpenAI Agents SDK: a FunctionTool by itself, and its agent loop."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Calls, Path
from tasks import Function

# Read at import, as a client is made then.
os.environ.setdefault("OPENAI_API_KEY", "none")

from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import (
    ScriptedModel,
    assistant_message,
    function_call,
)
from agents.tool_context import ToolContext

set_tracing_disabled(True)
WITHOUT_TRACES = RunConfig(tracing_disabled=True)


def _is_error(result: Any) -> bool:
    return isinstance(result, str) and result.startswith("An error occurred")


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open a tool's own entry, and the loop with a scripted model."""
    tools = register(functions)
    by_name = {tool.name: tool for tool in tools}

    async def invoke(name: str, arguments: str) -> Any:
        context: ToolContext[None] = ToolContext(
            context=None, tool_name=name, tool_call_id="c", tool_arguments=arguments
        )
        return await by_name[name].on_invoke_tool(context, arguments)

    def script(calls: Calls) -> list[Any]:
        return [
            function_call(name, given, call_id=f"c{index}")
            for index, (name, given) in enumerate(calls)
        ]

    async def loop(calls: list[Any]) -> list[Any]:
        model = ScriptedModel([calls, [assistant_message("done")]])
        agent = Agent(name="bench", model=model, tools=list(tools))
        done = await Runner.run(agent, "go", run_config=WITHOUT_TRACES)
        return [i for i in done.new_items if i.type == "tool_call_output_item"]

    yield {
        "FunctionTool.on_invoke_tool": Path(
            invoke, takes_text=True, is_error=_is_error
        ),
        "Runner.run": Path(None, loop, script),
    }


def register(functions: Sequence[Function]) -> list[FunctionTool]:
    """Return a FunctionTool of each."""
    return [function_tool(function) for function in functions]


async def export(tools: list[FunctionTool]) -> list[Any]:
    """Return what a model gets."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.params_json_schema,
        }
        for tool in tools
    ]
