"""The contract between Pegboard and its plugins: every hook, whole.

Mark an implementation with `@pegboard.hookimpl`; it may take fewer parameters than
the spec, and may be sync or async except where a spec says otherwise (sync ones run
on the event loop: do I/O in async ones). Arguments are read-only values: whatever a
hook wants changed it returns. The order of plugins is one a board, outside in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import pluggy

from pegboard.calls import PreparedCall
from pegboard.decisions import Block, Defer, Respond
from pegboard.events import Event
from pegboard.middleware import Middleware
from pegboard.protocols import Host, Runner
from pegboard.results import ToolResult
from pegboard.schemas import ToolDefinition

hookspec = pluggy.HookspecMarker("pegboard")
hookimpl = pluggy.HookimplMarker("pegboard")


@hookspec
def register_tools(settings: Any) -> Iterable[Any] | None:
    """Contribute tools.

    When: once a load of the plugin; sync.
    Order: plugins in the board's order; it decides nothing, since names that collide
        are prefixed, never hidden.
    Combine: all tools of all plugins.
    Errors: an exception, or something that is no tool, leaves the plugin out whole.

    Args:
        settings: The plugin's own settings: an instance of its `Settings` model; None
            if it has no model.

    Returns:
        Tools, or whatever can be one: functions, objects with definition and execute.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def lifespan(host: Host) -> AbstractAsyncContextManager[None] | None:
    """Hold what must be opened and closed once a board.

    When: entered when the board is entered or first used; left when it is closed.
    Order: entered outside in, left inside out.
    Combine: all are entered.
    Errors: an exception on entry is the plugin's failure to load; on exit it is logged.

    Args:
        host: Adds and removes tools that are known only after I/O, and calls tools.

    Returns:
        An async context manager, or None.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def inject(tool: ToolDefinition, name: str) -> Any:
    """Give the value of an `Injected` parameter.

    When: after the guards, each time a body that needs the value is about to run.
    Order: outside in; a pack is asked only for its own tools.
    Combine: the first that is not None; else what the settings grant.
    Errors: an exception ends this call (hook_failed) and names the plugin.

    Args:
        tool: The tool that needs the value.
        name: The name that the tool asks by.

    Returns:
        The value, or None if it is not this plugin's to give.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def prepare_arguments(call: PreparedCall) -> Mapping[str, Any] | None:
    """Fill or replace arguments of one call before they are validated.

    When: once a call, after the tool is found and the text is parsed.
    Order: outside in, then the tool's own `prepare`.
    Combine: waterfall: each sees what the one before it returned.
    Errors: an exception, or something that is no mapping, ends this call (hook_failed)
        and names the plugin.

    Args:
        call: The call; `call.arguments` as parsed, `call.sent` as the model made it.

    Returns:
        The arguments to go on with, or None to leave them as they are.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def before_tool_call(call: PreparedCall) -> Block | Respond | Defer | None:
    """Decide whether a call may run; changes nothing.

    When: once a call, after validation and before anything runs; again, with
        other arguments, if a middleware changed them, and when a call is resumed.
    Order: outside in.
    Combine: all are asked until one blocks; Block beats Defer beats Respond, the first
        of its kind counts.
    Errors: an exception, a timeout or another return ends this call (hook_failed) and
        names the plugin: guards fail closed.

    Args:
        call: The call with its validated arguments, exactly as they would run.

    Returns:
        Block, Respond, Defer, or None to let it pass.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def tool_middleware(
    tool: ToolDefinition,
) -> Middleware | Iterable[Middleware] | None:
    """Contribute layers around every call of one tool.

    When: once a tool, when its chain is built at its first call; sync.
    Order: outside in; of several layers the first is the outermost.
    Combine: all layers, folded around the body.
    Errors: an exception, or something that cannot be called, ends each call of that
        tool (hook_failed) and names the plugin.

    Args:
        tool: The tool whose chain is built.

    Returns:
        A middleware, several, or None for "not mine": then no cost at call time.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def after_tool_call(call: PreparedCall, result: ToolResult) -> ToolResult | None:
    """Rewrite a result before anybody reads it.

    When: once a call that ran or was answered by a guard, when all bodies of the batch
        have ended (in a sequential batch: of the call).
    Order: inside out: a required plugin has the last word.
    Combine: waterfall: each sees what the one before it returned.
    Errors: an exception, a timeout or another return withholds the result
        (hook_failed): the model reads that the tool ran and is not to be repeated.

    Args:
        call: The call that ran.
        result: Its result so far.

    Returns:
        Another result (`result.replace(...)`), or None to leave it.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def on_event(event: Event) -> None:
    """Look at what happens; changes nothing.

    When: at each event of each call; sync.
    Order: outside in.
    Combine: all see it; what they return is ignored.
    Errors: logged and isolated; of a required plugin it ends the batch (Abort), since
        what must be recorded must not run unrecorded.

    Args:
        event: ToolStart, ToolUpdate, ToolReturned, ToolEnd, BatchEnd or ToolsChanged.

    Returns:
        Nothing.

    Example: docs/hooks.md. Added in 0.1.
    """


@hookspec
def register_runners() -> Mapping[str, Runner] | None:
    """Contribute places where bodies run.

    When: once a load of the plugin; sync.
    Order: plugins in the board's order.
    Combine: all; a name that two plugins bring is an error that names both.
    Errors: an exception, or something that is no runner, leaves the plugin out whole.

    Args:
        None.

    Returns:
        Name -> runner.

    Example: docs/hooks.md. Added in 0.1.
    """
