"""The far end of a process: runs bodies of one plugin, one at a time.

Started by the process runner as `python -P -m pegboard._worker FD MEMORY`. Only
JSON goes over the line; standard output and error are the tool's own.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import io
import logging
import os
import queue
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

from pegboard import _signatures
from pegboard._distributions import Found
from pegboard._execution.failure import describe
from pegboard._loader import load
from pegboard._output import as_blocks, to_json
from pegboard._plugins import PluginSet
from pegboard._tracing import carried
from pegboard._wire import Line, Message
from pegboard.calls import ToolCall
from pegboard.context import ToolContext
from pegboard.errors import ToolError, UsageError
from pegboard.protocols import Body
from pegboard.results import ToolResult
from pegboard.runners import drain, settle
from pegboard.schemas import ToolDefinition
from pegboard.tools import Tool

#: Seconds for a clean exit once the host has hung up.
_PATIENCE = 1.0


class Worker:
    """Serves the calls that come over a line.

    Args:
        line: Leads to the host.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self._calls: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._tools: dict[str, Tool[..., Any]] = {}
        self._definitions: dict[str, ToolDefinition] = {}
        self._trouble = ""
        self._is_cancelled = False
        self._runner = asyncio.Runner()
        self._task: asyncio.Task[Any] | None = None

    def serve(self) -> None:
        """Answer calls until the host hangs up."""
        threading.Thread(target=self._listen, daemon=True).start()
        first = self._calls.get()
        if first is not None:
            self._load(first)
        while (message := self._calls.get()) is not None:
            answer = self._answer(message)
            try:
                self._line.send(answer)
            except ValueError as error:
                self._line.send(_failure(error))

    def _listen(self) -> None:
        while (message := self._line.receive()) is not None:
            if "cancel" in message:
                self._cancel()
            else:
                self._calls.put(message)
        self._calls.put(None)
        time.sleep(_PATIENCE)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)  # and whoever the tool has started

    def _cancel(self) -> None:
        self._is_cancelled = True
        task = self._task
        if task is not None:
            task.get_loop().call_soon_threadsafe(task.cancel)

    def _load(self, message: Message) -> None:
        sys.path += [entry for entry in message["path"] if entry not in sys.path]
        origin = dict(message["origin"])
        settings = origin.pop("settings")
        del origin["variables"]
        try:
            plugin, _ = load(Found(**origin), lambda model: _settings(model, settings))
            plugins = PluginSet()
            plugins.add(plugin)
            self._tools = {made.name: made for made in plugins.tools_of(plugin)}
        except BaseException as error:
            self._trouble = describe(error)

    def _answer(self, message: Message) -> Message:
        made = self._tools.get(message["tool"])
        if made is None or made.execute is None:
            fact = self._trouble or "its plugin brings no such tool without a lifespan"
            return {"unavailable": fact}
        try:
            body = self._body(made, message)
            self._line.send({"begun": True})
            with carried(message["trace"]):
                return {"value": _encode(self._run(body))}
        except BaseException as error:
            return _failure(error)
        finally:
            self._task = None

    def _body(self, made: Tool[..., Any], message: Message) -> Body:
        assert made.execute is not None
        name = message["tool"]
        if "definition" in message:
            definition = ToolDefinition.from_dict(message["definition"])
            self._definitions[name] = definition
        context = self._context(self._definitions[name], message)
        hidden = dict(message["hidden"])
        if made.hidden.context:
            hidden[made.hidden.context] = context
        args, kwargs = message.get("args"), message.get("kwargs", {})
        if args is None:
            args, kwargs = _bind(made, message["arguments"])
        kwargs = {**kwargs, **hidden}
        return Body(context.tool, made.execute, tuple(args), kwargs, context, {})

    def _context(self, definition: ToolDefinition, message: Message) -> ToolContext:
        self._is_cancelled = False
        given, seconds = message["context"], message["seconds"]
        deadline = None if seconds is None else time.monotonic() + seconds
        logger = logging.getLogger("pegboard.tools")
        logger.setLevel(message["log_level"])
        logger.handlers = [_Forward(self._line)]
        logger.propagate = False
        return ToolContext(
            ToolCall.from_dict(given["call"]),
            definition,
            attempt=given["attempt"],
            idempotency_key=given["key"],
            metadata=given["metadata"],
            deadline=deadline,
            send=self._send_update,
            stopped=lambda: self._is_cancelled or _is_past(deadline),
            invoke=_refuse,
            invoke_sync=_refuse,
        )

    def _send_update(self, content: Any, details: Any) -> None:
        blocks = [block.to_dict() for block in content]
        self._line.send({"update": blocks, "details": to_json(details)[0]})

    def _run(self, body: Body) -> Any:
        value = body()
        if inspect.isgenerator(value):
            value = drain(value, body)
        if inspect.isasyncgen(value) or hasattr(type(value), "__await__"):
            here = contextvars.copy_context()
            value = self._runner.run(self._settle(value, body), context=here)
        return value

    async def _settle(self, value: Any, body: Body) -> Any:
        self._task = asyncio.current_task()
        return await settle(value, body)


class _Forward(logging.Handler):
    """Hands the records of a tool's logger to the host's logger of that name."""

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        with suppress(OSError, ValueError):
            self._line.send(
                {"log": self.format(record), "to": record.name, "at": record.levelno}
            )


def _is_past(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _settings(model: Any, text: str) -> tuple[Any, tuple[()]]:
    if model is None:
        return None, ()
    from pydantic import TypeAdapter  # late: few plugins have settings

    return TypeAdapter(model).validate_json(text), ()


def _bind(
    made: Tool[..., Any], arguments: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any]]:
    if made.typed:
        return made.derived.bind(arguments)  # type: ignore[no-any-return]  # its pair
    assert made.execute is not None
    single, bind = _signatures.bind_single(made.execute, made.hidden)
    value = bind(arguments) if bind else arguments
    return (), {single: value}


def _refuse(*args: object) -> NoReturn:
    raise UsageError(
        "a body in a process of its own calls no other tools; runner='thread' can"
    )


def _encode(value: Any) -> Message:
    if isinstance(value, ToolResult):
        shown = value.to_dict()
        names = ("content", "data", "details", "status", "code", "terminate")
        found, _ = to_json({name: shown[name] for name in names})
        return {"result": found}
    blocks = as_blocks(value)
    if blocks is not None:
        return {"content": [block.to_dict() for block in blocks]}
    data, lost = to_json(value)
    return {"data": data, "lost": list(lost)}


def _failure(error: BaseException) -> Message:
    if isinstance(error, ToolError):
        return {
            "said": str(error),
            "code": error.code,
            "details": to_json(error.details)[0],
            "retryable": error.retryable,
        }
    kinds = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__]
    return {"failed": describe(error), "kind": describe(error, "type"), "names": kinds}


def _bound_memory(limit: int) -> None:
    if limit:
        import resource  # POSIX only, as the process runner is

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Serve the host at the other end of the inherited socket."""
    number = int(sys.argv[1])
    os.set_inheritable(number, False)  # what a tool starts cannot hold the line
    _bound_memory(int(sys.argv[2]))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)  # it may be killed at any time
    Worker(Line(socket.socket(fileno=number))).serve()


if __name__ == "__main__":
    main()
