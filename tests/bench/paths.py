"""What a driver offers: the ways in which one project runs a call.

A driver is a module of `drivers` with three functions:

    open_paths(functions)   an async context manager of {name: Path}
    register(functions)     what these functions become there, all at once
    export(registered)      awaitable; the schema of each, as a model gets it
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

#: Tool and arguments of each call of a batch.
Calls = Sequence[tuple[str, Any]]


def _is_fine(result: Any) -> bool:
    return False


@dataclass(frozen=True)
class Path:
    """One way to run calls.

    Attributes:
        call: Runs one, of a tool's name and its arguments; None if only batches run.
        many: Runs a batch of its own; None means that calls are gathered.
        request: Makes of the calls what `many` takes, before the clock runs.
        takes_text: Whether arguments come as JSON text, else as a dict.
        is_error: Whether a result says that the call failed.
    """

    call: Callable[[str, Any], Awaitable[Any]] | None
    many: Callable[[Any], Awaitable[Iterable[Any]]] | None = None
    request: Callable[[Calls], Any] = list
    takes_text: bool = False
    is_error: Callable[[Any], bool] = _is_fine

    def encode(self, arguments: dict[str, Any]) -> Any:
        """Return arguments in the form that the path takes."""
        return json.dumps(arguments) if self.takes_text else arguments

    def prepare(self, calls: Calls) -> Any:
        """Return what `run` takes for a batch; not part of what is measured."""
        return self.request([(tool, self.encode(given)) for tool, given in calls])

    async def run(self, request: Any) -> list[Any]:
        """Run a batch."""
        if self.many is not None:
            return list(await self.many(request))
        assert self.call is not None
        return await asyncio.gather(*(self.call(*each) for each in request))
