"""What a body may return, and what becomes of it (V8)."""

import collections
import dataclasses
import datetime as dt
import enum
import json
import math
import pathlib
import uuid
from decimal import Decimal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import (
    AudioContent,
    FileContent,
    ImageContent,
    Pegboard,
    ResourceLink,
    TextContent,
    tool,
)
from pegboard._output import bound, convert, to_json
from pegboard.content import blocks

IMAGE = ImageContent(b"\x89PNG", "image/png")


class Colour(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    BIG = 3


class Model(pydantic.BaseModel):
    at: dt.date


@dataclasses.dataclass
class Point:
    x: int
    y: set


Pair = collections.namedtuple("Pair", "left right")


def result_of(value, is_async=True, **settings):
    """The result of a tool whose body returns a value."""

    async def asynchronous():
        return value

    def synchronous():
        return value

    made = tool(asynchronous if is_async else synchronous, name="give")
    return Pegboard([made], settings=settings).call_sync("give")


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        ("plain", "plain", "plain"),
        ("", "", ""),
        (None, "done", None),
        (3, "3", 3),
        (True, "true", True),
        (1.5, "1.5", 1.5),
        ([1, "a", None], '[1,"a",null]', [1, "a", None]),
        ({"a": [1]}, '{"a":[1]}', {"a": [1]}),
        ((1, 2), "[1,2]", [1, 2]),
        (dt.datetime(2026, 1, 2), "2026-01-02T00:00:00", "2026-01-02T00:00:00"),
        (dt.date(2026, 1, 2), "2026-01-02", "2026-01-02"),
        (dt.timedelta(minutes=1), "60.0", 60.0),
        (Decimal("1.10"), "1.10", "1.10"),
        (uuid.UUID(int=1), str(uuid.UUID(int=1)), str(uuid.UUID(int=1))),
        (pathlib.PurePosixPath("a/b"), "a/b", "a/b"),
        (Colour.RED, "red", "red"),
        (Size.BIG, "3", 3),
        (Model(at="2026-01-02"), '{"at":"2026-01-02"}', {"at": "2026-01-02"}),
        (Point(1, {"b", "a"}), '{"x":1,"y":["a","b"]}', {"x": 1, "y": ["a", "b"]}),
        (Pair(1, 2), "[1,2]", [1, 2]),
        ({10, 9, 1}, "[1,9,10]", [1, 9, 10]),
        (frozenset({"b", 1, None}), '[null,1,"b"]', [None, 1, "b"]),
        (b"\xff\x00", "/wA=", "/wA="),
        (collections.deque([1]), "[1]", [1]),
        (range(3), "[0,1,2]", [0, 1, 2]),
        (
            {1: "a", None: "b", Colour.RED: "c", (1, 2): "d"},
            None,
            {"1": "a", "null": "b", "red": "c", "[1, 2]": "d"},
        ),
        (float("nan"), "nan", "nan"),
        ([float("inf"), -math.inf], '["inf","-inf"]', ["inf", "-inf"]),
        ("a\ud800b", "a\ufffdb", "a\ufffdb"),
        ({"k\ud800": "\udfff"}, '{"k\ufffd":"\ufffd"}', {"k\ufffd": "\ufffd"}),
        ("\U0001f600 你好", "\U0001f600 你好", "\U0001f600 你好"),
        (725653563933458432, "725653563933458432", 725653563933458432),
        ({"id": 2**64}, '{"id":18446744073709551616}', {"id": 2**64}),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_any_value_becomes_text_and_data(value, text, data):
    """V8: the model reads text, the program gets JSON; the call succeeds."""
    result = result_of(value)

    assert result.status == "success"
    assert result.data == data
    assert type(result.data) is type(data)
    if text is not None:
        assert result.text == text
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (IMAGE, (IMAGE,)),
        (AudioContent(b"x", "audio/wav"), (AudioContent(b"x", "audio/wav"),)),
        (FileContent(b"x", "text/plain", "a"), (FileContent(b"x", "text/plain", "a"),)),
        (ResourceLink("https://e.test"), (ResourceLink("https://e.test"),)),
        (TextContent("a\ud800"), (TextContent("a\ufffd"),)),
        ([IMAGE, TextContent("b")], (IMAGE, TextContent("b"))),
        (["See:", IMAGE], (TextContent("See:"), IMAGE)),
    ],
    ids=["image", "audio", "file", "link", "text", "several", "with texts"],
)
def test_content_blocks_are_content(value, content):
    """V8: blocks go to the model as they are, texts among them; there is no data."""
    result = result_of(value)

    assert result.content == content
    assert result.data is None


def test_blocks_inside_data_are_data():
    """V8: a block in a dict is written like any other value."""
    result = result_of({"image": IMAGE, "n": 1})

    assert result.data == {"image": IMAGE.to_dict(), "n": 1}


class Odd:
    pass


class Broken:
    def __init__(self):
        self.model_dump = self

    def __call__(self, mode):
        raise SystemExit


