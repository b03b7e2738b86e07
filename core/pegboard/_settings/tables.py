"""The tables that a settings file may hold: every key, its type and its default.

Plain dataclasses, so that reading settings that were checked before loads no pydantic;
`_checks` reads the same annotations when there is something to check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pegboard._frozen import FrozenDict
from pegboard.schemas import ToolAnnotations


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A bound that pydantic checks, without a library of bounds to import."""

    least: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], Any]
    ) -> Any:
        return {**handler(source), "ge": self.least}


@dataclass(frozen=True, slots=True)
class Listed:
    """Lets a variable give a list as texts with commas between."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], Any]
    ) -> Any:
        from pydantic_core import core_schema  # late: only pydantic asks

        def split(value: Any, info: Any) -> Any:
            if isinstance(value, str) and info.context == "variable":
                return tuple(part.strip() for part in value.split(",") if part.strip())
            return tuple(value) if isinstance(value, list) else value

        return core_schema.with_info_before_validator_function(split, handler(source))


Names = Annotated[tuple[str, ...], Listed()]
Count = Annotated[int, AtLeast(1)]
Seconds = Annotated[float, AtLeast(0)]
Execution = Literal["parallel", "sequential"]
Arguments = Literal["coerce", "strict"]


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """`[tool.pegboard.tools.NAME.retry]`; what is left out stays as the tool says.

    Attributes:
        attempts: Tries in all, the first included.
        wait: Seconds before the second try; doubled each time, with full jitter.
        max_wait: Longest wait, in seconds.
    """

    attempts: Count | None = None
    wait: Seconds | None = None
    max_wait: Seconds | None = None


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """`[tool.pegboard.tools.NAME]`; what is left out stays as the tool says.

    NAME is an identity (`"files:read"`), a bare name, which then means every tool of
    that name, or a glob of either. Where several fit, the most specific one wins.

    Attributes:
        enabled: False takes the tool away; True keeps it where `enable`, or a less
            specific NAME, leaves it out. What `disable` names stays away.
        timeout: Seconds that the body may take; 0 means no limit.
        retry: Whether and how a failed body is tried again.
        execution: "sequential" makes every batch with this tool sequential.
        runner: Where the body runs: "inline", "thread", "process", or the name of a
            plugin's runner.
        resources: Keys of which calls with an equal one run one after the other,
            computed from the arguments: "file:{path}".
        arguments: "strict" turns repairs and coercion off.
        updates: False drops the content of updates that the tool sends.
        max_result_bytes: Longest text of a result, in bytes.
        max_concurrency: Bodies of this tool in flight at once.
        description: Replaces what the model reads of the tool.
        annotations: Replaces single hints: read_only, destructive, idempotent,
            open_world.
        rename: The name under which the tool is offered.
    """

    enabled: bool | None = None
    timeout: Seconds | None = None
    retry: RetrySettings | None = None
    execution: Execution | None = None
    runner: str | None = None
    resources: Names | None = None
    arguments: Arguments | None = None
    updates: bool | None = None
    max_result_bytes: Count | None = None
    max_concurrency: Count | None = None
    description: str | None = None
    annotations: ToolAnnotations | None = None
    rename: str | None = None


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """`[tool.pegboard.plugins.NAME]`, NAME being the plugin's entry-point name.

    Attributes:
        distribution: The only distribution that may bring the plugin. Decides when
            two bring one of that name.
        secrets: Where the plugin's injected values come from, by their names:
            "env:VARIABLE", or "file:PATH" for the whole text of a file. A project's
            file grants none before `pegboard trust`.
        values: All other keys: the plugin's own, checked by its own model.
    """

    distribution: str | None = None
    secrets: Mapping[str, str] = field(default_factory=FrozenDict)
    values: Mapping[str, Any] = field(default_factory=FrozenDict)


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """`[tool.pegboard]` in pyproject.toml, or the whole of a pegboard.toml.

    Attributes:
        enable: Globs of plugins and tools; if any is given, all others are left out.
        disable: Globs of plugins and tools that are left out. Each layer adds to
            it, so none brings back what another one took away.
        required: Plugins without which no call is made, the outermost first. Neither
            `enable` nor `disable` touches them.
        optional: Plugins that may fail without closing the board.
        order: Plugins in order, the outermost first; they stand inside the required
            ones and outside the rest.
        final: Keys that no layer below can change ("timeout", "tools.forecast",
            "plugins.audit"). Counts in the organisation's file only.
        timeout: Seconds that a body may take; 0 means no limit.
        grace: Seconds that a cancelled body has to clean up.
        hook_timeout: Seconds that an async hook may take; 0 means no limit.
        max_concurrency: Bodies in flight at once, of all tools together.
        process_memory: Bytes of address space of each process that runs bodies.
        max_calls: Calls of one batch that are run; the rest are not started.
        execution: "sequential" runs the calls of a batch one after the other.
        arguments: "strict" turns repairs and coercion off.
        max_argument_bytes: Longest text of arguments that is read, in bytes.
        max_result_bytes: Longest text of a result, in bytes.
        error_detail: What the model reads of an unexpected exception: its type and
            message, or its type only.
        updates: False drops the content of updates that tools send.
        collisions: What becomes of two tools of one name: both are offered as
            plugin__tool, or the board refuses to start.
        locked: Whether a tool that differs from pegboard.lock is refused.
        tools: Overrides of single tools, by name.
        plugins: Settings of single plugins, by name.
    """

    enable: Names = ()
    disable: Names = ()
    required: Names = ()
    optional: Names = ()
    order: Names = ()
    final: Names = ()
    timeout: Seconds | None = 120.0
    grace: Seconds = 5.0
    hook_timeout: Seconds | None = 30.0
    max_concurrency: Count | None = None
    process_memory: Count | None = None
    max_calls: Count | None = 128
    execution: Execution = "parallel"
    arguments: Arguments = "coerce"
    max_argument_bytes: Count = 1_048_576
    max_result_bytes: Count = 262_144
    error_detail: Literal["message", "type"] = "message"
    updates: bool = True
    collisions: Literal["prefix", "error"] = "prefix"
    locked: bool = False
    tools: Mapping[str, ToolSettings] = field(default_factory=FrozenDict)
    plugins: Mapping[str, PluginSettings] = field(default_factory=FrozenDict)
