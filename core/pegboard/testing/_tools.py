"""What a tool promises: its definition, and what its body does with examples."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from pegboard._conversion import as_tool
from pegboard.board import Pegboard
from pegboard.calls import Repair, ToolCall
from pegboard.errors import InvalidArguments, ToolError
from pegboard.results import ToolResult
from pegboard.testing._boards import make_board
from pegboard.testing._definitions import Report, check_definition
from pegboard.testing._probe import PROBE, Probe, is_over
from pegboard.testing._promises import Broken, demand
from pegboard.tools import Tool

#: Seconds that a body has to end once it is cancelled.
GRACE = 2.0
#: Bytes of one result, of which a board would show less.
MOST = 262_144
_UNBOUNDED = 1 << 30
FIX = "Mend the example, or the schema."

Examples = Iterable[Mapping[str, Any]]


def assert_tool_contract(
    tool: Any,
    *,
    examples: Examples = (),
    failing: Examples = (),
    plugins: Iterable[Any] = (),
    secrets: Mapping[str, str] | None = None,
    timeout: float = 10.0,
    max_result_bytes: int = MOST,
) -> None:
    """Check that a tool is what a model and a host may expect of it.

    Without examples nothing is run. Each example is run once, the first of them once
    more, to be cancelled on its way.

    Args:
        tool: A function, a Tool, or whatever can be one.
        examples: Arguments with which it succeeds.
        failing: Arguments that fit, and with which it fails by a ToolError.
        plugins: Plugins that it needs: for `Injected` values.
        secrets: Values of `Injected` parameters.
        timeout: Seconds that one call may take, if the tool does not say.
        max_result_bytes: Longest text of one result, in bytes.

    Raises:
        ContractError: what it does not keep, each with the way out.
    """
    made = as_tool(tool)
    broken = list(check_definition(made))
    bench = _Bench(made, timeout, max_result_bytes)
    with bench.board(plugins, secrets) as board:
        if board.definitions():
            broken += bench.check(board, list(examples), list(failing))
    demand(broken)


class _Bench:
    """Runs the examples of one tool."""

    def __init__(self, tool: Tool[..., Any], timeout: float, most: int) -> None:
        self._tool = copy.copy(tool)
        self._tool.runner, self._tool.retry = PROBE, None
        self._probe = Probe(tool)
        self._timeout = timeout
        self._most = most
        self._report: Report = partial(Broken, f"tool {tool.name!r}")

    def board(
        self, plugins: Iterable[Any], secrets: Mapping[str, str] | None
    ) -> Pegboard:
        """Return a board of the tool alone."""
        return make_board(
            [self._tool],
            plugins=[self._probe, *plugins],
            secrets=secrets,
            settings={
                "timeout": self._timeout,
                "grace": GRACE,
                "max_result_bytes": _UNBOUNDED,
            },
        )

    def check(
        self, board: Pegboard, examples: list[Any], failing: list[Any]
    ) -> Iterator[Broken]:
        """Yield each promise that an example shows to be broken."""
        name = board.definitions()[0].name
        yield from self._check_prepare()
        results = [board.call_sync(name, dict(example)) for example in examples]
        for number, result in enumerate(results, 1):
            yield from self._check_success(f"example {number}", result)
        for number, example in enumerate(failing, 1):
            result = board.call_sync(name, dict(example))
            yield from self._check_failure(f"failing example {number}", result)
        if results and results[0].status == "success":
            call = ToolCall(name, dict(examples[0]))
            yield from board.executor.door.wait(
                lambda: self._check_cancellation(board, call), "leave the event loop"
            )
        for parameter in sorted(self._probe.changed):
            yield self._report(
                "unchanged",
                f"it changed {parameter} in place",
                "Work on a copy: a second attempt gets what the first one got.",
            )

    def _check_prepare(self) -> Iterator[Broken]:
        prepare = self._tool.prepare
        if prepare is None:
            return
        odds: tuple[dict[str, Any], ...] = ({}, {"unexpected": [None, {}]})
        for odd in odds:
            try:
                prepare(dict(odd))
            except Exception as error:
                yield self._report(
                    "prepared",
                    f"prepare({odd!r}) raised {_said(error)}, so a model never reads"
                    " what is wrong with its arguments",
                    "Return arguments that you cannot read as they are.",
                )

    def _check_success(self, which: str, result: ToolResult) -> Iterator[Broken]:
        for repair in result.repairs:
            yield self._report(
                "examples",
                f"{which} fits only once {_where(repair)} is changed ({repair.rule})",
                "Write it as the schema wants it.",
            )
        if result.status != "success":
            yield self._failure(which, result)
            return
        size = len(result.text.encode())
        if size > self._most:
            yield self._report(
                "bounded",
                f"{which} gave {size:,} bytes of text, more than {self._most:,}; a"
                " board would cut out the middle",
                "Give it in parts: take an offset and a limit.",
            )
        lost = (result.details or {}) if isinstance(result.details, dict) else {}
        if "not_serialised" in lost:
            yield self._report(
                "serialisable",
                f"{which} gave {', '.join(lost['not_serialised'])}, which is no JSON",
                "Return texts, numbers, lists, dicts, dataclasses or pydantic models.",
            )

    def _failure(self, which: str, result: ToolResult) -> Broken:
        if isinstance(result.error, InvalidArguments):
            said = f"{which} does not fit: {_misfits(result.error)}"
            return self._report("examples", said, FIX)
        if result.code == "invalid_result":
            return self._report(
                "output",
                f"{which} gave something else than the output schema promises",
                "Mend the return annotation, or what is returned.",
            )
        if result.code == "tool_failed" and not isinstance(result.error, ToolError):
            return self._report("errors", *_uncaught(which, result.error))
        said = f"{which} gave {result.code or result.status}: {result.text}"
        return self._report("examples", said, "Mend the tool, or the example.")

    def _check_failure(self, which: str, result: ToolResult) -> Iterator[Broken]:
        if isinstance(result.error, InvalidArguments):
            said = f"the tool never sees {which}: {_misfits(result.error)}"
            yield self._report("errors", said, FIX)
        elif not result.is_error:
            said = f"{which} succeeded: {result.text[:100]!r}"
            yield self._report("errors", said, "Raise ToolError, or drop the example.")
        elif not isinstance(result.error, ToolError):
            yield self._report("errors", *_uncaught(which, result.error))

    async def _check_cancellation(
        self, board: Pegboard, call: ToolCall
    ) -> list[Broken]:
        cancel = asyncio.Event()
        self._probe.started = cancel.set
        before = asyncio.all_tasks()
        await board.run([call], cancel=cancel)
        self._probe.started = bool
        raised = self._probe.raised
        broken = []
        if isinstance(raised, GeneratorExit) or not await is_over(self._probe, GRACE):
            broken.append(
                self._report(
                    "cancellation",
                    f"it still ran {GRACE:g} s after it was cancelled",
                    "Let CancelledError pass; in a thread, poll context.cancelled.",
                )
            )
        elif not isinstance(raised, asyncio.CancelledError | None):
            broken.append(
                self._report(
                    "cancellation",
                    f"it raised {_said(raised)} when it was cancelled",
                    "Clean up in `finally`, and let CancelledError pass.",
                )
            )
        left = asyncio.all_tasks() - before
        if left:
            remedy = "Start tasks in an asyncio.TaskGroup."
            said = f"it left {len(left)} of its tasks behind"
            broken.append(self._report("cancellation", said, remedy))
        for task in left:
            task.cancel()
        return broken


def _where(repair: Repair) -> str:
    return repr(".".join(map(str, repair.path))) if repair.path else "its text"


def _misfits(error: InvalidArguments) -> str:
    return "; ".join(error.problems) or str(error)


def _uncaught(which: str, error: BaseException | None) -> tuple[str, str]:
    return (
        f"{which} raised {_said(error)}, which tells the model nothing it can act on",
        "Catch it and raise ToolError(message) with what to do instead.",
    )


def _said(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
