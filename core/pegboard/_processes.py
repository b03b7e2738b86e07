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
from collections.abc import Callable, Iterable
from typing import Any

from pegboard import content as content_module
from pegboard._exchange import outcome_of, request_of
from pegboard._subprocess import Gone, Subprocess, how_it_ended
from pegboard._wire import Message, Origin
from pegboard.errors import ToolError
from pegboard.protocols import Body
from pegboard.runners import NotStarted

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
        # A board that nobody holds any more, nor its loop, leaves no process behind.
        weakref.finalize(self, _end, self._all, self._owner).atexit = False

    def _let_be(self) -> None:
        """Have nothing to do with the processes of a parent that this is a fork of."""
        if self._owner != os.getpid():
            self._reset()

    async def run(self, body: Body) -> Any:
        """Return what the body returned, or raise what stands for what it raised.

        Raises:
            NotStarted: no process could be started, or find the tool.
            ToolError: what the body said; or its process died, with its exit code.
            RemoteError: the body raised anything else.
        """
        self._let_be()
        origin, request = self._origin(body.tool.plugin), request_of(body)
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
            return outcome_of(body, answer)

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
        retire = weakref.WeakMethod(self._retire)  # its sleep keeps no runner alive
        worker.sleep(IDLE, lambda worker: (call := retire()) and call(worker))

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
        self._let_be()
        workers = list(self._all)
        for worker in [it for idle in self._idle.values() for it in idle]:
            worker.end()
        self._idle.clear()
        for worker in workers:
            worker.kill()  # whoever listens hears of it
        for worker in workers:
            await worker.buried(_BURIAL)
            worker.join()


def _end(workers: Iterable[Subprocess], owner: int) -> None:
    if owner == os.getpid():
        for worker in list(workers):
            worker.end()


def _introduced(worker: Subprocess, body: Body, request: Message) -> Message:
    """Return a request with what this worker has not heard yet."""
    if request["tool"] in worker.known:
        return request
    worker.known.add(request["tool"])
    return {**request, "definition": body.tool.to_dict()}
