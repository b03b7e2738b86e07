"""Tools and plugins that do what a call's arguments say, and log it."""

import asyncio
import contextlib
import dataclasses
import itertools
import threading

from pegboard import (
    Abort,
    Block,
    Defer,
    ImageContent,
    Pegboard,
    Respond,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    hookimpl,
    tool,
)

from .parts import forever, turns

SOON = 0.02
BODIES = {
    "ok": "success",
    "slow": "success",
    "raise": "tool_failed",
    "say": "own_code",
    "exit": "tool_failed",
    "stop": "tool_failed",
    "lost": "cancelled",
    "suicide": "cancelled",
    "flood": "success",
    "late": "success",
    "none": "success",
    "blocks": "success",
    "result": "success",
    "odd": "success",
    "later": "success",
    "stream": "success",
    "nest": "success",
    "catch": "success",
}
SLOW_BODIES = {"hang": "timeout", "stubborn": "abandoned"}
GUARDS = {
    "": None,
    "slow": None,
    "block": "blocked",
    "respond": "success",
    "defer": "approval_required",
    "raise": "hook_failed",
    "exit": "hook_failed",
    "nonsense": "hook_failed",
}
PREPARES = {"": None, "raise": "hook_failed", "nonsense": "hook_failed", "slow": None}
LAYERS = {
    "": None,
    "slow": None,
    "change": None,
    "change badly": "invalid_arguments",
    "change to blocked": "blocked",
    "twice": None,
    "skip": "success",
    "raise": "middleware_failed",
    "raise late": "middleware_failed",
    "nonsense": "middleware_failed",
    "mend": "success",
}
AFTERS = {
    "": None,
    "slow": None,
    "replace": None,
    "raise": "hook_failed",
    "nonsense": "hook_failed",
}
ABORTS = ("guard", "layer", "after")


@dataclasses.dataclass(frozen=True)
class Spec:
    """What one call is to do, in each of its places."""

    body: str = "ok"
    guard: str = ""
    prepare: str = ""
    layer: str = ""
    after: str = ""
    is_async: bool = True
    abort: str = ""

    def call(self, at, batch):
        """The call with this spec, at a place of a batch."""
        given = {**dataclasses.asdict(self), "at": at}
        name = "act" if self.is_async else "act_sync"
        if self.body in SLOW_BODIES:
            name = "act_in_time"
        return ToolCall(name, given, id=f"b{batch}.{at}")

    def expected(self):
        """The code that the call comes to, when nothing ends the batch early."""
        refused = PREPARES[self.prepare] or GUARDS[self.guard]
        if refused is not None and (self.guard != "respond" or PREPARES[self.prepare]):
            return refused
        layer = LAYERS[self.layer]
        if refused is None and layer in ("blocked", "invalid_arguments"):
            return layer  # no rewriter makes something else of it
        if refused is None:
            body = {**BODIES, **SLOW_BODIES}[self.body]
            never = self.layer in ("skip", "raise", "nonsense")
            # A body that cancels its own task ends its call, whatever surrounds it.
            dies = self.body == "suicide" and not never
            refused = body if dies else layer or body
        return AFTERS[self.after] or refused


class Logging:
    """A plugin that acts in every hook, and keeps the log of a batch."""

    name = "acting"

    def __init__(self):
        self.log = []
        self.batch = 0

    def note(self, kind, call, *more):
        """Log something about a call of this batch, no nested or left one."""
        if call.id.startswith(f"b{self.batch}."):
            self.log.append((kind, int(call.id.partition(".")[2]), *more))

    async def _hook(self, name, call, act):
        arguments = dict(call.arguments or {})
        self.note("hook", call, name, arguments)
        try:
            return await act(arguments)
        finally:
            self.note("unhook", call, name)

    @hookimpl
    def prepare_arguments(self, call):
        async def act(given):
            if given.get("prepare") == "slow":
                await turns(2)
            if given.get("prepare") == "raise":
                raise KeyError("x")
            return ["nonsense"] if given.get("prepare") == "nonsense" else None

        return self._hook("prepare", call, act)

    @hookimpl
    def before_tool_call(self, call):
        async def act(given):
            if given.get("abort") == "guard":
                raise Abort("by a guard")
            if given.get("n") == 666:
                return Block("not this one")
            match given.get("guard"):
                case "slow":
                    await turns(2)
                case "block":
                    return Block("no")
                case "respond":
                    return Respond(ToolResult("answered"))
                case "defer":
                    return Defer("ask")
                case "raise":
                    raise RuntimeError("no")
                case "exit":
                    raise SystemExit
                case "nonsense":
                    return "nonsense"

        return self._hook("before", call, act)

    @hookimpl
    def tool_middleware(self, tool):
        async def layer(call, call_next):
            self.note("layer", call)
            try:
                return await self._layer(call, call_next)
            finally:
                self.note("unlayer", call)

        return layer

    async def _layer(self, call, call_next):
        given = dict(call.arguments)
        if given.get("abort") == "layer":
            raise Abort("by a layer")
        match given.get("layer"):
            case "slow":
                await turns(2)
            case "change":
                call = call.replace(arguments={**given, "n": 7})
            case "change badly":
                call = call.replace(arguments={**given, "n": "many"})
            case "change to blocked":
                call = call.replace(arguments={**given, "n": 666})
            case "twice":
                await call_next(call)
            case "skip":
                return ToolResult("skipped")
            case "raise":
                raise ValueError("no")
            case "raise late":
                await call_next(call)
                raise ValueError("no")
            case "nonsense":
                return "nonsense"
            case "mend":
                await call_next(call)
                return ToolResult("mended")
        return await call_next(call)

    @hookimpl
    def after_tool_call(self, call, result):
        async def act(given):
            if given.get("abort") == "after":
                raise Abort("by a rewriter")
            match given.get("after"):
                case "slow":
                    await turns(2)
                case "replace":
                    return result.replace(details="rewritten")
                case "raise":
                    raise RuntimeError("no")
                case "nonsense":
                    return "nonsense"

        return self._hook("after", call, act)

    @hookimpl
    def on_event(self, event):
        call = getattr(event, "call", None)
        if call is None:
            return
        kind = type(event).__name__.removeprefix("Tool").lower()
        if kind == "update":
            self.note(kind, call, int(event.content[0].text))
        else:
            self.note(kind, call)


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


