"""Arguments that come as a mapping."""

from collections import OrderedDict
from collections.abc import Callable
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import pytest

from pegboard._arguments import copy_mapping, read_arguments
from pegboard._frozen import freeze
from pegboard.errors import InvalidArguments


class Color(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Mixed(str, Enum):  # noqa: UP042 - the older form is what is tested
    ONE = "one"


class Float(float):
    pass


def nest(depth: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = wrap(value)
    return value


def test_the_copy_is_private_at_every_depth() -> None:
    """A4: nothing that is done to the arguments reaches what the model sent."""
    sent = {"a": [{"b": [1]}], "c": {"d": {}}}

    copy = copy_mapping(sent)
    copy["a"][0]["b"].append(2)
    copy["c"]["d"]["e"] = 1

    assert sent == {"a": [{"b": [1]}], "c": {"d": {}}}


@pytest.mark.parametrize(
    ("sent", "copy"),
    [
        ({}, {}),
        (MappingProxyType({"a": (1, 2)}), {"a": [1, 2]}),
        (OrderedDict(b=1, a=None), {"b": 1, "a": None}),
        (freeze({"a": {"b": [True]}}), {"a": {"b": [True]}}),
        ({"a": Color.RED, "b": Level.HIGH}, {"a": "red", "b": 3}),
        ({"a": Mixed.ONE, "b": Float(1.5)}, {"a": "one", "b": 1.5}),
        ({Color.RED: 1}, {"red": 1}),
        ({"é": "ü"}, {"é": "ü"}),
        ({"a": 10**4_299}, {"a": 10**4_299}),
    ],
)
def test_the_copy_is_plain(sent: Any, copy: Any) -> None:
    """A4: what comes out is dicts, lists, texts, numbers, booleans and None."""
    made = copy_mapping(sent)

    assert repr(made) == repr(copy)


@pytest.mark.parametrize(
    ("sent", "fact"),
    [
        ({"a": {1, 2}}, "a is of type set, which JSON does not have"),
        ({"a": [{"b": b"x"}]}, r"a\[0\]\.b is of type bytes"),
        ({"a": float("nan")}, "a is nan, which is not a JSON number"),
        ({"a": [1.0, float("inf")]}, r"a\[1\] is inf"),
        ({"a": 10**4_300}, "a is an integer of more than 4,300 digits"),
        ({"a": -(10**4_300)}, "a is an integer of more than 4,300 digits"),
        ({"a": {3: 4}}, "a has a name that is not a text"),
        ({None: 4}, "arguments has a name that is not a text"),
        (nest(101, lambda inner: {"a": inner}), "nested deeper than 100"),
        ({"a": nest(100, lambda inner: [inner])}, "nested deeper than 100"),
    ],
)
def test_what_is_not_json_is_refused_by_its_path(sent: Any, fact: str) -> None:
    """A9: a mapping obeys the bounds that a text obeys; the message says where."""
    with pytest.raises(InvalidArguments, match=fact) as caught:
        copy_mapping(sent)
    assert caught.value.code == "malformed_arguments"


def test_a_cycle_is_refused() -> None:
    """A9: a mapping that holds itself is too deep, not endless."""
    sent: dict[str, Any] = {}
    sent["self"] = sent

    with pytest.raises(InvalidArguments, match="nested deeper than 100"):
        copy_mapping(sent)


def test_equal_keys_are_refused() -> None:
    """A3: two keys that are one in JSON are a repeated key."""

    class Key(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return self is other

        __hash__ = str.__hash__

    with pytest.raises(InvalidArguments, match="two equal keys"):
        copy_mapping({Key("a"): 1, Key("a"): 2})


@pytest.mark.parametrize(
    "sent",
    [{"a": "\ud800"}, {"\udfff": 1}, {"a": [{"b": "x\ud800y"}]}, {"a": ["\ud800"]}],
)
def test_a_lone_surrogate_goes_to_the_slow_path(sent: Any) -> None:
    """A9: the fast copy changes nothing, so it leaves a lone surrogate to the other."""
    with pytest.raises(UnicodeEncodeError):
        copy_mapping(sent)
    value, text, repairs = read_arguments(sent)

    assert str(value).count("\ufffd") == 1
    assert text is None
    assert [each.rule for each in repairs] == ["surrogates"]


def test_a_deep_mapping_with_a_surrogate_is_refused() -> None:
    """A9: the depth of a mapping is bounded on the slow path too."""
    sent = {"s": "\ud800", "a": nest(5_000, lambda inner: [inner])}

    with pytest.raises(InvalidArguments, match="nested deeper than 100"):
        read_arguments(sent)


def test_a_mapping_is_read_to_a_private_copy() -> None:
    """A1: a mapping is taken as it is, in strict mode too."""
    sent = {"a": [1]}

    value, text, repairs = read_arguments(sent, strict=True)

    assert (value, text, repairs) == ({"a": [1]}, None, ())
    assert value["a"] is not sent["a"]
