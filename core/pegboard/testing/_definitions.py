"""What a tool's definition promises; nothing is run for it."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from pegboard._arguments import ArgumentSchema, compile_output
from pegboard._names import safe_name
from pegboard.errors import PegboardError
from pegboard.schemas import ToolDefinition
from pegboard.testing._promises import Broken
from pegboard.tools import Tool

Report = Callable[[str, str, str], Broken]
Schema = Mapping[str, Any]

#: Keywords that hold a schema by name, one schema, a list of schemas.
_NAMED = ("properties", "patternProperties", "$defs", "definitions")
_SINGLE = ("items", "additionalProperties", "contains", "not", "if", "then", "else")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
#: What says of an object whether it takes more than its properties.
_CLOSING = ("additionalProperties", "unevaluatedProperties", "$ref")
_COMBINING = ("anyOf", "oneOf", "allOf")


def check_definition(tool: Tool[..., Any]) -> Iterator[Broken]:
    """Yield each promise of a tool's definition that is not kept."""
    report = partial(Broken, f"tool {tool.name!r}")
    try:
        definition = tool.definition
    except PegboardError as error:
        remedy = "Annotate it with types JSON knows, or use Tool.from_schema."
        yield report("derived", str(error), remedy)
        return
    yield from _check_words(definition, report)
    yield from _check_schemas(definition, report)
    yield from _check_hints(tool, definition, report)


def _check_words(definition: ToolDefinition, report: Report) -> Iterator[Broken]:
    if safe_name(definition.name) != definition.name:
        yield report(
            "named",
            f"providers refuse the name, so it is offered as"
            f" {safe_name(definition.name)!r}",
            "Name it with a letter or '_', then up to 63 letters, digits, '_', '-'.",
        )
    if not definition.description.strip():
        remedy = "Write a docstring, or pass description=."
        yield report("described", "it has no description", remedy)
    root = definition.input_schema
    for name, schema in _members(root, "properties"):
        if not _is_described(schema, root):
            yield report(
                "described",
                f"parameter {name!r} has no description",
                "Describe it under Args in the docstring, or with Field(description=).",
            )


def _is_described(schema: Schema, root: Schema) -> bool:
    while "description" not in schema and "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        schema = dict(_members(root, "$defs")).get(name, {})
    return bool(str(schema.get("description") or "").strip())


def _check_schemas(definition: ToolDefinition, report: Report) -> Iterator[Broken]:
    root = definition.input_schema
    try:
        ArgumentSchema(root)
        if definition.output_schema is not None:
            compile_output(definition.output_schema)
    except ValueError as error:
        remedy = "Mend the schema; a board does not offer such a tool."
        yield report("valid", f"its schema is invalid: {error}", remedy)
        return
    for path, schema in _places(root):
        where = f"{path!r}" if path else "the arguments"
        if _is_open_by_accident(schema, path):
            yield report(
                "closed",
                f"{where} does not say whether it takes other properties, so a misspelt"
                " one is passed on in silence",
                'Set "additionalProperties": false, or true if that is meant.',
            )
        for keyword, value in _samples(schema):
            if not _fits(value, schema, root):
                yield report(
                    "examples",
                    f"{where} has {keyword} {value!r}, which does not fit its schema",
                    "Mend one of the two; a model copies what it is shown.",
                )


def _is_open_by_accident(schema: Schema, path: str) -> bool:
    if path and not schema.get("properties"):
        return False
    return not any(word in schema for word in (*_CLOSING, *_COMBINING))


def _samples(schema: Schema) -> Iterator[tuple[str, Any]]:
    if "default" in schema:
        yield "default", schema["default"]
    examples = schema.get("examples")
    for example in examples if isinstance(examples, list) else ():
        yield "example", example


def _fits(value: Any, schema: Schema, root: Schema) -> bool:
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
    try:
        return compile_output({**definitions, **schema})(value)
    except ValueError:
        return True  # it refers to another place of the root, so nobody can tell


def _check_hints(
    tool: Tool[..., Any], definition: ToolDefinition, report: Report
) -> Iterator[Broken]:
    hints = definition.annotations
    if hints.read_only and hints.destructive:
        yield report(
            "annotated",
            "it says that it is read-only and that it is destructive",
            "Set one of the two.",
        )
    known = dict(_members(definition.input_schema, "properties"))
    for template in tool.resources:
        for name in _fields(template):
            if name not in known:
                yield report(
                    "resources",
                    f"resource {template!r} names {name!r}, which is no parameter, so"
                    " its calls never wait for each other",
                    f"Name one of {', '.join(sorted(known)) or 'its parameters'}.",
                )


def _fields(template: str) -> Iterable[str]:
    try:
        named = [field for _, field, _, _ in string.Formatter().parse(template)]
    except ValueError:
        return [template]
    return [field.partition(".")[0].partition("[")[0] for field in named if field]


def _places(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield each schema inside a schema, with its place in words of the arguments.

    The arms of an `allOf` are left out: they are closed together.
    """
    yield path, schema
    for keyword in _NAMED:
        for name, inner in _members(schema, keyword):
            yield from _places(inner, f"{path}.{name}" if path else name)
    for keyword in _SINGLE:
        only: Any = schema.get(keyword)
        if isinstance(only, Mapping):
            yield from _places(only, f"{path}[]" if keyword == "items" else path)
    for keyword in _LISTED:
        arms = schema.get(keyword)
        for arm in arms if isinstance(arms, list) and keyword != "allOf" else ():
            if isinstance(arm, Mapping):
                yield from _places(arm, path)


def _members(schema: Schema, keyword: str) -> Iterator[tuple[str, Schema]]:
    found = schema.get(keyword)
    for name, inner in found.items() if isinstance(found, Mapping) else ():
        if isinstance(inner, Mapping):
            yield name, inner
