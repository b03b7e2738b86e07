"""Semantic Kernel: a kernel without and with a filter, and a model's function call."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from paths import Path
from semantic_kernel import Kernel
from semantic_kernel.contents import ChatHistory, FunctionCallContent
from semantic_kernel.filters import FilterTypes
from semantic_kernel.functions import KernelArguments, kernel_function
from tasks import Function


async def _passive(context: Any, next: Any) -> None:
    await next(context)


def register(functions: Sequence[Function]) -> Kernel:
    """Return a kernel of the functions."""
    kernel = Kernel()
    kernel.add_functions("bench", [kernel_function(each) for each in functions])
    return kernel


def _path(kernel: Kernel) -> Path:
    async def call(name: str, arguments: dict[str, Any]) -> Any:
        return await kernel.invoke(
            plugin_name="bench",
            function_name=name,
            arguments=KernelArguments(**arguments),
        )

    return Path(call)


def _of_model(kernel: Kernel) -> Path:
    async def call(name: str, arguments: str) -> Any:
        history = ChatHistory()
        content = FunctionCallContent(id="c", name=f"bench-{name}", arguments=arguments)
        await kernel.invoke_function_call(content, history)
        return history.messages[-1].items[0].result

    def is_error(result: Any) -> bool:
        text = str(result)
        return "error" in text.lower() or "invalid" in text.lower()

    return Path(call, takes_text=True, is_error=is_error)


@asynccontextmanager
async def open_paths(functions: Sequence[Function]) -> AsyncIterator[dict[str, Path]]:
    """Open two kernels in three ways."""
    plain, filtered = register(functions), register(functions)
    filtered.add_filter(FilterTypes.FUNCTION_INVOCATION, _passive)
    yield {
        "Kernel.invoke": _path(plain),
        "Kernel.invoke, 1 filter": _path(filtered),
        "Kernel.invoke_function_call": _of_model(plain),
    }


async def export(kernel: Kernel) -> list[Any]:
    """Return what the kernel knows of each function."""
    found = kernel.get_full_list_of_function_metadata()
    return [each.model_dump(mode="json", exclude_none=True) for each in found]
