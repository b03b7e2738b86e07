"""From what a model sent to one JSON object: nothing, null, repairs, two values."""

import json
from typing import Any

import pytest

from pegboard._arguments import read_arguments
from pegboard.errors import InvalidArguments


def rules(repairs: tuple[Any, ...]) -> list[str]:
    return [each.rule for each in repairs]


@pytest.mark.parametrize(
    "sent",
    [None, "", " \n\t", b"", b" ", "null", " null\n", b"null", {}, "{}"],
    ids=repr,
)
@pytest.mark.parametrize("strict", [False, True])
def test_nothing_is_an_empty_object(sent: Any, strict: bool) -> None:
    """A1: missing, empty and blank arguments and a top-level null are {}."""
    value, text, repairs = read_arguments(sent, strict=strict)

    assert (value, repairs) == ({}, ())
    assert text in ("{}", None)


@pytest.mark.parametrize(
    ("sent", "came"),
    [
        ("[]", "an empty array"),
        ('[{"a": 1}]', "an array of 1 element"),
        ("[1, 2]", "an array of 2 elements"),
        ("3", "integer 3"),
        ("0.5", "number 0.5"),
        ("true", "boolean true"),
        ("False", "boolean false"),
        ('"Paris"', 'string "Paris"'),
        ('""', 'string ""'),
        ('"null"', 'string "null"'),
        ('"[1]"', 'string "[1]"'),
    ],
)
def test_any_other_value_is_malformed(sent: str, came: str) -> None:
    """A1: what is no object is refused, and the message says what it is."""
    with pytest.raises(InvalidArguments) as caught:
        read_arguments(sent)

    assert caught.value.code == "malformed_arguments"
    assert caught.value.problems == (f"expected one JSON object, got {came}",)


def test_what_is_neither_text_nor_mapping_is_malformed() -> None:
    """A1: a value that no provider sends is refused, not raised over."""
    sent: Any = [1, 2]

    with pytest.raises(InvalidArguments, match="came as list") as caught:
        read_arguments(sent)
    assert caught.value.code == "malformed_arguments"


REPAIRED = [
    ('\ufeff{"a": 1}', {"a": 1}, ["byte_order_mark"]),
    ('```json\n{"a": 1}\n```', {"a": 1}, ["code_fence"]),
    (' ```{"a": 1}``` \n', {"a": 1}, ["code_fence"]),
    ("````json5\n{a: 1}\n````", {"a": 1}, ["code_fence", "bare_keys"]),
    ('"{\\"a\\": 1}"', {"a": 1}, ["double_encoded"]),
    ('"{\\"a\\": 1,}"', {"a": 1}, ["double_encoded", "trailing_commas"]),
    ('\'{"a": 1}\'', {"a": 1}, ["single_quotes", "double_encoded"]),
    ('{"a": "x\n\ty"}', {"a": "x\n\ty"}, ["control_characters"]),
    ('{"a": "\x00\x1f"}', {"a": "\x00\x1f"}, ["control_characters"]),
    ('{"a": "\\d+"}', {"a": "\\d+"}, ["backslashes"]),
    ('{"a": "a\\x00b"}', {"a": "a\\x00b"}, ["backslashes"]),
    ('{"a": "C:\\bin\\app"}', {"a": "C:\\bin\\app"}, ["backslashes"]),
    ('{"a": "\\d \\u0041 \\n"}', {"a": "\\d \\u0041 \\n"}, ["backslashes"]),
    ('{"a": "\\d \\\\ \\" x"}', {"a": '\\d \\ " x'}, ["backslashes"]),
    ('{"a": "\\u12"}', {"a": "\\u12"}, ["backslashes"]),
    ('{"a": "it\\\'s"}', {"a": "it's"}, ["apostrophes"]),
    ('{"a": "\\d it\\\'s"}', {"a": "\\d it's"}, ["backslashes", "apostrophes"]),
    ('{"a": "\\\n"}', {"a": "\\\n"}, ["backslashes", "control_characters"]),
    ("{'a': 'b'}", {"a": "b"}, ["single_quotes"]),
    ("{'a': 'say \"x\"'}", {"a": 'say "x"'}, ["single_quotes"]),
    ("{'a': 'it\\'s'}", {"a": "it's"}, ["single_quotes", "apostrophes"]),
    ("{'a': '\\n'}", {"a": "\n"}, ["single_quotes"]),
    ("{a: 1, $x_1: 2, größe: 3}", {"a": 1, "$x_1": 2, "größe": 3}, ["bare_keys"]),
    ('{"a": [1,], "b": {"c": 1,},}', {"a": [1], "b": {"c": 1}}, ["trailing_commas"]),
    ('{"a": 1 // one\n, /* two */ "b": 2}', {"a": 1, "b": 2}, ["comments"]),
    ('{"a": 1} // the end', {"a": 1}, ["comments"]),
    ('{"a": [True, False, None]}', {"a": [True, False, None]}, ["python_words"]),
    ("None", {}, ["python_words"]),
    ('{"a": 1}}', {"a": 1}, ["surplus_brackets"]),
    ('{"a": [1]}]} }', {"a": [1]}, ["surplus_brackets"]),
    ('{}{"q": 1}', {"q": 1}, ["empty_values"]),
    ('null\n{"q": 1} {}', {"q": 1}, ["empty_values"]),
    ("{}{}", {}, ["empty_values"]),
    ('{"a": 1}{"a": 1}', {"a": 1}, ["repeated_values"]),
    ('{"a": 1, "b": 2} {"b": 2, "a": 1}', {"a": 1, "b": 2}, ["repeated_values"]),
    ('{"a": "\\ud83d"}', {"a": "\ufffd"}, ["surrogates"]),
    ('{"a": "x\udc00"}', {"a": "x\ufffd"}, ["surrogates"]),
    ('{"\\ud800": ["\\udfff"]}', {"\ufffd": ["\ufffd"]}, ["surrogates"] * 2),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "value", "used"), REPAIRED)
