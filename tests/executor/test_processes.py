"""Bodies in processes of their own."""

import os
import signal
import subprocess
import sys
import threading
from textwrap import dedent

import pytest

from pegboard import Pegboard, ToolCall, hookimpl, tool
from pegboard import _processes as processes
from pegboard.events import ToolUpdate

from .parts import Watcher, are_gone, calls, codes, is_running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs process groups")


WHERE = """
    @tool(runner="process")
    def where() -> int:
        return os.getpid()

    @tool(runner="process")
    async def where_async() -> int:
        await asyncio.sleep(0)
        return os.getpid()
"""


def test_bodies_run_elsewhere_and_workers_are_reused(packs):
    """Section 12: one warm process a plugin serves call after call, sync and async."""
    with packs.board(WHERE) as board:
        found = [board.call_sync(n).data for n in ("where", "where_async", "where")]

    assert len(set(found)) == 1
    assert found[0] != os.getpid()


def test_each_process_serves_one_plugin(packs):
    """Section 12: what one pack does in its process another one never meets."""
    other = WHERE.replace("def where", "def there")
    with packs.board(WHERE, other) as board:
        assert board.call_sync("where").data != board.call_sync("there").data


def test_calls_of_a_batch_run_in_several_processes(packs):
    """Section 12: one call a process at a time; no more of them than the limit."""
    source = """
        @tool(runner="process")
        def meet(folder: str, n: int) -> int:
            open(f"{folder}/{os.getpid()}", "w").close()
            while len(os.listdir(folder)) < n:
                time.sleep(0.001)
            return os.getpid()
    """
    folder = packs.folder / "met"
    folder.mkdir()
    with packs.board(source) as board:
        sent = [ToolCall("meet", {"folder": str(folder), "n": 3}) for _ in range(3)]
        found = [result.data for result in board.run_sync(sent)]

    assert len(set(found)) == 3


def test_a_process_is_replaced_after_so_many_calls(packs, monkeypatch):
    """Section 12: warm workers are recycled, and the old one is gone."""
    monkeypatch.setattr(processes, "MAX_CALLS", 2)
    with packs.board(WHERE) as board:
        found = [board.call_sync("where").data for _ in range(5)]
        assert are_gone(*found[:4])

    assert [found.count(pid) for pid in dict.fromkeys(found)] == [2, 2, 1]


def test_an_idle_process_ends(packs, monkeypatch):
    """Section 12: a worker that nobody calls does not stay for ever."""
    monkeypatch.setattr(processes, "IDLE", 0.01)
    with packs.board(WHERE) as board:
        first = board.call_sync("where").data

        assert are_gone(first)
        assert board.call_sync("where").status == "success"


def test_a_worker_that_died_at_rest_is_replaced(packs):
    """Section 12: the next call gets a fresh one, and notices nothing."""
    with packs.board(WHERE) as board:
        first = board.call_sync("where").data
        os.kill(first, signal.SIGKILL)
        second = board.call_sync("where")

    assert second.status == "success"
    assert second.data != first


def test_closing_ends_all_processes_and_threads(packs):
    """Section 12: nothing is left of a board that was closed."""
    before = threading.active_count()
    with packs.board(WHERE) as board:
        pid = board.call_sync("where").data
        assert is_running(pid)

    assert are_gone(pid)
    assert threading.active_count() <= before


BOUND = """
        import datetime, decimal, pydantic

        class Point(pydantic.BaseModel):
            x: int

        @tool(runner="process")
        def plain(a: int, b: float = 2, *, c: list[str] | None = None) -> str:
            return repr((a, b, c))

        @tool(runner="process")
        def rich(day: datetime.date, sum: decimal.Decimal, point: Point) -> str:
            return repr((day, sum, point, type(point).__name__))

        def whole(arguments):
            return repr(arguments)

        def typed(point: Point):
            return repr(point)

        schema = schemas.object({"x": schemas.integer()}, required=["x"])
        one = Tool.from_schema("one", "", schema, whole, runner="process")
        two = Tool.from_schema("two", "", schema, typed, runner="process")
    """


def test_what_is_bound_arrives_bound(packs):
    """A8: plain values, rich types, models, defaults, keyword-only and single dicts."""
    given = {"day": "2026-01-02", "sum": "1.10", "point": {"x": 3}}
    with packs.board(BOUND) as board:
        found = [
            board.call_sync("plain", {"a": "1", "c": ["x"]}).text,
            board.call_sync("rich", given).text,
            board.call_sync("one", {"x": 1}).text,
            board.call_sync("two", {"x": 1}).text,
        ]

    assert found == [
        "(1, 2, ['x'])",
        "(datetime.date(2026, 1, 2), Decimal('1.10'), Point(x=3), 'Point')",
        "{'x': 1}",
        "Point(x=1)",
    ]


RETURNED = """
        image, odd = ImageContent(b"x", "image/png"), object()

        @tool(runner="process")
        def give(what: str):
            return {
                "none": None,
                "blocks": ["See:", image],
                "result": ToolResult(image, data={1: odd}, details={2}, terminate=True),
                "odd": [odd],
                "set": {3, 1},
                "big": "x" * 3_000_000,
                "error": ToolResult("bad", status="error", code="own"),
            }[what]

        @tool(runner="process")
        def stream():
            yield 1
            yield 2
            return "end"

        @tool(runner="process")
        async def astream():
            yield 1
            yield 2
    """


