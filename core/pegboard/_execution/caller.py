"""The ways in to an executor: one call, a batch, a stream, a resumed batch.

The same for a board and for an executor alone; each way has one async form, and one
thin sync form for programs without a loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

from pegboard.batches import BatchResult
from pegboard.calls import Arguments, ToolCall
from pegboard.decisions import Approve, Deny
from pegboard.events import Event
from pegboard.results import ToolResult

if TYPE_CHECKING:
    from pegboard._execution.stream import Stream
    from pegboard._executor import Executor


class Caller:
    """Runs calls through the executor that `ready` returns."""

    #: The executor once `ready` has returned it, as long as it stays so.
    _entered: Executor | None = None

    async def ready(self) -> Executor:
        """Return the executor, on the loop that it belongs to."""
        raise NotImplementedError

    @property
    def executor(self) -> Executor:
        """What runs the calls."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close what was opened, and stop the runners."""
        raise NotImplementedError

    async def call(
        self,
        name: str,
        arguments: Arguments = None,
        *,
        id: str = "",
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> ToolResult:
        """Run one call in the caller's own context.

        Args:
            name: The tool's offered name.
            arguments: JSON as text or bytes, a mapping, or None.
            id: The call's id; made up if empty.
            metadata: What hooks and the tool may know of who asks.
            dry_run: Whether a tool that is not read-only is only previewed.

        Returns:
            The result, whatever happened.

        Raises:
            Abort: a hook or middleware raised it on purpose.
        """
        executor = self._entered
        if executor is None or not executor.door.is_here():
            executor = await self.ready()
        return await executor.begin(name, arguments, id, metadata, dry_run)

    async def run(
        self,
        calls: Iterable[ToolCall],
        *,
        metadata: Mapping[str, Any] | None = None,
        sequential: bool = False,
        cancel: asyncio.Event | None = None,
        dry_run: bool = False,
        max_calls: int | None = None,
    ) -> BatchResult:
        """Run the calls of one model turn.

        Args:
            calls: What the model asked for.
            metadata: What hooks and tools may know of who asks.
            sequential: Whether each call ends before the next starts.
            cancel: Ends the batch early, with complete results.
            dry_run: Whether only read-only bodies execute.
            max_calls: How many run at most; None means the board's own limit.

        Returns:
            One result a call, in call order.

        Raises:
            Abort: a hook or middleware raised it on purpose; has the batch.
        """
        executor = await self.ready()
        return await executor.run_prepared(
            executor.new_run(metadata=metadata, dry_run=dry_run),
            calls,
            sequential=sequential,
            cancel=cancel,
            max_calls=max_calls,
        )

    async def stream(
        self,
        calls: Iterable[ToolCall],
        *,
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool = False,
        **options: Any,
    ) -> AsyncGenerator[Event]:
        """Run the calls as `run` does, and yield each event as it happens.

        The last one is BatchEnd. Leaving the iteration early cancels the batch.

        Args:
            calls: What the model asked for.
            metadata: What hooks and tools may know of who asks.
            dry_run: Whether only read-only bodies execute.
            options: sequential, cancel, max_calls as for `run`.
        """
        executor = await self.ready()
        run, stream = executor.new_stream(metadata=metadata, dry_run=dry_run)
        async with _running(executor.run_prepared(run, calls, **options), stream):
            async for event in stream:
                yield event

    async def resume(
        self,
        batch: BatchResult,
        decisions: Mapping[int | str, Approve | Deny],
        *,
        metadata: Mapping[str, Any] | None = None,
        cancel: asyncio.Event | None = None,
    ) -> BatchResult:
        """Finish the deferred calls of a batch; finished ones never run again.

        The batch is input, not authority: each call is validated and passes every
        guard again, with `call.approval` set.

        Args:
            batch: What `run` returned, in this process or another.
            decisions: By position or by unique id: Approve or Deny. Deferred calls
                without one stay deferred.
            metadata: What hooks and tools may know of who asks.
            cancel: Ends the batch early, with complete results.
        """
        from pegboard._execution.resumption import resume  # late: few need it

        executor = await self.ready()
        return await resume(
            executor, batch, decisions, metadata=metadata, cancel=cancel
        )

    # -- without a loop

    async def open(self) -> None:
        """Open what plugins hold; without it they open at first use."""
        await self.ready()

    async def __aenter__(self) -> Self:
        """Do what `open` does."""
        await self.open()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Do what `close` does."""
        await self.close()

    def __enter__(self) -> Self:
        """Do what `async with` does, for programs without a loop."""
        self.executor.door.wait(self.open, "use `async with`")
        return self

    def __exit__(self, *error: object) -> None:
        """Close what plugins hold, the runners, and the loop that was made for them."""
        self.executor.door.wait(self.close, "use `async with`")
        self.executor.door.close()

    def call_sync(
        self, name: str, arguments: Arguments = None, **options: Any
    ) -> ToolResult:
        """Do what `call` does, for programs without a loop."""
        return self.executor.door.wait(
            lambda: self.call(name, arguments, **options), "use `await ...call(...)`"
        )

    def run_sync(self, calls: Iterable[ToolCall], **options: Any) -> BatchResult:
        """Do what `run` does, for programs without a loop, and in a notebook."""
        return self.executor.door.wait(
            lambda: self.run(calls, **options), "use `await ...run(...)`"
        )

    def resume_sync(
        self,
        batch: BatchResult,
        decisions: Mapping[int | str, Approve | Deny],
        **options: Any,
    ) -> BatchResult:
        """Do what `resume` does, for programs without a loop, and in a notebook."""
        return self.executor.door.wait(
            lambda: self.resume(batch, decisions, **options),
            "use `await ...resume(...)`",
        )


@asynccontextmanager
async def _running(batch: Any, stream: Stream) -> AsyncIterator[None]:
    task = asyncio.get_running_loop().create_task(batch)
    task.add_done_callback(lambda task: stream.end())
    try:
        yield
        await task
    finally:
        task.cancel()
        while not task.done():
            with suppress(asyncio.CancelledError):  # however often: it ends by itself
                await asyncio.wait([task])
