"""Any value, written as leniently as models write, is read back as it was."""

import json
import random
from typing import Any

import pytest

from pegboard._arguments import read_arguments
from pegboard.errors import InvalidArguments

TEXTS = ("a", "it's", 'say "x"', "C:\\bin", "\n\t", "{[,:]}", "// no", "é😀", "\\d", "")
KEYS = ("a", "b_c", "$x", "x y", "q'", "é", "k1")


def invent(source: random.Random, depth: int = 0) -> Any:
    """Return a JSON value."""
    choice = source.randrange(8 if depth < 3 else 5)
    if choice == 7:
        return [invent(source, depth + 1) for _ in range(source.randrange(4))]
    if choice >= 5:
        names = source.sample(KEYS, source.randrange(4))
        return {name: invent(source, depth + 1) for name in names}
    if choice >= 3:
        return "".join(source.choice(TEXTS) for _ in range(source.randrange(4)))
    return source.choice([None, True, False, 0, -7, 10**20, 1.5, -0.25, 1e10, 3.0])


class Writer:
    """Writes JSON values with every licence that is allowed."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def gap(self) -> str:
        return self.source.choice(["", "", " ", "\n", "/* c ] } */", "// c }\n"])

    def comma(self, parts: list[str]) -> str:
        return "," if parts and self.source.random() < 0.3 else ""

    def write(self, value: Any) -> str:
        """Return lenient text of a value."""
        if isinstance(value, dict):
            members = [f"{self.key(name)}:{self.write(value[name])}" for name in value]
            return f"{{{','.join(members)}{self.comma(members)}{self.gap()}}}"
        if isinstance(value, list):
            items = [self.write(item) for item in value]
            return f"[{','.join(items)}{self.comma(items)}{self.gap()}]"
        if isinstance(value, str):
            text = self.string(value)
        elif value is None or isinstance(value, bool):
            text = self.source.choice([json.dumps(value), repr(value)])
        else:
            text = json.dumps(value)
        return self.gap() + text + self.gap()

    def key(self, name: str) -> str:
        bare = name.replace("$", "a").isidentifier() and self.source.random() < 0.5
        return self.gap() + (name if bare else self.string(name)) + self.gap()

    def string(self, text: str) -> str:
        strict = json.dumps(text, ensure_ascii=self.source.random() < 0.5)
        form = self.source.randrange(4)
        if form == 0:
            return strict
        if form == 1 and "\\" not in text:
            body = json.dumps(text, ensure_ascii=False)[1:-1]
            return '"' + body.replace("\\n", "\n").replace("\\t", "\t") + '"'
        if form == 2 and "\\d" in text and not {"\n", "\t", '"'} & set(text):
            return f'"{text}"'  # the backslashes of all of it are literal
        body = json.dumps(text, ensure_ascii=False)[1:-1]
        return "'" + body.replace('\\"', '"').replace("'", "\\'") + "'"


@pytest.mark.parametrize("seed", range(20))
def test_lenient_text_has_the_value_it_was_written_from(seed: int) -> None:
    """A2: no licence changes a value, a type or the order of keys."""
    source = random.Random(seed)
    writer = Writer(source)
    for _ in range(100):
        value = {"r": invent(source), "s": invent(source)}
        text = writer.write(value)

        assert repr(read_arguments(text)[0]) == repr(value), text


@pytest.mark.parametrize("seed", range(20))
def test_no_front_part_of_lenient_text_is_accepted(seed: int) -> None:
    """A3: truncation is seen behind every licence."""
    source = random.Random(1_000 + seed)
    writer = Writer(source)
    for _ in range(5):
        text = writer.write({"r": invent(source), "s": invent(source)})
        start = text.index("{")
        end = max(text.rindex("}"), start)
        for cut in range(start + 1, end):
            with pytest.raises(InvalidArguments):
                read_arguments(text[:cut])


@pytest.mark.parametrize("seed", range(20))
def test_damaged_text_is_read_or_refused(seed: int) -> None:
    """A2: whatever is done to a text, the outcome is a value or one clear error."""
    source = random.Random(2_000 + seed)
    writer = Writer(source)
    codes = set()
    for _ in range(200):
        text = writer.write({"r": invent(source)})
        for _ in range(source.randrange(1, 4)):
            at = source.randrange(len(text) + 1)
            put = source.choice(
                ["", '"', "'", "\\", "{", "}", "[", "]", ",", ":", "/*"]
            )
            text = text[:at] + put + text[at + source.randrange(3) :]
        try:
            value, strict, _ = read_arguments(text)
        except InvalidArguments as error:
            codes.add(error.code)
        else:
            codes.add("")
            assert repr(json.loads(strict or "")) == repr(value)

    assert codes == {"", "malformed_arguments", "truncated_arguments"}
