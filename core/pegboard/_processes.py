"""The process runner: bodies in processes of their own, which can be killed.

A worker is a subprocess in a session of its own, so that whatever a tool starts dies
with it, unless it leaves the session. Workers are kept warm for their plugin and end
after a number of calls.
"""

from __future__ import annotations

import asyncio
import collections
import logging
import os
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from pegboard import content as content_module
from pegboard._output import to_json
from pegboard._subprocess import Gone, Subprocess, how_it_ended
from pegboard._tracing import carry
from pegboard._wire import Message, Origin
from pegboard.errors import ToolError
from pegboard.protocols import Body
from pegboard.results import ToolResult
from pegboard.runners import NotStarted, RemoteError

#: Calls after which a worker is replaced.
MAX_CALLS = 200
#: Seconds after which an idle worker ends.
IDLE = 60.0
#: Seconds that a process may take to begin a body.
START = 60.0
#: Seconds that a body has to end by itself once its call is cancelled.
NOTICE = 0.5
#: Seconds that a killed process is waited for.
_BURIAL = 5.0
_SCALARS = (str, int, float, bool, type(None))


class ProcessRunner:
    """Runs bodies of plugins in processes of their own.

    Args:
        origin: A plugin's name -> where a process finds it again.
        limit: How many processes work at once; as many more are kept warm.
        memory: Bytes of address space of each process, None for no limit.

    Attributes:
        limit: How many bodies may run at once.
    """

    remote = True
    begins_late = True

    def __init__(
        self,
        origin: Callable[[str], Origin],
        *,
        limit: int | None = None,
        memory: int | None = None,
    ) -> None:
        self.limit = limit or min(32, (os.cpu_count() or 1) + 4)
        self._origin = origin
        self._memory = memory
        self._reset()

    def _reset(self) -> None:
        self._owner = os.getpid()
        # Their watches hold them until they have ended.
        self._all: weakref.WeakSet[Subprocess] = weakref.WeakSet()
        self._idle: dict[Origin, list[Subprocess]] = collections.defaultdict(list)

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what stands for what it raised.

        Raises:
            NotStarted: no process could be started, or find the tool.
            ToolError: what the body said; or its process died, with its exit code.
            RemoteError: the body raised anything else.
        """
        if self._owner != os.getpid():
            self._reset()  # a fork has the parent's processes, and must let them be
        origin, request = self._origin(body.tool.plugin), _request(body)
        while True:
            worker = self._take(body, origin)
            is_fresh = worker.calls == 0
            try:
                answer = await self._ask(worker, body, request)
            except Gone:
                # A warm one may have died of old age; a fresh one has a reason.
                if is_fresh:
                    code = await worker.buried(_BURIAL)
                    raise NotStarted(
                        f"{body.tool.name} is unavailable: its process"
                        f" {how_it_ended(code)} before it began"
                    ) from None
                continue
            self._give_back(worker)
            return _decode(body, answer)

    def _take(self, body: Body, origin: Origin) -> Subprocess:
        waiting = self._idle[origin]
        while waiting:
            worker = waiting.pop()
            worker.wake()
            if worker.is_alive:
                return worker
            worker.end()
        try:
            worker = Subprocess(origin, self._memory)
        except OSError as error:
            raise NotStarted(f"{body.tool.name} is unavailable: {error}") from error
        self._all.add(worker)
        return worker

    def _give_back(self, worker: Subprocess) -> None:
        """Keep a worker warm, or end it: after many calls, or beside many idle ones."""
        idle = sum(map(len, self._idle.values()))
        if not worker.is_alive or worker.calls >= MAX_CALLS or idle >= self.limit:
            worker.end()
            return
        self._idle[worker.origin].append(worker)
        worker.sleep(IDLE, self._retire)

    def _retire(self, worker: Subprocess) -> None:
        if worker in self._idle[worker.origin]:
            self._idle[worker.origin].remove(worker)
        worker.end()

    async def _ask(self, worker: Subprocess, body: Body, request: Message) -> Message:
        """Have a worker run a body; whatever goes wrong, the worker ends.

        Raises:
            Gone: the worker ended before the body began.
        """
        try:
            async with asyncio.timeout(START):
                await worker.send(_introduced(worker, body, request))
                answer = await worker.receive()
            if "begun" in answer:
                worker.calls += 1
                body.begin()
                answer = await self._listen(worker, body)
            return answer
        except TimeoutError:
            worker.end()
            raise NotStarted(
                f"{body.tool.name} is unavailable: its process did not begin within"
                f" {START:g} s"
            ) from None
        except asyncio.CancelledError:
            await self._stop(worker, body)
            raise
        except BaseException:
            worker.end()
            raise

    async def _listen(self, worker: Subprocess, body: Body) -> Message:
        """Pass on what a body says on the way, and return its answer."""
        try:
            while True:
                answer = await worker.receive()
                if "update" in answer:
                    blocks = [content_module.from_dict(it) for it in answer["update"]]
                    body.context.update(blocks, details=answer["details"])
                elif "log" in answer:
                    logger = logging.getLogger(str(answer["to"]))
                    logger.log(int(answer["at"]), "%s", answer["log"])
                else:
                    return answer
        except Gone:
            worker.end()
            code = await worker.buried(_BURIAL)
            raise ToolError(
                f"the process of {body.tool.name} {how_it_ended(code)}",
                details={"exit_code": code},
            ) from None

    async def _stop(self, worker: Subprocess, body: Body) -> None:
        """End a worker in the middle of a body, with everything that it has started."""
        try:
            if worker.calls and not body.is_late():
                async with asyncio.timeout(NOTICE):
                    await worker.send({"cancel": True})
                    await self._listen(worker, body)
        except (TimeoutError, ToolError, ValueError):
            pass  # it did not use its time, or it is gone already
        finally:
            worker.end()
        await worker.buried(_BURIAL)

    async def close(self) -> None:
        """End all processes; their calls end with an error."""
        workers = list(self._all)
        for worker in [it for idle in self._idle.values() for it in idle]:
            worker.end()
        self._idle.clear()
        for worker in workers:
            worker.kill()  # whoever listens hears of it
        for worker in workers:
            await worker.buried(_BURIAL)
            worker.join()


def _request(body: Body) -> Message:
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


def _introduced(worker: Subprocess, body: Body, request: Message) -> Message:
    """Return a request with what this worker has not heard yet."""
    if request["tool"] in worker.known:
        return request
    worker.known.add(request["tool"])
    return {**request, "definition": body.tool.to_dict()}


def _decode(body: Body, answer: Message) -> Any:
    """Return what a body returned, or raise what stands for what it raised."""
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
