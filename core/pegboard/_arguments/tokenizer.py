"""One pass over lenient text: strict JSON comes out, or a refusal.

Punctuation and escapes are restored. No value is added, closed, merged, dropped or
re-typed: every literal of the input is a literal of the output, in the same place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NoReturn

from pegboard._arguments.text import MAX_DEPTH
from pegboard._arguments.wording import cut, malformed, quote, truncated

_MAX_VALUES = 100
_SPACE = re.compile(r"[ \t\r\n]+")
_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_NUMBERLIKE = re.compile(r"[-+.0-9][-+.\w]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_STRICT_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"')
_WHOLE_STRING = {
    mark: re.compile(rf"{mark}((?:[^{mark}\\]|\\.)*+){mark}", re.DOTALL)
    for mark in "\"'"
}
_ONLY_ESCAPES = re.compile(
    r"""(?:[^\\]|\\(?:["\\/bfnrt']|u[0-9a-fA-F]{4}))*+""", re.DOTALL
)
_ODD = re.compile(r"""\\(?:u[0-9a-fA-F]{4}|.)|["\x00-\x1f]""", re.DOTALL)
_LITERALS = {"true": "true", "false": "false", "null": "null"}
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_CLOSES = {"{": "}", "[": "]"}


class Document:
    """One value of the text, rewritten.

    Attributes:
        text: The value in JSON, as strict as the input allows.
    """

    def __init__(self, pieces: list[str], starts: list[int]) -> None:
        self.text = "".join(pieces)
        self._pieces = pieces
        self._starts = starts

    def origin(self, offset: int) -> int:
        """Return where in the input the token at an offset of `text` began."""
        ends = []
        end = 0
        for piece in self._pieces:
            end += len(piece)
            ends.append(end)
        index = bisect_right(ends, offset)
        return self._starts[min(index, len(self._starts) - 1)] if self._starts else 0


class Tokenizer:
    """Rewrites one text.

    Attributes:
        documents: The values found, one after the other.
        rules: What was restored: rule to an excerpt of its first use.
    """

    def __init__(self, text: str) -> None:
        self.documents: list[Document] = []
        self.rules: dict[str, str] = {}
        self._text = text
        self._at = 0
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._open: list[str] = []  # the closing brackets that are still to come
        self._closed = False  # a surplus bracket was seen

    def run(self) -> None:
        """Read the whole text.

        Raises:
            InvalidArguments: the text is cut off or cannot be JSON.
        """
        text, size = self._text, len(self._text)
        while True:
            self._skip()
            if self._at >= size:
                break
            character = text[self._at]
            if not self._open and self.documents:
                self._go_on(character)
            if character == '"' or character == "'":
                self._string(character)
            elif character in "{[":
                self._put(character, 1)
                self._open.append(_CLOSES[character])
                if len(self._open) > MAX_DEPTH:
                    raise malformed(f"nested deeper than {MAX_DEPTH}")
            elif character in "}]":
                self._close(character)
            elif character in ",:":
                self._put(character, 1)
            else:
                self._bare()
            if not self._open and self._pieces:
                self.documents.append(Document(self._pieces, self._starts))
                if len(self.documents) > _MAX_VALUES:
                    raise malformed(f"more than {_MAX_VALUES} values run together")
                self._pieces, self._starts = [], []
        if self._open:
            raise truncated(f"at its end, before {quote(self._open[-1])}")

    def _skip(self) -> None:
        """Pass over white space and comments."""
        text = self._text
        while True:
            if space := _SPACE.match(text, self._at):
                self._at = space.end()
            if text.startswith("//", self._at):
                end = text.find("\n", self._at)
                end = len(text) if end < 0 else end
            elif text.startswith("/*", self._at):
                end = text.find("*/", self._at + 2) + 2
                if end < 2:
                    raise truncated("inside a comment")
            else:
                return
            self._note("comments", text[self._at : end])
            self._at = end

    def _go_on(self, character: str) -> None:
        """Decide whether anything may follow a whole value."""
        if character in "}]":
            return
        if self._closed or character not in "{[\"'":
            self._fail("unexpected text after the object")

    def _close(self, character: str) -> None:
        if not self._open:
            if not self.documents:
                self._fail(f"unexpected {quote(character)}")
            self._closed = True
            self._note("surplus_brackets", character)
            self._at += 1
            return
        if self._open[-1] != character:
            self._fail(
                f"found {quote(character)} where {quote(self._open[-1])} belongs"
            )
        # Only a comma that follows a value is surplus: in `[,]` a value is missing.
        if self._pieces[-1] == "," and self._pieces[-2] not in ("{", "[", ",", ":"):
            self._note("trailing_commas", "," + character)
            self._pieces.pop()
            self._starts.pop()
        self._put(character, 1)
        self._open.pop()

    def _bare(self) -> None:
        """Read a number, a word or a key without quotes."""
        text = self._text
        if token := _NUMBERLIKE.match(text, self._at):
            if not _NUMBER.fullmatch(token[0]):
                self._stop(token, "is not a JSON number")
            self._separate()
            self._put(token[0], len(token[0]))
            return
        token = _WORD.match(text, self._at)
        if token is None:
            self._fail(f"unexpected {quote(text[self._at])}")
        word = token[0]
        if word in _LITERALS:
            self._separate()
            self._put(word, len(word))
        elif word in _PYTHON:
            self._note("python_words", word)
            self._separate()
            self._put(_PYTHON[word], len(word))
        elif self._at_key():
            self._note("bare_keys", word)
            self._put(f'"{word}"', len(word))
        elif self._pieces[-1:] and self._pieces[-1][-1] == '"':
            # Nearly always the text of an attribute, or of a speech.
            self._stop(token, 'follows a string; a quote inside one is written \\"')
        else:
            self._stop(token, "has no quotes")

    def _at_key(self) -> bool:
        return self._open[-1:] == ["}"] and self._pieces[-1] in ("{", ",")

    def _separate(self) -> None:
        # `[1 2]` must not become `[12]`.
        if self._pieces and self._pieces[-1] not in ("{", "[", ",", ":"):
            self._put(" ", 0)

    def _string(self, mark: str) -> None:
        start = self._at
        if mark == '"' and (strict := _STRICT_STRING.match(self._text, start)):
            self._put(strict[0], len(strict[0]))
            return
        whole = _WHOLE_STRING[mark].match(self._text, start)
        if whole is None:
            raise truncated("inside a string")
        body, excerpt = whole[1], whole[0]
        if mark == "'":
            self._note("single_quotes", excerpt)
        # A single backslash that starts no escape was meant as a backslash, and then
        # so were all the others of this string: "C:\bin\app" holds no backspace.
        literal = not _ONLY_ESCAPES.fullmatch(body)
        if literal:
            self._note("backslashes", excerpt)

        def restore(odd: re.Match[str]) -> str:
            found = odd[0]
            if found == "\\'":
                self._note("apostrophes", excerpt)
                return "'"
            if found == '"':
                return '\\"'
            if found[0] != "\\":
                self._note("control_characters", excerpt)
                return f"\\u{ord(found):04x}"
            if not literal or found in ('\\"', "\\\\"):
                return found
            return "\\\\" + _ODD.sub(restore, found[1:])

        self._put(f'"{_ODD.sub(restore, body)}"', len(excerpt))

    def _put(self, piece: str, length: int) -> None:
        """Write a piece that stands for the next `length` characters."""
        self._pieces.append(piece)
        self._starts.append(self._at)
        self._at += length

    def _note(self, rule: str, excerpt: str) -> None:
        if rule not in self.rules:
            self.rules[rule] = cut(excerpt, 40)

    def _stop(self, token: re.Match[str], fact: str) -> NoReturn:
        if self._open and token.end() == len(self._text):
            raise truncated(f"inside {quote(token[0])}")
        self._fail(f"{quote(token[0])} {fact}")

    def _fail(self, fact: str) -> NoReturn:
        raise malformed(f"{fact} at character {self._at + 1}")