def test_punctuation_and_escapes_are_restored(
    sent: str, value: Any, used: list[str]
) -> None:
    """A2: each lenient form has the one value it can mean, and leaves a Repair."""
    read, text, repairs = read_arguments(sent)

    assert repr(read) == repr(value)
    assert text is not None
    assert repr(json.loads(text)) == repr(value)
    assert rules(repairs) == used


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ('{"a": "keep ,} and ,] // x /* y */"}', {"a": "keep ,} and ,] // x /* y */"}),
        ('{"a": "it\'s 5 o\'clock"}', {"a": "it's 5 o'clock"}),
        ('{"a": "D:\\reports\\new"}', {"a": "D:\reports\new"}),
        ('{"a": "def f():\\\\n\\\\treturn 1"}', {"a": "def f():\\n\\treturn 1"}),
        ('{"a": "```json\\n{}\\n```"}', {"a": "```json\n{}\n```"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ('{"a": "{\\"b\\": 1}"}', {"a": '{"b": 1}'}),
        (b'{"a": "\xc3\xa9"}', {"a": "é"}),
        (bytearray(b'{"a": 1}'), {"a": 1}),
    ],
)
def test_valid_json_is_never_repaired(sent: Any, value: Any) -> None:
    """A2: text that is a JSON object is taken as it is, however odd it looks."""
    read, _, repairs = read_arguments(sent)

    assert (read, repairs) == (value, ())


