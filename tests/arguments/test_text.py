"""The fast path: it may only say yes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard._arguments import parse_text, read_arguments
from pegboard._arguments.text import is_too_deep
from pegboard.errors import InvalidArguments

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
objects = st.dictionaries(st.text(), json_values)


def same(one: Any, other: Any) -> bool:
    """Compare values with their types and the order of their keys."""
    return repr(one) == repr(other)


@given(objects)
def test_the_fast_path_reads_what_json_reads(value: dict[str, Any]) -> None:
    """A9: where the fast path says yes, its value is that of the standard parser."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        try:
            parsed = parse_text(text)
        except ValueError:
            continue  # an infinity, a lone surrogate: for the slow path

        assert same(parsed, json.loads(text))


@given(objects)
def test_both_paths_agree(value: dict[str, Any]) -> None:
    """A9: the slow path reads what the fast one reads, and repairs nothing."""
    text = json.dumps(value)
    try:
        parsed = parse_text(text)
    except ValueError:
        return
    read, kept, repairs = read_arguments(text)

    assert same(read, parsed)
    assert same(json.loads(kept or ""), parsed)
    assert repairs == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[1]",
        '"{}"',
        '{"a": 1',
        "{'a': 1}",
        '{"a": 1} {"a": 1}',
        '{"a": 1, "a": 1}',
        '{"a": 1, "\\u0061": 1}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": 1E+999}',
        '{"a": -1e0999}',
        '{"a": ' + "9" * 309 + ".0}",
        '{"a": [' + '"padding", ' * 30 + "-" + "1" * 400 + ".5]}",
        '{"a": ' + "7" * 4_301 + "}",
        '{"a": "\\ud800"}',
        '{"a": "\ud800"}',
        '{"a": ' + "[" * 100 + "]" * 100 + "}",
        '{"a": ' + "[" * 50_000,
        '\ufeff{"a": 1}',
    ],
)
def test_the_fast_path_refuses_whatever_is_odd(text: str) -> None:
    """A9: all but a plain JSON object is left to the slow path."""
    with pytest.raises(ValueError):  # noqa: PT011 - what it says is for nobody
        parse_text(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1e3}', {"a": 1000.0}),
        ('{"a": "1e999"}', {"a": "1e999"}),
        ('{"e+": 1}', {"e+": 1}),
        ('{"a": ' + "[" * 99 + "]" * 99 + "}", None),
        ('{"a": "' + "[" * 500 + '"}', {"a": "[" * 500}),
        ('{"a": ' + "9" * 4_300 + "}", {"a": 10**4_300 - 1}),
        ('{"a": "' + "9" * 500 + '"}', {"a": "9" * 500}),
        ('{"a": 0.' + "9" * 400 + "}", {"a": 1.0}),
    ],
)
def test_what_only_looks_odd_is_read(text: str, value: Any) -> None:
    """A9: an exponent, a long number or many brackets are no reason to refuse."""
    parsed = parse_text(text)

    assert value is None or same(parsed, value)


def test_a_text_over_the_limit_is_refused_by_its_bytes() -> None:
    """A9: the limit counts bytes of UTF-8, on both paths."""
    text = '{"a": "é"}'

    assert parse_text(text, limit=11) == {"a": "é"}
    with pytest.raises(ValueError, match="longer"):
        parse_text(text, limit=10)
    assert read_arguments(text, limit=11)[0] == {"a": "é"}
    with pytest.raises(InvalidArguments, match="longer than 10 bytes"):
        read_arguments(text, limit=10)
    with pytest.raises(InvalidArguments, match="longer than 10 bytes"):
        read_arguments(text.encode(), limit=10)


def test_depth_is_counted_in_containers() -> None:
    """A9: a hundred objects and arrays, one in the other, are the most."""
    inner: list[Any] = []
    for _ in range(98):
        inner = [inner, 1]

    assert not is_too_deep({"a": inner})
    assert is_too_deep({"a": [inner]})
