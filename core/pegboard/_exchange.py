"""What a worker process is asked, and what its answer stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard import content as content_module
from pegboard._output import to_json
from pegboard._tracing import carry
from pegboard._wire import Message
from pegboard.errors import ToolError
from pegboard.protocols import Body
from pegboard.results import ToolResult
from pegboard.runners import NotStarted, RemoteError

_SCALARS = (str, int, float, bool, type(None))


def request_of(body: Body) -> Message:
    """Return what a worker must know of a call.

    Raises:
        NotStarted: an injected value is no JSON.
    """
    context = body.context
    for name, value in body.hidden.items():
        if not _is_plain(value):
            raise NotStarted(
                f"{body.tool.name} is unavailable: the value of {name!r} is no JSON, so"
                " it cannot be carried to a process"
            )
    message: Message = {
        "tool": body.tool.id.partition(":")[2],
        "hidden": dict(body.hidden),
        "seconds": body.seconds,
        "log_level": context.log.getEffectiveLevel(),
        "trace": carry(),
        "context": {
            "call": context.call_made.to_dict(),
            "attempt": context.attempt,
            "key": context.idempotency_key,
            "metadata": to_json(dict(context.metadata))[0],
        },
    }
    kwargs = {
        name: value
        for name, value in body.kwargs.items()
        if name not in body.hidden and value is not context
    }
    if _is_plain([*body.args, *kwargs.values()]):
        # Bound already, and nothing is lost on the way: the worker needs no pydantic.
        message |= {"args": body.args, "kwargs": kwargs}
    else:
        message["arguments"] = body.arguments
    return message


def _is_plain(value: Any) -> bool:
    """Whether a value comes back from JSON as it was, types included."""
    kind = type(value)
    if kind is list:
        return all(_is_plain(item) for item in value)
    if kind is dict:
        return all(type(k) is str and _is_plain(v) for k, v in value.items())
    return kind in _SCALARS


def outcome_of(body: Body, answer: Message) -> Any:
    """Return what a body returned, or raise what stands for what it raised.

    Raises:
        NotStarted: the worker could not find the tool.
        ToolError: what the body said; or the answer is none.
        RemoteError: the body raised anything else.
    """
    try:
        if "unavailable" in answer:
            raise NotStarted(
                f"{body.tool.name} is unavailable: {answer['unavailable']}"
            )
        if "said" in answer:
            raise ToolError(
                str(answer["said"]),
                code=str(answer["code"]),
                details=answer["details"],
                retryable=bool(answer["retryable"]),
            )
        if "failed" in answer:
            raise RemoteError(
                str(answer["failed"]), kind=str(answer["kind"]), names=answer["names"]
            )
        return _value(answer["value"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ToolError(
            f"the process of {body.tool.name} answered something that is no answer"
        ) from error


def _value(given: Mapping[str, Any]) -> Any:
    if "result" in given:
        shown = dict(given["result"])
        blocks = [content_module.from_dict(block) for block in shown.pop("content")]
        return ToolResult(blocks, **shown)
    if "content" in given:
        return [content_module.from_dict(block) for block in given["content"]]
    if given["lost"]:
        details = {"not_serialised": given["lost"]}
        return ToolResult(data=given["data"], details=details)
    return given["data"]
