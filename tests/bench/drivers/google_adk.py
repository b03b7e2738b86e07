"""Google ADK: its function-call flow as it comes, and with all checks switched on."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.run_config import RunConfig, ToolThreadPoolConfig
from google.adk.features._feature_registry import FeatureName, override_feature_enabled
from google.adk.flows.llm_flows.functions import handle_function_call_list_async
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool
from google.genai import types
from paths import Calls, Path
from tasks import Function


class Passive(BasePlugin):
    """Looks at every call; only an error is answered."""

    async def before_tool_callback(self, **given: Any) -> None:
        """Let it pass."""

    async def after_tool_callback(self, **given: Any) -> None:
        """Let it pass."""

    async def on_tool_error_callback(self, *, error: Exception, **given: Any) -> Any:
        """Make an answer of it."""
        return {"error": str(error)}


def _request(calls: Calls) -> list[types.FunctionCall]:
    return [
        types.FunctionCall(name=name, args=given, id=f"c{index}")
        for index, (name, given) in enumerate(calls)
    ]


def _is_error(part: Any) -> bool:
    return "error" in part.function_response.response


def _path(context: InvocationContext, tools: dict[str, Any], *, checks: bool) -> Path:
    async def many(calls: list[types.FunctionCall]) -> list[Any]:
        override_feature_enabled(FeatureName.FUNCTION_TOOL_ARG_VALIDATION, checks)
        event = await handle_function_call_list_async(context, calls, tools)
        return event.content.parts

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        return (await many(_request([(name, arguments)])))[0]

    return Path(call, many, _request, is_error=_is_error)


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open the flow twice."""
    tools = {tool.name: tool for tool in register(functions)}
    agent = LlmAgent(name="bench", tools=list(tools.values()))
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="bench", user_id="somebody")

    def context(plugins: list[BasePlugin], config: RunConfig | None = None) -> Any:
        made = InvocationContext(
            session_service=sessions,
            invocation_id="bench",
            agent=agent,
            session=session,
            plugin_manager=PluginManager(plugins=plugins),
        )
        made.run_config = config
        return made

    pooled = RunConfig(tool_thread_pool_config=ToolThreadPoolConfig())
    checked = context([Passive(name="passive")], pooled)
    yield {
        "handle_function_call_list_async": _path(context([]), tools, checks=False),
        "the same, 1 plugin, checks on": _path(checked, tools, checks=True),
    }


def register(functions: Sequence[Function]) -> list[FunctionTool]:
    """Return a FunctionTool of each."""
    return [FunctionTool(function) for function in functions]


async def export(tools: list[FunctionTool]) -> list[Any]:
    """Return what a model gets."""
    declarations = [tool._get_declaration() for tool in tools]
    return [each.model_dump(mode="json", exclude_none=True) for each in declarations]
