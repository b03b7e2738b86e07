"""A batch that waits outside of any process (B13): its JSON is input, not authority."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import Approve, BatchResult, Defer, Pegboard, ToolCall, UsageError, tool

from .parts import codes, named

SENT = []


@tool
async def send(to: str, amount: int = 1) -> str:
    SENT.append((to, amount))
    return f"sent {amount} to {to}"


@tool
async def wipe(to: str, amount: int = 1) -> str:
    SENT.append(("wiped", to))
    return "wiped"


asks = named("asks", before_tool_call=lambda call: Defer("ask"))


@pytest.fixture(autouse=True)
def nothing_sent():
    SENT.clear()


@pytest.fixture
def board():
    return Pegboard([send, wipe], plugins=[asks])


@pytest.fixture
def saved(board):
    """A saved batch of two calls, as a dict that can be tampered with."""
    batch = board.run_sync([ToolCall("send", {"to": n}, id=n) for n in ("ann", "bob")])
    return json.loads(batch.to_json())


def load(value):
    return BatchResult.from_json(json.dumps(value))


def test_a_saved_batch_is_resumed_as_it_was(board, saved):
    """B13: through JSON and back it is the same batch."""
    done = board.resume_sync(load(saved), {"ann": Approve()})

    assert codes(done) == ["success", "approval_required"]
    assert SENT == [("ann", 1)]


@pytest.mark.parametrize(
    "tamper",
    [
        lambda value: value["results"][0]["call"].update(name="wipe"),
        lambda value: value["results"][0]["call"].update(arguments={"to": "eve"}),
        lambda value: value["pending"][0].update(arguments={"to": "eve"}),
        lambda value: value["pending"][0].update(tool="code:wipe"),
    ],
    ids=["another tool", "other arguments", "other words for a person", "a wrong tool"],
)
def test_what_was_approved_is_what_was_shown(board, saved, tamper):
    """B13: an approval of one call never runs another: the guard asks again."""
    tamper(saved)
    done = board.resume_sync(load(saved), {0: Approve()})

    assert codes(done) == ["approval_required"] * 2
    assert SENT == []


def test_a_tampered_call_is_validated(board, saved):
    """B13: what the JSON says is read like a model's words."""
    saved["results"][0]["call"]["arguments"] = '{"to": 3, "amount": "x"}'
    done = board.resume_sync(load(saved), {0: Approve()})

    assert codes(done)[0] == "invalid_arguments"


@pytest.mark.parametrize(
    "tamper",
    [
        lambda value: value["pending"][0].update(position=7),
        lambda value: value["pending"][0].update(position=-1),
        lambda value: value["pending"][0].update(position=1),
        lambda value: value["results"][0].update(status="success", code=None),
    ],
    ids=["out of range", "negative", "twice", "of a finished call"],
)
def test_a_batch_that_contradicts_itself_is_refused(board, saved, tamper):
    """B13: before anything runs."""
    tamper(saved)
    with pytest.raises(UsageError, match="its results say something else"):
        board.resume_sync(load(saved), {})

    assert SENT == []


def test_a_result_without_its_call_cannot_be_resumed(board, saved):
    """B13: nobody knows what to run."""
    saved["results"][0]["call"] = None
    with pytest.raises(UsageError, match="does not say what was called"):
        board.resume_sync(load(saved), {0: Approve()})


def test_finished_calls_are_left_as_the_json_has_them(board, saved):
    """B13: they never run again, even if their result is odd."""
    saved["results"][1].update(status="success", code=None, data={"any": "thing"})
    del saved["pending"][1]
    done = board.resume_sync(load(saved), {0: Approve()})

    assert done[1].data == {"any": "thing"}
    assert SENT == [("ann", 1)]


@pytest.mark.parametrize("arguments", [[["to", "ann"]], ["to"], [], "to", 1, None])
def test_saved_arguments_that_are_no_object_are_refused(arguments):
    """B13: pairs in a list are no object, though a dict could be made of them."""
    board = Pegboard([send], plugins=[asks])
    value = json.loads(board.run_sync([ToolCall("send", {"to": "ann"})]).to_json())
    value["pending"][0]["arguments"] = arguments

    with pytest.raises(UsageError, match=r"no saved batch.*arguments are no"):
        load(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def paths(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from paths(item, (*path, at))


@given(data=st.data())
def test_no_json_breaks_anything(data):
    """B13: a batch with another value somewhere is refused, deferred or run as read."""
    SENT.clear()
    board = Pegboard([send, wipe], plugins=[asks])
    batch = board.run_sync([ToolCall("send", {"to": n}, id=n) for n in ("ann", "bob")])
    value = json.loads(batch.to_json())
    path = data.draw(st.sampled_from([path for path in paths(value) if path]))
    place = value
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = data.draw(json_values)
    try:
        done = board.resume_sync(load(value), {0: Approve()})
    except UsageError:
        assert SENT == []
        return
    finally:
        board.executor.door.close()

    loaded = load(value)
    (shown,) = (call.arguments for call in loaded.pending if call.position == 0)
    assert len(done) == len(loaded)
    assert SENT in ([], [(shown.get("to"), shown.get("amount", 1))])


PROGRAM = """
import sys
from pegboard import Approve, BatchResult, Defer, Pegboard, ToolCall, hookimpl, tool

@tool
def send(to: str) -> str:
    print("sending to", to, file=sys.stderr)
    return f"sent to {to}"

class Asks:
    @hookimpl
    def before_tool_call(self, call):
        return Defer("ask")

board = Pegboard([send], plugins=[Asks()])
if sys.argv[1] == "run":
    print(board.run_sync([ToolCall("send", {"to": "ann"}, id="x")]).to_json())
else:
    batch = BatchResult.from_json(sys.stdin.read())
    print(board.resume_sync(batch, {"x": Approve()}).to_json())
"""


def test_another_process_may_finish_a_batch():
    """B13: the JSON is all that it takes; the batch keeps its id and its keys."""

    def program(way, given=""):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, way],
            input=given,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout, done.stderr

    waiting, nothing = program("run")
    finished, said = program("resume", waiting)

    before, after = BatchResult.from_json(waiting), BatchResult.from_json(finished)
    assert codes(before) == ["approval_required"]
    assert [result.text for result in after] == ["sent to ann"]
    assert after.id == before.id
    assert (nothing, said) == ("", "sending to ann\n")