@tool
async def leaf() -> str:
    return "leaf"


class Act:
    """A board of tools that do what they are told, and the plugin that logs it."""

    def __init__(self, **settings):
        self.plugin = Logging()
        self.numbers = itertools.count()
        self.batches = itertools.count(1)
        self.kept = []
        self.telling = threading.Lock()
        make = Tool.from_schema
        tools = [
            make("act", "", SCHEMA, self._act, timeout=60),
            # Apart: a busy machine, or a flood beside it, makes any body late.
            make("act_in_time", "", SCHEMA, self._act, timeout=SOON),
            make("act_sync", "", SCHEMA, self._act_sync, timeout=60),
            leaf,
        ]
        settings = {"grace": SOON, **settings}
        self.board = Pegboard(tools, plugins=[self.plugin], settings=settings)

    def calls(self, specs):
        """The calls of a new batch, whose log begins."""
        self.plugin.batch = next(self.batches)
        self.plugin.log = []
        return [spec.call(at, self.plugin.batch) for at, spec in enumerate(specs)]

    @property
    def log(self):
        """What has happened in the batch."""
        return list(self.plugin.log)

    async def _act(self, arguments, context: ToolContext):
        self._begin(arguments, context)
        try:
            return await self._perform(arguments, context)
        finally:
            self.plugin.note("unbody", context.call_made)

    def _act_sync(self, arguments, context: ToolContext):
        self._begin(arguments, context)
        try:
            return self._perform_sync(arguments, context)
        finally:
            self.plugin.note("unbody", context.call_made)

    def _begin(self, arguments, context):
        self.plugin.note("body", context.call_made, dict(arguments))
        for late in self.kept:
            with self.telling:  # two senders take turns with number and update
                late.update(str(next(self.numbers)))

    async def _perform(self, arguments, context):
        match arguments["body"]:
            case "slow":
                await turns(3)
            case "suicide":
                asyncio.current_task().cancel()
                await turns(1)
            case "hang":
                await forever()
            case "stubborn":
                while True:
                    with contextlib.suppress(asyncio.CancelledError):
                        await forever()
            case "nest":
                return await context.call("leaf")
            case "catch":
                return (await context.call("nope")).code
        return self._perform_sync(arguments, context)

    def _perform_sync(self, arguments, context):
        match arguments["body"]:
            case "raise":
                raise ValueError("no")
            case "say":
                raise ToolError("no", code="own_code")
            case "exit":
                raise SystemExit(1)
            case "stop":
                raise StopIteration
            case "lost":
                raise asyncio.CancelledError
            case "flood":
                for _ in range(1_200):
                    context.update(str(next(self.numbers)))
            case "late":
                self.kept.append(context)
            case "none":
                return None
            case "blocks":
                return ["See:", ImageContent(b"x", "image/png")]
            case "result":
                return ToolResult("done", terminate=True)
            case "odd":
                return {1: object(), "nan": float("nan")}
            case "later":
                return turns(2)
            case "stream":
                return self._stream()
            case "nest":
                return context.call_sync("leaf")
            case "catch":
                return context.call_sync("nope").code
        return "ok"

    def _stream(self):
        for _ in range(3):
            yield str(next(self.numbers))
