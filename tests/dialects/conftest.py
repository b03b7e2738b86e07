"""Results to be written, tools to be offered."""

from collections.abc import Callable
from typing import Any

import pytest

from pegboard import BatchResult, ToolCall, ToolDefinition, ToolResult


@pytest.fixture
def batch() -> Callable[..., BatchResult]:
    """Make a batch of results, each of its own call: content, or (content, code)."""

    def make(*contents: Any, name: str = "now", id: str = "call_{}") -> BatchResult:
        results = []
        for number, content in enumerate(contents, 1):
            content, code = content if isinstance(content, tuple) else (content, None)
            call = ToolCall(name, {}, id=id.format(number))
            results.append(ToolResult(content, code=code, call=call, details="hidden"))
        return BatchResult(results)

    return make


@pytest.fixture
def definition() -> Callable[..., ToolDefinition]:
    """Make a definition of a schema of properties, all optional but those named."""

    def make(properties: Any, *required: str, **keywords: Any) -> ToolDefinition:
        schema = {"type": "object", "properties": properties, **keywords}
        if required:
            schema["required"] = list(required)
        return ToolDefinition("now", "Tells the time.", schema)

    return make
