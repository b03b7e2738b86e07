"""`pegboard call`: one tool, from the keyboard."""

import pytest

PACK = '''
import sys
from pegboard import ImageContent, ResourceLink, ToolContext, ToolError, tool

@tool(read_only=True)
def echo(text: str, times: int = 1, words: list[str] | None = None) -> dict:
    """Say it again."""
    print("working on it")
    return {"text": text * times, "words": words}

@tool
def fail() -> str:
    """Fail."""
    raise ToolError("there is no more\\nof it")

@tool
def show():
    """Show things."""
    return [ImageContent(b"1234", "image/png"), ResourceLink("file:///a", "a")]

tools = [echo, fail, show]
'''

EVERY_HOOK = """
import sys
from pegboard import hookimpl

def note(word):
    print("passed", word, file=sys.stderr)

async def layer(call, call_next):
    note("middleware")
    return await call_next(call)

class Policy:
    @hookimpl
    def prepare_arguments(self, call):
        note("prepare")

    @hookimpl
    def before_tool_call(self, call):
        note("before")

    @hookimpl
    def tool_middleware(self, tool):
        return layer

    @hookimpl
    def after_tool_call(self, call, result):
        note("after")

    @hookimpl
    def on_event(self, event):
        note(type(event).__name__)
"""


@pytest.fixture(autouse=True)
def pack(site):
    """Three tools."""
    site.install(PACK, value="acme:tools")


@pytest.mark.parametrize(
    "words",
    [
        ["text=hi", "times=2", 'words:=["a", "b=c"]'],
        ['text:="hi"', "times:=2", 'words:=["a", "b=c"]'],
        ['{"text": "hi", "times": 2, "words": ["a", "b=c"]}'],
        [' {"text": "hi", "times": "2", "words": ["a", "b=c"]} '],
    ],
)
def test_arguments_are_pairs_or_an_object(words, answer):
    """key=text, key:=JSON and one JSON object come to the same arguments."""
    result = answer("call", "echo", "--json", *words)

    assert result["status"] == "success"
    assert result["data"] == {"text": "hihi", "words": ["a", "b=c"]}


def test_arguments_come_from_stdin(answer):
    """`-` reads the arguments from stdin, where none at all are an empty object."""
    given = answer("call", "echo", "--json", "-", stdin='{"text": "hi"}')
    none = answer("call", "show", "--json", "-", stdin="")

    assert given["data"] == {"text": "hi", "words": None}
    assert none["status"] == "success"


def test_a_value_may_hold_what_separates(answer):
    """Only the first = separates, so that a value may be anything, or nothing."""
    result = answer("call", "echo", "--json", "text=a=b:=c")

    assert result["data"]["text"] == "a=b:=c"
    assert answer("call", "echo", "--json", "text=")["data"]["text"] == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["text:=hi"], "what follows text:= is no JSON: Expecting value"),
        (["text=1", "text=2"], "argument 'text' is given twice"),
        (["hi"], "'hi' is no argument: write key=text, key:=JSON"),
        (["=hi"], "'=hi' is no argument: write key=text, key:=JSON"),
        (["[1]"], "'[1]' is no argument: write key=text, key:=JSON"),
        (["text=1", "-"], "'-' is no argument: write key=text, key:=JSON"),
    ],
)
def test_what_is_no_argument_is_refused(words, message, pegboard):
    """Words that are no arguments are one line with the way out; nothing runs."""
    result = pegboard("call", "echo", *words)

    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {message}")
    assert result.stderr.count("\n") == 1


def test_a_success_is_its_text_and_code_0(pegboard):
    """What the model would read is on stdout; what the tool prints is on stderr."""
    result = pegboard("call", "echo", "text=hi")

    assert result.exit_code == 0
    assert result.stdout == '{"text":"hi","words":null}\n'
    assert result.stderr == "working on it\n"


def test_what_is_no_text_is_named(pegboard):
    """Blocks that a terminal cannot show are named, with their size."""
    result = pegboard("call", "show")

    assert result.stdout == "[image: image/png, 4 bytes]\n[a: file:///a]\n"


def test_an_error_is_one_line_on_stderr_and_code_1(pegboard):
    """An error result is one line on stderr, and exit code 1."""
    result = pegboard("call", "fail")

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "error: there is no more of it\n"


def test_an_error_in_json_is_on_stdout(pegboard):
    """With --json an error is a result like any other, and still exit code 1."""
    result = pegboard("call", "fail", "--json")

    assert result.exit_code == 1
    assert '"code": "tool_failed"' in result.stdout


def test_json_shows_what_was_repaired(answer):
    """The repairs of the arguments are part of `call --json`."""
    (repair,) = answer("call", "echo", "--json", "text=hi", "times=2")["repairs"]

    assert (repair["path"], repair["before"], repair["after"]) == (["times"], "2", 2)


def test_arguments_that_are_no_json_are_one_line(pegboard):
    """Arguments that are no JSON are refused as a model's would be."""
    result = pegboard("call", "echo", '{"text": ')

    assert result.exit_code == 1
    assert "cut off" in result.stderr
    assert result.stderr.count("\n") == 1


def test_debug_shows_where_a_tool_failed(pegboard):
    """--debug has the traceback of what a tool raised, for whoever writes it."""
    plain, debug = pegboard("call", "fail"), pegboard("call", "fail", "--debug")

    assert "Traceback" not in plain.stderr
    assert 'raise ToolError("there is no more' in debug.stderr
    assert debug.stderr.endswith(plain.stderr)


def test_a_deferred_call_of_a_dry_run_says_what_it_waits_for(site, pegboard):
    """B15: a dry run asks nobody, so a deferred call is no error and has no result."""
    site.install(
        """
        from pegboard import Defer, hookimpl

        class Gate:
            @hookimpl
            def before_tool_call(self, call):
                return Defer("somebody must look")
        """,
        name="acme-gate",
        group="pegboard.plugins",
        value="acme_gate:Gate",
    )
    result = pegboard("call", "show", "--dry-run")

    assert result.exit_code == 0
    assert result.stdout == ""
    assert "somebody must look" in result.stderr


def test_an_abort_is_heard(site, pegboard):
    """H5: a policy that ends everything says why on stderr, and exit code 1."""
    site.install(
        """
        from pegboard import Abort, hookimpl

        class Stop:
            @hookimpl
            def before_tool_call(self, call):
                raise Abort("the budget is spent")
        """,
        name="acme-stop",
        group="pegboard.plugins",
        value="acme_stop:Stop",
    )
    result = pegboard("call", "show")

    assert result.exit_code == 1
    assert result.stderr.endswith("error: the budget is spent\n")


def test_a_dry_run_only_previews_what_writes(pegboard):
    """B15: with --dry-run a tool that is not read-only does not run."""
    result = pegboard("call", "fail", "--dry-run")

    assert result.exit_code == 0
    assert "fail" in result.stdout


@pytest.mark.parametrize("words", [("call", "echo", "text=hi"), ("run", "calls")])
def test_every_hook_fires(words, site, project, pegboard):
    """H7: a call from the keyboard or a file passes every hook and middleware."""
    (project / "calls").write_text('{"name": "echo", "arguments": {"text": "hi"}}')
    site.install(
        EVERY_HOOK,
        name="acme-policy",
        group="pegboard.plugins",
        value="acme_policy:Policy",
    )
    said = pegboard(*words).stderr.splitlines()
    passed = [line.removeprefix("passed ") for line in said if "passed" in line]

    assert passed == [
        "ToolStart",
        "prepare",
        "before",
        "middleware",
        "ToolReturned",
        "after",
        "ToolEnd",
        "BatchEnd",
    ]
