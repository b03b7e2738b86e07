"""Schemas and texts made to take long."""

import json
from collections.abc import Iterator
from typing import Any

MEGABYTE = 1_000_000
ANYTHING: dict[str, Any] = {"properties": {"x": {}}}
INTEGERS = {"properties": {"x": {"items": {"type": "integer"}}}}


def hostile_calls() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield calls by name: each input schema with the text of its arguments."""
    yield from texts()
    yield from patterns()
    yield from values()
    yield from trees()
    yield from unions()
    yield from references()


def texts() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield texts for the tokenizer and the parser."""
    for name, text in {
        "raw line breaks": '{"x": "' + "a\n" * (MEGABYTE // 2) + '"}',
        "single quotes": "{'x': ['" + "','" * (MEGABYTE // 3) + "']}",
        "one long string in single quotes": "{'x': '" + "ab " * (MEGABYTE // 3) + "'}",
        "open strings": '{"x": ' + '"\\' * 50_000,
        "literal backslashes": '{"x": "' + "\\d" * (MEGABYTE // 2) + '"}',
        "apostrophes": '{"x": "' + "\\'" * (MEGABYTE // 2) + '"}',
        "quotes": '{"x": "' + '"' * MEGABYTE,
        "fences": "```json" * 20_000,
        "open braces": "{," * 50_000,
        "open brackets": '{"x": ' + "[" * MEGABYTE,
        "comments": "/**/" * (MEGABYTE // 4) + "{}",
        "open comments": "/*" * (MEGABYTE // 2),
        "blanks": '{"x": ' + " " * MEGABYTE + "1}}",
        "values that run together": "{}" * (MEGABYTE // 2),
        "bare keys": "{" + ",".join(f"k{i}:1" for i in range(80_000)) + "}",
        "trailing commas": '{"x": [' + "[1,]," * (MEGABYTE // 6) + "]}",
        "repeated keys": "{" + ",".join('"x":1' for _ in range(MEGABYTE // 7)) + "}",
        "surplus brackets": "{}" + "}" * MEGABYTE,
        "text in a text": json.dumps(json.dumps({"x": "a" * (MEGABYTE // 2)})),
        "lone surrogates": '{"x": "' + "\\ud800" * (MEGABYTE // 6) + '"}',
        "a long integer": '{"x": ' + "7" * MEGABYTE + "}",
        "many long integers": '{"x": [' + ",".join(["7" * 4_300] * 200) + "]}",
        "a long fraction": '{"x": 0.' + "3" * MEGABYTE + "}",
    }.items():
        yield name, ANYTHING, text


def patterns() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield patterns that make other engines backtrack."""
    text = json.dumps({"x": "a" * (MEGABYTE - 100) + "!"})
    many = json.dumps({"x": ["a" * 1_000] * 900})
    for pattern in ("^(a+)+$", "(x+x+)+y", "(a|aa)+$", "(?=.*z)a", "(?=(a+))\\1b"):
        yield f"pattern {pattern}", {"properties": {"x": {"pattern": pattern}}}, text
        each = {"items": {"pattern": pattern}}
        yield f"pattern {pattern}, 900 texts", {"properties": {"x": each}}, many


def values() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield values that are wrong in many places, or deep down."""
    for name, value in {
        "wrong elements": ["a"] * 100_000,
        "elements to be coerced": ["1"] * 100_000,
        "a wrong last element": [1] * 200_000 + ["a"],
        "text of a long list": json.dumps(list(range(150_000))),
    }.items():
        yield name, INTEGERS, json.dumps({"x": value})
    unique = {"properties": {"x": {"uniqueItems": True}}}
    objects = [{"a": number} for number in range(60_000)]
    yield "unique objects", unique, json.dumps({"x": objects})
    yield "two equal objects", unique, json.dumps({"x": [*objects, {"a": 0}]})
    names = {f"name{number}": {} for number in range(1_000)}
    closed = {"properties": names, "additionalProperties": False}
    yield "unknown names", closed, json.dumps({f"nam{n}": 1 for n in range(50_000)})
    members = {"enum": [f"m{number}" for number in range(50_000)]}
    yield "a long enumeration", {"properties": {"x": members}}, '{"x": "M77"}'
    factor = {"properties": {"x": {"multipleOf": 0.01}}}
    yield "a long multiple", factor, '{"x": ' + "7" * 4_300 + "}"


def trees() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield recursive unions with one wrong leaf deep down, or many."""
    branch = {"$ref": "#/$defs/any"}
    leaf = {
        "type": "object",
        "properties": {"v": {"type": "integer"}},
        "required": ["v"],
    }
    told = [
        {
            "type": "object",
            "properties": {"op": {"const": name}, "l": branch, "r": branch},
            "required": ["op", "l", "r"],
        }
        for name in ("and", "or", "not")
    ]
    blind = [{"properties": {"l": branch, name: leaf}} for name in ("a", "b", "c")]
    for name, arms in {"a union": told, "a blind union": blind}.items():
        union = {"anyOf": [*arms, leaf]}
        schema = {"properties": {"x": branch}, "$defs": {"any": union}}
        for wrong in ("many", "3"):
            for depth in (20, 95):
                value: Any = {"v": wrong}
                for _ in range(depth):
                    value = {"op": "or", "l": value, "r": {"v": 1}}
                yield f"{name} {depth} deep, {wrong}", schema, json.dumps({"x": value})
            full: Any = {"v": wrong}
            for _ in range(13):
                full = {"op": "and", "l": full, "r": full}
            yield f"{name} of a full tree, {wrong}", schema, json.dumps({"x": full})


def unions() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield unions of very many arms."""
    arms = [
        {"properties": {"k": {"const": n}, "p": {"type": "integer"}}, "required": ["p"]}
        for n in range(1_000)
    ]
    wide = {"properties": {"x": {"oneOf": arms}}}
    yield "1,000 arms", wide, '{"x": {"k": 7, "p": "1"}}'
    elements = json.dumps({"x": [{"k": n, "p": "3"} for n in range(1_000)]})
    many = {"properties": {"x": {"items": {"anyOf": arms[:100]}}}}
    yield "1,000 elements of 100 arms", many, elements
    text = json.dumps({"x": json.dumps([{"a": 1}] * 50_000)})
    lists = [{"type": "array", "items": {"required": [f"z{n}"]}} for n in range(100)]
    yield "text for 100 arms", {"properties": {"x": {"anyOf": lists}}}, text


def references() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield references that multiply, go on for long, or carry much down deep."""
    for name, make in {
        "union": lambda to: {"anyOf": [to, to]},
        "properties": lambda to: {"anyOf": [{"properties": {"l": to}}] * 2},
        "chain": lambda to: to,
    }.items():
        for length in (12, 60, 3_000):
            chain = {
                f"d{n}": make({"$ref": f"#/$defs/d{n + 1}"}) for n in range(length)
            }
            chain[f"d{length}"] = {"type": "integer"}
            schema = {"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": chain}
            yield f"{length} references by {name}", schema, '{"x": "a"}'
    node = {
        "properties": {
            "k": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
            "a": {"items": {"type": "integer"}},
            "b": {"type": "integer"},
        }
    }
    for wrong in ("many", "3"):
        value: Any = {"a": list(range(120_000)), "b": wrong}
        for _ in range(95):
            value = {"k": value}
        yield f"much down deep, {wrong}", node, json.dumps(value)
    text: Any = "[]"
    for _ in range(15):
        text = json.dumps([text])
    below = {"items": {"$ref": "#/properties/x"}}
    lists = {"properties": {"x": {"type": "array", **below}}}
    yield "texts in texts", lists, json.dumps({"x": text})
    schema: dict[str, Any] = {}
    for _ in range(300):
        schema = {"properties": {"a": schema}}
    yield "a deep schema", schema, '{"a": 1}'
