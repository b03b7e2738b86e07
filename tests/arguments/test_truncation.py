"""Text that was cut off is never completed."""

import json

import pytest

from pegboard._arguments import read_arguments
from pegboard.errors import InvalidArguments

TEXTS = [
    '{"path": "notes.md", "content": "first line\\nsecond \\"line\\"", "n": 1200}',
    json.dumps({"a": [1.5e10, -3, {"b": [True, None, "]}"]}], "é": "😀"}, indent=2),
    "{'single': 'it\\'s', bare: [True, None,], // note\n 'x': {},}",
    '"{\\"a\\": {\\"b\\": [1, 2]}}"',
    '```json\n{"a": "b", "c": 12}\n```',
    '\ufeff{"a": /* b */ [1]}',
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("strict", [False, True])
def test_no_front_part_of_a_text_is_accepted(text: str, strict: bool) -> None:
    """A3: cut at every character, only an empty text and a whole one are read."""
    accepted = []
    for end in range(len(text)):
        try:
            read_arguments(text[:end], strict=strict)
        except InvalidArguments:
            continue
        accepted.append(text[:end])

    assert [part for part in accepted if part.strip()] == []


@pytest.mark.parametrize(
    "sent",
    [
        '{"a": "b',
        '{"a": "b\\',
        '{"a": 10',
        '{"a": true',
        '{"a": tru',
        '{"a": 1.',
        '{"a": [1, 2]',
        '{"a"',
        '{"a',
        "{a",
        '{"a": 1 /* b',
        '```json\n{"a": 1}',
        '"{\\"a\\": 1"',
        '"{\\"a\\": 1}',
    ],
)
def test_what_was_cut_off_is_called_that(sent: str) -> None:
    """A3: the code tells a cut text from a wrong one, so that it is sent again."""
    with pytest.raises(InvalidArguments, match="cut off") as caught:
        read_arguments(sent)

    assert caught.value.code == "truncated_arguments"
