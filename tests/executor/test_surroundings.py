"""What a process of its own is given: memory, environment, secrets, settings, trace."""

import os
import sys

import pytest
from opentelemetry import trace
from opentelemetry.sdk import trace as sdk

from pegboard import Pegboard
from pegboard._tracing import carried

from .parts import named

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs process groups")


def test_memory_can_be_bounded(packs):
    """Section 12: a body that wants more than its process may have fails alone."""
    source = """
        @tool(runner="process")
        def hog(size: int) -> int:
            return len(bytearray(size))
    """
    settings = {"process_memory": 1_000_000_000}
    with packs.board(source, settings=settings) as board:
        big = board.call_sync("hog", {"size": 4_000_000_000})
        small = board.call_sync("hog", {"size": 1_000})

    assert (big.code, big.text) == ("tool_failed", "MemoryError")
    assert small.data == 1_000


def test_the_environment_is_short(packs, monkeypatch):
    """Section 12: path, home, locale, and what the plugin's settings name; no more."""
    source = """
        @tool(runner="process")
        def environment() -> dict[str, str]:
            return dict(os.environ)
    """
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "host's own")
    monkeypatch.setenv("WEATHER_TOKEN", "named")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    name = packs.install(source)
    settings = {
        "enable": [name],
        "plugins": {name: {"secrets": {"KEY": "env:WEATHER_TOKEN"}}},
    }
    with Pegboard.discover(project=None, settings=settings) as board:
        found = board.call_sync("environment").data

    assert found["WEATHER_TOKEN"] == "named"
    assert found["PATH"] == os.environ["PATH"]
    assert found["LC_ALL"] == "C.UTF-8"
    assert "AWS_SECRET_ACCESS_KEY" not in found
    known = {"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "PYTHONPATH"}
    assert {n for n in found if not n.startswith("LC_")} <= known | {"WEATHER_TOKEN"}


def test_injected_values_go_over_the_line(packs):
    """V4: not by the environment; their occurrences become stars as anywhere."""
    source = """
        @tool(runner="process")
        def use(key: Annotated[str, Injected("KEY")], context: ToolContext) -> str:
            context.update(f"with {key}")
            assert key not in str(dict(os.environ))
            return f"used {key} {len(key)}"
    """
    inject = named("keys", inject=lambda tool, name: "sk-123")
    with packs.board(source, plugins=[inject]) as board:
        assert board.call_sync("use").text == "used *** 6"


def test_an_injected_value_that_is_no_json_cannot_be_carried(packs):
    """V4: nothing is pickled; the call says what is in the way."""
    source = """
        @tool(runner="process")
        def use(client: Annotated[object, Injected("CLIENT")]) -> str:
            return "used"
    """
    inject = named("clients", inject=lambda tool, name: object())
    with packs.board(source, plugins=[inject]) as board:
        result = board.call_sync("use")

    assert (result.code, result.executed) == ("tool_unavailable", "no")
    assert "'client' is no JSON" in result.text


def test_a_plugins_settings_reach_its_process(packs):
    """H3: a class is instantiated there, too, with its own validated settings."""
    source = """
        import pydantic
        from pegboard import hookimpl

        class Pack:
            class Settings(pydantic.BaseModel):
                greeting: str
                times: int = 1

            def __init__(self, settings):
                self.settings = settings

            @hookimpl
            def register_tools(self, settings):
                @tool(runner="process")
                def greet(name: str) -> str:
                    said = self.settings.greeting * settings.times
                    return f"{said} {name} {os.getpid()}"
                return [greet]
    """
    name = packs.install(source, names="Pack")
    settings = {"enable": [name], "plugins": {name: {"greeting": "hi", "times": 2}}}
    with Pegboard.discover(project=None, settings=settings) as board:
        text = board.call_sync("greet", {"name": "ann"}).text

    assert text.startswith("hihi ann ")
    assert not text.endswith(str(os.getpid()))


@pytest.mark.parametrize("name", ["sync", "later"])
def test_the_current_trace_is_carried(packs, name):
    """B17: a span in the process belongs to the trace of the call."""
    source = """
        @tool(runner="process")
        def sync() -> str:
            from opentelemetry import trace
            return hex(trace.get_current_span().get_span_context().trace_id)

        @tool(runner="process")
        async def later() -> str:
            from opentelemetry import trace
            await asyncio.sleep(0)
            return hex(trace.get_current_span().get_span_context().trace_id)
    """
    tracer = sdk.TracerProvider().get_tracer("test")
    with packs.board(source) as board, tracer.start_as_current_span("call"):
        here = trace.get_current_span().get_span_context().trace_id
        first = board.call_sync(name).text
    with packs.board(source) as board:
        without = board.call_sync(name).text

    assert first == hex(here)
    assert without == "0x0"


def test_a_trace_is_dropped_where_nobody_knows_what_it_is(monkeypatch):
    """B17: an environment without OpenTelemetry runs the body all the same."""
    monkeypatch.setitem(sys.modules, "opentelemetry.context", None)
    with carried({"traceparent": "00-1-2-01"}):
        ran = True

    assert ran