MALFORMED = [
    ('{"a": 1, "a": 2}', 'the key "a" occurs twice in one object'),
    ('{"b": {"a": 1, "\\u0061": 1}}', 'the key "a" occurs twice in one object'),
    ("{'a': 1, a: 2}", 'the key "a" occurs twice in one object'),
    ('{"\\ud800": 1, "\\ud801": 2}', 'the key "\ufffd" occurs twice in one object'),
    ('{"a": 1}{"a": 2}', "2 values run together, of which one is wanted"),
    ('{"a": 1}{"a": true}', "2 values run together, of which one is wanted"),
    ('{"a": 1}{"a": 1.0}', "2 values run together, of which one is wanted"),
    ("[]{}[1]", "3 values run together, of which one is wanted"),
    ('{"a": 1}' * 101, "more than 100 values run together"),
    ('{"a": 1}, {"a": 1}', "unexpected text after the object at character 9"),
    ('{"a": 1}} {"a": 1}', "unexpected text after the object at character 11"),
    ('{"a": NaN}', '"NaN" is not a JSON number at character 7'),
    ('{"a": -Infinity}', '"-Infinity" is not a JSON number at character 7'),
    ('{"a": 1e999}', "the number 1e999 is out of range"),
    ('{"a": 0x10}', '"0x10" is not a JSON number at character 7'),
    ('{"a": 1_000}', '"1_000" is not a JSON number at character 7'),
    ('{"a": +1}', '"+1" is not a JSON number at character 7'),
    ('{"a": .5}', '".5" is not a JSON number at character 7'),
    ('{"a": 01}', '"01" is not a JSON number at character 7'),
    ('{"a": ٣}', 'unexpected "٣" at character 7'),
    ('{"a": ' + "7" * 4_301 + "}", "an integer has more than 4,300 digits"),
    ('{"api_key": hunter2}', "a text has no quotes at character 13"),
    ('{"a": undefined}', '"undefined" has no quotes at character 7'),
    ("{'n': __import__('os').getpid()}", '"__import__" has no quotes at character 7'),
    ("{'tags': {'a', 'b'}}", "expecting ':' delimiter at character 14"),
    ('{"a": (1, 2)}', 'unexpected "(" at character 7'),
    ('{"id": 7, "note": }', "expecting value at character 19"),
    ('{"a": 1 "b": 2}', "expecting ',' delimiter at character 9"),
    ('{"a": [1 2]}', "expecting ',' delimiter at character 10"),
    ('{"a": [true false]}', "expecting ',' delimiter at character 13"),
    ('{"a": [,]}', "expecting value at character 8"),
    ('{"a": [1,,]}', "expecting value at character 10"),
    ("{,}", "expecting property name enclosed in double quotes at character 2"),
    ("{None: 1}", "expecting property name enclosed in double quotes at character 2"),
    ("{1: 2}", "expecting property name enclosed in double quotes at character 2"),
    ('{"a": [1}', 'found "}" where "]" belongs at character 9'),
    ("]", 'unexpected "]" at character 1'),
    (": 1", "unexpected text after the object at character 3"),
    (":", "expecting value at character 1"),
    ('{"a": "<b id="x">"}', '"x" follows a string; a quote inside one is written '
     '\\" at character 15'),
    ("{“a”: 1}", 'unexpected "“" at character 2'),
    ('{"a": 1 # one\n}', 'unexpected "#" at character 9'),
    ('Sure: {"a": 1}', '"Sure" has no quotes at character 1'),
    ("\u00a0{}", 'unexpected "\u00a0" at character 1'),
    ("\ufeff", "the text holds no JSON value"),
    ("// nothing", "the text holds no JSON value"),
    ('{"x": ' + "[" * 20_000, "nested deeper than 100"),
    (b'{"a": "\xff"}', "byte 8 is not UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "fact"), MALFORMED)
def test_what_has_no_single_reading_is_malformed(sent: Any, fact: str) -> None:
    """A2, A3, A9: whatever adding, choosing or guessing would read is refused."""
    with pytest.raises(InvalidArguments) as caught:
        read_arguments(sent)

    assert caught.value.code == "malformed_arguments"
    assert caught.value.problems == (fact,)


@pytest.mark.parametrize(
    "sent",
    [case[0] for case in REPAIRED if case[2][0] != "surrogates"],
)
def test_strict_repairs_nothing(sent: str) -> None:
    """A2: in strict mode a text that would be repaired is malformed."""
    with pytest.raises(InvalidArguments) as caught:
        read_arguments(sent, strict=True)

    assert caught.value.code == "malformed_arguments"


@pytest.mark.parametrize(
    ("sent", "value", "used"),
    [case for case in REPAIRED if case[2][0] == "surrogates"],
)
def test_strict_replaces_lone_surrogates(
    sent: str, value: Any, used: list[str]
) -> None:
    """A9: lone surrogates become U+FFFD always, in strict mode too."""
    read, _, repairs = read_arguments(sent, strict=True)

    assert read == value
    assert rules(repairs) == used


def test_a_repair_says_where_and_what() -> None:
    """A2: a repair of the text has a short excerpt, one of a value its path."""
    _, _, of_text = read_arguments("{a: 'x', b: 'y'}")
    _, _, of_value = read_arguments({"a": [{"b": "x\ud800"}]})

    assert [each.to_dict() for each in of_text] == [
        {"path": [], "rule": "bare_keys", "before": "a", "after": None},
        {"path": [], "rule": "single_quotes", "before": "'x'", "after": None},
    ]
    assert [each.to_dict() for each in of_value] == [
        {
            "path": ["a", 0, "b"],
            "rule": "surrogates",
            "before": None,
            "after": "x\ufffd",
        }
    ]
