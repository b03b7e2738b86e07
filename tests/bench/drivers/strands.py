"""Strands Agents: its concurrent executor, without and with a pair of hooks."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Calls, Path
from strands import Agent, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent, HookProvider
from strands.models import Model
from strands.telemetry.metrics import Trace
from strands.tools.executors import ConcurrentToolExecutor
from tasks import Function


class Silent(Model):
    """A model that is never asked: the executor is driven without the loop."""

    def update_config(self, **options: Any) -> None:
        """Do nothing."""

    def get_config(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def structured_output(self, *given: Any, **options: Any) -> Any:
        """Never called."""
        raise NotImplementedError

    def stream(self, *given: Any, **options: Any) -> Any:
        """Never called."""
        raise NotImplementedError


class Passive(HookProvider):
    """Looks at every call."""

    def register_hooks(self, registry: Any, **options: Any) -> None:
        """Look before and after."""
        registry.add_callback(BeforeToolCallEvent, lambda event: None)
        registry.add_callback(AfterToolCallEvent, lambda event: None)


def register(functions: Sequence[Function], **options: Any) -> Agent:
    """Return an agent with the functions."""
    tools = [tool(function) for function in functions]
    return Agent(model=Silent(), tools=tools, callback_handler=None, **options)


def _request(calls: Calls) -> list[dict[str, Any]]:
    return [
        {"toolUseId": f"c{index}", "name": name, "input": given}
        for index, (name, given) in enumerate(calls)
    ]


def _path(agent: Agent) -> Path:
    executor = ConcurrentToolExecutor()

    async def many(uses: list[dict[str, Any]]) -> list[Any]:
        results: list[Any] = []
        trace = Trace("bench")
        # Private, but what the agent's own loop calls; the public way is synchronous.
        async for _ in executor._execute(agent, uses, results, trace, None, {}):
            pass
        return results

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        return (await many(_request([(name, arguments)])))[0]

    return Path(call, many, _request, is_error=lambda r: r["status"] == "error")


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open two executors."""
    yield {
        "ConcurrentToolExecutor": _path(register(functions)),
        "ConcurrentToolExecutor, 1 hook pair": _path(
            register(functions, hooks=[Passive()])
        ),
    }


async def export(agent: Agent) -> list[Any]:
    """Return what a model gets."""
    return agent.tool_registry.get_all_tool_specs()