@pytest.mark.parametrize(
    ("value", "data", "lost"),
    [
        (Odd(), "<Odd>", ["Odd"]),
        (
            [Odd(), Odd(), len],
            ["<Odd>", "<Odd>", "<builtin_function_or_method>"],
            ["Odd", "builtin_function_or_method"],
        ),
        ([Odd], ["<Odd>"], ["Odd"]),
        (Broken(), "<Broken>", ["Broken"]),
        (iter([1]), "<list_iterator>", ["list_iterator"]),
        (ValueError("x"), "<ValueError>", ["ValueError"]),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_cannot_be_serialised_is_named(value, data, lost):
    """V8: as <TypeName>, marked in details; never an exception."""
    result = result_of(value)

    assert (result.status, result.data) == ("success", data)
    assert result.details == {"not_serialised": lost}


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_depth_and_circles_end():
    """V8: a value too deep, or inside itself, is cut where it is too deep."""
    circle = {}
    circle["self"] = circle

    assert "<list>" in result_of(nested(10_000)).text
    assert "<dict>" in result_of(circle).text


def test_a_small_value_that_unfolds_without_end_is_cut():
    """V8: shared parts are written out as often as they occur, up to a bound."""
    value = ["x" * 10] * 1_000
    for _ in range(10):
        value = [value] * 1_000
    _, lost = to_json(value)

    assert lost == ("list",)


def test_very_large_integers_are_hexadecimal():
    """V8: what Python would refuse to write in digits is written all the same."""
    result = result_of([10**5_000])

    assert result.data == [hex(10**5_000)]
    assert result_of(10**5_000).data == hex(10**5_000)
    json.dumps(result.to_dict())


def test_numbers_of_other_libraries_are_numbers():
    """V8: whatever has a `tolist` is asked for it; no library is needed for that."""

    class Array:
        def __init__(self, value):
            self.value = value

        def tolist(self):
            return self.value

    assert result_of([Array(0.5), Array([1, 2])]).data == [0.5, [1, 2]]


@pytest.mark.parametrize("is_async", [True, False])
def test_a_long_text_keeps_head_and_tail(is_async):
    """V8: beyond max_result_bytes the middle is left out; data has it whole."""
    text = "ä" * 5_000 + "middle" + "z" * 5_000
    result = result_of(text, is_async, max_result_bytes=1_000)

    assert len(result.text.encode()) <= 1_000
    assert result.text.startswith("ä" * 100)
    assert result.text.endswith("z" * 100)
    assert "15,006 bytes in all" in result.text
    assert "\ufffd" not in result.text
    assert result.data == text


def test_the_default_limit_is_256_kib():
    """V8: and a tool may have a limit of its own."""
    big = "x" * 300_000

    assert len(result_of(big).text) <= 262_144
    assert result_of(big, tools={"give": {"max_result_bytes": 400_000}}).text == big
    assert result_of("x" * 262_144).text == "x" * 262_144


def test_long_data_is_bounded_in_text_and_whole_in_data():
    """V8: data is limited after it was written; the program has all of it."""
    rows = [{"n": n} for n in range(10_000)]
    result = result_of(rows, max_result_bytes=2_000)

    assert len(result.text) <= 2_000
    assert result.data == rows


def test_several_long_texts_share_the_limit():
    """V8: each is cut in proportion; binary blocks are not text."""
    blocks = [TextContent("a" * 3_000), IMAGE, TextContent("b" * 1_000)]
    result = result_of(blocks, max_result_bytes=1_000)

    first, image, second = result.content
    assert len(first.text) + len(second.text) <= 1_000
    assert len(first.text) > len(second.text)
    assert image is IMAGE
    assert result.data == "a" * 3_000 + "\n" + "b" * 1_000


def test_a_big_image_is_not_a_text():
    """V8: bytes of a block are neither counted nor cut."""
    image = ImageContent(bytes(1_000_000), "image/png")

    assert result_of(image).content == (image,)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.decimals()
    | st.datetimes()
    | st.uuids()
    | st.builds(Odd),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.integers() | st.none(), inner, max_size=4)
        | st.tuples(inner, inner)
        | st.frozensets(st.integers() | st.text(), max_size=4)
    ),
    max_leaves=15,
)


@given(value=anything)
def test_conversion_never_raises_and_is_always_json(value):
    """V8: any value at all; what is JSON already stays as it is."""
    shown, data, _ = convert(value)
    content = blocks(shown)

    text = json.dumps(data, allow_nan=False)
    assert json.loads(text) == data
    text.encode()
    content[0].text.encode()
    again, lost = to_json(data)
    assert (again, lost) == (data, ())


@given(text=st.text(max_size=400), limit=st.integers(0, 300))
def test_bounded_text_fits_and_keeps_its_ends(text, limit):
    """V8: never longer than the limit, but for the note itself."""
    cut = bound(text, limit)

    if len(text.encode("utf-8", "replace")) <= limit:
        assert cut == text
    else:
        head, _, rest = cut.partition("\n... ")
        tail = rest.partition(" ...\n")[2]
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(cut.encode("utf-8", "replace")) <= max(limit, 60)
