"""The slow path from what a model sent to one JSON object: it decides and explains."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pegboard._arguments.mapping import copy_mapping
from pegboard._arguments.strict import parse_document
from pegboard._arguments.surrogates import replace_surrogates
from pegboard._arguments.text import MAX_BYTES
from pegboard._arguments.tokenizer import Document, Tokenizer
from pegboard._arguments.wording import cut, malformed, not_an_object, truncated
from pegboard.calls import Arguments, Repair
from pegboard.errors import InvalidArguments

_BYTE_ORDER_MARK = "\ufeff"
_FENCE = re.compile(r"\s*+(`{3,}+)[\w+-]*+")


class Reading(NamedTuple):
    """What a text says.

    Attributes:
        value: The JSON value.
        text: Strict JSON text of the value.
        repairs: What was restored to read it.
    """

    value: Any
    text: str
    repairs: tuple[Repair, ...]


def read_arguments(
    sent: Arguments, *, strict: bool = False, limit: int = MAX_BYTES
) -> tuple[dict[str, Any], str | None, tuple[Repair, ...]]:
    """Return the object that was sent, strict JSON text of it, and what was repaired.

    Args:
        sent: What the model sent; nothing, blank text and `null` are no arguments.
        strict: Repair nothing but lone surrogates.
        limit: Most bytes of UTF-8 accepted as text.

    Returns:
        The object, a private copy; its text, or None for a mapping; the repairs.

    Raises:
        InvalidArguments: `malformed_arguments` or `truncated_arguments`.
    """
    if sent is None:
        return {}, "{}", ()
    if isinstance(sent, Mapping):
        return _read_mapping(sent)
    text = _decode(sent, limit)
    if not text or text.isspace():
        return {}, "{}", ()
    reading = read_text(text, strict=strict)
    if isinstance(reading.value, str) and not strict:
        reading = _read_again(reading)
    if reading.value is None:
        return {}, "{}", reading.repairs
    if not isinstance(reading.value, dict):
        raise not_an_object(reading.value)
    return reading


def read_text(text: str, *, strict: bool = False) -> Reading:
    """Return the one JSON value of a text.

    Raises:
        InvalidArguments: `malformed_arguments` or `truncated_arguments`.
    """
    rules: dict[str, str] = {}
    if not strict:
        if text.startswith(_BYTE_ORDER_MARK):
            text = text[1:]
            rules["byte_order_mark"] = ""
        text = _open_fence(text, rules)
    tokenizer = Tokenizer(text)
    tokenizer.run()
    rules |= tokenizer.rules
    value, document = _only_value(tokenizer.documents, rules)
    if strict and rules:
        raise malformed(f"{next(iter(rules)).replace('_', ' ')} are not allowed")
    repairs = tuple(Repair((), rule, rules[rule] or None) for rule in rules)
    value, replaced = replace_surrogates(value)
    if replaced:
        return Reading(value, json.dumps(value), repairs + replaced)
    return Reading(value, document.text, repairs)


def read_container(text: str) -> Reading | str:
    """Return the object or array that a text holds, or why it cannot be read.

    The reason is "" for a text that does not look like one.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "`")):
        return ""
    try:
        reading = read_text(text)
    except InvalidArguments as error:
        return error.problems[0]
    return reading if isinstance(reading.value, (dict, list)) else ""


def _read_mapping(
    sent: Mapping[str, Any],
) -> tuple[dict[str, Any], None, tuple[Repair, ...]]:
    try:
        return copy_mapping(sent), None, ()
    except UnicodeEncodeError:
        clean, repairs = replace_surrogates(sent)
        return copy_mapping(clean), None, repairs


def _decode(sent: str | bytes, limit: int) -> str:
    """Return what came as text, within the limit."""
    if isinstance(sent, str):
        size = len(sent)
        if size <= limit < 4 * size:
            size = len(sent.encode("utf-8", "surrogatepass"))
    elif isinstance(sent, (bytes, bytearray, memoryview)):
        size = len(sent)
    else:
        raise malformed(f"they came as {type(sent).__name__}, not as text or mapping")
    if size > limit:
        raise malformed(f"the text is longer than {limit:,} bytes")
    if isinstance(sent, str):
        return sent
    try:
        return bytes(sent).decode()
    except UnicodeDecodeError as error:
        raise malformed(f"byte {error.start + 1} is not UTF-8") from None


def _open_fence(text: str, rules: dict[str, str]) -> str:
    """Return what stands in a code fence around the whole text, else the text."""
    fence = _FENCE.match(text)
    if fence is None:
        return text
    inside = text[fence.end() :].rstrip()
    if not inside.endswith(fence[1]):
        raise truncated("before the end of the code fence")
    rules["code_fence"] = fence[0].strip()
    return inside[: -len(fence[1])]


def _only_value(
    documents: list[Document], rules: dict[str, str]
) -> tuple[Any, Document]:
    """Return the value that all documents agree on, those apart that say nothing."""
    if not documents:
        raise malformed("the text holds no JSON value")
    read = [(parse_document(document), document) for document in documents]
    if len(read) == 1:
        return read[0]
    telling = [each for each in read if each[0] not in ({}, None)]
    if len(telling) < len(read):
        rules["empty_values"] = ""
    if len(telling) > 1:
        if len({_canonical(value) for value, _ in telling}) > 1:
            raise malformed(f"{len(read)} values run together, of which one is wanted")
        rules["repeated_values"] = ""
    return (telling or read)[0]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _read_again(outer: Reading) -> Reading:
    """Return the object that a JSON string holds."""
    try:
        inner = read_text(outer.value)
    except InvalidArguments:
        if outer.value.lstrip().startswith("{"):
            raise
        raise not_an_object(outer.value) from None
    if not isinstance(inner.value, dict):
        raise not_an_object(outer.value)
    repair = Repair((), "double_encoded", cut(outer.text, 40))
    return Reading(inner.value, inner.text, (*outer.repairs, repair, *inner.repairs))
