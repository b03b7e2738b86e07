"""One pass over lenient text: strict JSON comes out, or a refusal.

Punctuation and escapes are restored. No value is added, closed, merged, dropped or
re-typed: every literal of the input is a literal of the output, in the same place.
"""

from __future__ import annotations

import re
from typing import NoReturn

from pegboard._arguments.text import MAX_DEPTH
from pegboard._arguments.wording import cut, is_secret, malformed, quote, truncated

_MAX_VALUES = 100
_SPACE = re.compile(r"[ \t\r\n]*+")
_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_NUMBER = re.compile(r"[-+.0-9][-+.\w]*")
_STRICT = (
    r"""(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+\""""
    r"|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?(?![-+.\w])"
    r"|(?:true|false|null)(?![\w$]))"
)
# What is strict is taken over in long runs: most of most texts is.
_TOKEN = re.compile(
    rf"[ \t\r\n]*+(?:(?P<run>{_STRICT}(?:[ \t\r\n]*+[,:][ \t\r\n]*+{_STRICT})*+)"
    r"|(?P<opening>[{\[])|(?P<closing>[}\]])|(?P<mark>[,:]))"
)
_STRING = {
    mark: re.compile(rf"{mark}((?:[^{mark}\\]|\\.)*+){mark}", re.DOTALL)
    for mark in "\"'"
}
_ONLY_ESCAPES = re.compile(
    r"""(?:[^\\]|\\(?:["\\/bfnrt']|u[0-9a-fA-F]{4}))*+""", re.DOTALL
)
_ODD = re.compile(r"""\\(?:u[0-9a-fA-F]{4}|.)|["\x00-\x1f]""", re.DOTALL)
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_NO_NUMBERS = ("NaN", "Infinity")
_BEFORE_VALUES = ("{", "[", ",", ":")
_CLOSES = {"{": "}", "[": "]"}


class Document:
    """One value of a text, rewritten.

    Attributes:
        text: The value in JSON, as strict as the input allows.
    """

    def __init__(self, source: str, pieces: list[str], starts: list[int]) -> None:
        self.text = "".join(pieces)
        self._source = source
        self._pieces = pieces
        self._starts = starts

    def origin(self, offset: int) -> int:
        """Return where in the source stands what stands at an offset of `text`."""
        index = 0
        while offset >= len(self._pieces[index]) and index + 1 < len(self._pieces):
            offset -= len(self._pieces[index])
            index += 1
        start = self._starts[index]
        as_it_was = self._source.startswith(self._pieces[index], start)
        return start + offset if as_it_was else start


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
            if not self._open:
                self._end_document()
                self._skip()
                if self._at == size:
                    return
                if self.documents:
                    self._go_on(text[self._at])
            if token := _TOKEN.match(text, self._at):
                self._take(token)
                continue
            before = self._at
            self._skip()
            if self._at == size:
                raise truncated(f"at its end, before {quote(self._open[-1])}")
            if self._at == before:
                self._restore(text[self._at])

    def _end_document(self) -> None:
        if self._pieces:
            document = Document(self._text, self._pieces, self._starts)
            self.documents.append(document)
            if len(self.documents) > _MAX_VALUES:
                raise malformed(f"more than {_MAX_VALUES} values run together")
            self._pieces, self._starts = [], []

    def _take(self, token: re.Match[str]) -> None:
        """Take over what is strict, and keep track of the brackets."""
        kind = token.lastgroup or ""
        piece = token[kind]
        self._at = token.start(kind)
        if kind == "closing":
            self._close(piece)
        elif kind == "run":
            self._write(piece, len(piece))
        else:
            self._put(piece, len(piece))
            if kind == "opening":
                self._open.append(_CLOSES[piece])
                if len(self._open) > MAX_DEPTH:
                    raise malformed(f"nested deeper than {MAX_DEPTH}")

    def _restore(self, character: str) -> None:
        """Rewrite a string, a word or a key that is not strict."""
        if character == '"' or character == "'":
            self._string(character)
        else:
            self._bare()

    def _skip(self) -> None:
        """Pass over white space and comments."""
        text = self._text
        while True:
            space = _SPACE.match(text, self._at)
            self._at = space.end() if space else self._at
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
        if self._pieces[-1] == "," and self._pieces[-2] not in _BEFORE_VALUES:
            self._note("trailing_commas", "," + character)
            self._pieces.pop()
            self._starts.pop()
        self._put(character, 1)
        self._open.pop()

    def _bare(self) -> None:
        """Read a word of Python or a key without quotes."""
        token = _NUMBER.match(self._text, self._at)
        if token:
            self._stop(token, "is not a JSON number")
        token = _WORD.match(self._text, self._at)
        if token is None:
            self._fail(f"unexpected {quote(self._text[self._at])}")
        word = token[0]
        last = self._pieces[-1] if self._pieces else ""
        if word in _NO_NUMBERS:
            self._stop(token, "is not a JSON number")
        if word in _PYTHON:
            self._note("python_words", word)
            self._write(_PYTHON[word], len(word))
        elif self._open[-1:] == ["}"] and last in ("{", ","):
            self._note("bare_keys", word)
            self._write(f'"{word}"', len(word))
        elif last.endswith('"'):
            # Nearly always the text of an attribute, or of a speech.
            self._stop(token, 'follows a string; a quote inside one is written \\"')
        else:
            self._stop(token, "has no quotes")

    def _string(self, mark: str) -> None:
        whole = _STRING[mark].match(self._text, self._at)
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

        self._write(f'"{_ODD.sub(restore, body)}"', len(excerpt))

    def _write(self, value: str, length: int) -> None:
        """Write a value, or several; `[1 True]` must not become `[1true]`."""
        if self._pieces and self._pieces[-1] not in _BEFORE_VALUES:
            self._put(" ", 0)
        self._put(value, length)

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
            raise truncated("inside a word or a number")
        # After the name of a secret the word may be the secret.
        secret = is_secret(tuple(self._pieces[-2:]))
        self._fail(f"{'a text' if secret else quote(token[0])} {fact}")

    def _fail(self, fact: str) -> NoReturn:
        raise malformed(f"{fact} at character {self._at + 1}")