def test_whatever_a_body_returns_comes_back(packs):
    """V8: blocks, results, streams, awaitables; what is no JSON is named."""
    watcher = Watcher()
    with packs.board(RETURNED, plugins=[watcher]) as board:
        give = {
            what: board.call_sync("give", {"what": what})
            for what in ("none", "blocks", "result", "odd", "set", "big", "error")
        }
        streams = [board.call_sync(name).text for name in ("stream", "astream")]

    assert give["none"].text == "done"
    assert [block.type for block in give["blocks"].content] == ["text", "image"]
    result = give["result"]
    assert (result.content[0].data, result.terminate) == (b"x", True)
    assert (result.data, result.details) == ({"1": "<object>"}, [2])
    assert give["odd"].details == {"not_serialised": ["object"]}
    assert give["set"].data == [1, 3]
    assert len(give["big"].data) == 3_000_000
    assert (give["error"].code, give["error"].text) == ("own", "bad")
    assert streams == ["end", "2"]
    assert watcher.texts() == ["1", "2", "1", "2"]


def test_the_context_works_over_the_line(packs, caplog):
    """V11: ids, metadata, time left, updates, log; but no calls of other tools."""
    source = """
        @tool(runner="process", timeout=30, idempotent=True, retry=Retry(2, 0))
        async def look(context: ToolContext) -> str:
            context.update("one", details={"n": 1})
            context.update(ImageContent(b"x", "image/png"))
            context.log.warning("seen %s", "it")
            context.log.debug("not asked for")
            assert 29 < context.deadline <= 30 and not context.cancelled
            try:
                await context.call("look")
            except UsageError as error:
                refused = str(error)
            if context.attempt == 1:
                raise OSError
            return f"{context.call_id} {context.tool.id} {context.idempotency_key} " \\
                f"{context.metadata['who']} {refused}"
    """
    watcher = Watcher()
    with packs.board(source, plugins=[watcher]) as board:
        batch = board.run_sync(calls("look"), metadata={"who": "ann", "odd": object()})
        plugin = board.definitions()[0].plugin

    assert batch[0].text.startswith(f"c0 {plugin}:look {batch.id}:0 ann a body in a")
    assert batch[0].text.endswith("calls no other tools; runner='thread' can")
    assert watcher.texts() == ["one", "image", "one", "image"]
    assert watcher.of(ToolUpdate)[0].details == {"n": 1}
    said = [record.message for record in caplog.records if "tools" in record.name]
    assert said == ["seen it", "seen it"]


def test_errors_come_back_as_what_they_say(packs):
    """B7: a ToolError whole; of others type and message, and no exception object."""
    source = """
        @tool(runner="process")
        def fail(how: str) -> str:
            if how == "says":
                raise ToolError("not here", code="not_found", details={"tried": [1]})
            if how == "group":
                raise ExceptionGroup("", [ValueError("a"), KeyError("b")])
            if how == "exits":
                sys.exit(3)
            if how == "stops":
                raise StopIteration
            class Unpicklable(Exception):
                def __init__(self, a, b):
                    self.lock = __import__("threading").Lock()
                def __str__(self):
                    return "odd"
            raise Unpicklable(1, 2)
    """
    with packs.board(source) as board:
        says, group, exits, stops, odd = (
            board.call_sync("fail", {"how": how})
            for how in ("says", "group", "exits", "stops", "odd")
        )
    with packs.board(source, settings={"error_detail": "type"}) as board:
        quiet = board.call_sync("fail", {"how": "group"})

    assert (says.code, says.text) == ("not_found", "not here")
    assert says.details == {"tried": [1]}
    assert group.text == "ValueError: a; KeyError: 'b'"
    assert exits.text == "SystemExit: 3"
    assert stops.text == "StopIteration"
    assert odd.text == "Unpicklable: odd"
    assert quiet.text == "ValueError; KeyError"


def test_retries_know_exceptions_by_name(packs):
    """B9: a subclass counts, though the exception itself stays in its process."""
    source = """
        @tool(runner="process", idempotent=True, retry=Retry(3, 0))
        def work(path: str, name: str) -> int:
            with open(path, "a") as file:
                file.write("x")
            if os.path.getsize(path) < 3:
                raise {"net": ConnectionResetError, "own": ValueError}[name]
            return os.path.getsize(path)
    """
    with packs.board(source) as board:
        net, own = (
            board.call_sync("work", {"path": str(packs.folder / name), "name": name})
            for name in ("net", "own")
        )

    assert net.data == 3
    assert own.code == "tool_failed"


def test_a_tool_passed_in_code_is_refused_when_its_chain_is_built():
    """Section 12: it cannot be found again; the way out is named."""

    @tool(runner="process")
    def work() -> str:
        return "worked"

    class Plugin:
        @hookimpl
        def register_tools(self, settings):
            return [tool(lambda: 1, name="mine", runner="process")]

    board = Pegboard([work], plugins=[Plugin()])
    batch = board.run_sync(calls("work", "mine"))

    assert codes(batch) == ["tool_unavailable"] * 2
    assert batch[0].executed == "no"
    assert "put it into a tool pack, or use runner='thread'" in batch[0].text


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from pegboard import Pegboard
with Pegboard.discover(project=None, settings={"enable": [sys.argv[2]]}) as board:
    print(board.call_sync("speak").text)
"""


def test_prints_of_a_tool_stay_off_the_wire_and_off_the_hosts_output(packs):
    """Section 12: they go to standard error, which is the host's too."""
    name = packs.install(
        """
        @tool(runner="process")
        def speak() -> str:
            print("to stdout")
            os.write(1, b"raw" + bytes([10]))
            subprocess.run([sys.executable, "-c", "print('grandchild')"], check=True)
            os.close(1)
            return "spoken"
        """
    )
    command = [sys.executable, "-c", dedent(PROGRAM), str(packs.folder), name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout == "spoken\n"
    assert {"to stdout", "raw", "grandchild"} <= set(done.stderr.splitlines())
