"""One tool as a provider takes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pegboard.dialects._place import Json, Refused
from pegboard.dialects._references import parts
from pegboard.dialects._subset import Subset
from pegboard.dialects._writer import Writer
from pegboard.dialects.losses import Loss
from pegboard.schemas import ToolDefinition


@dataclass(frozen=True, slots=True)
class Export:
    """A tool as a provider takes it.

    Attributes:
        name: The tool's name.
        description: What the model reads, with what the schema can no longer say.
        schema: The rewritten schema; a private copy.
        losses: What it says otherwise than the tool's own.
        is_strict: Whether it is what was asked for, not the fallback.
    """

    name: str
    description: str
    schema: Json
    losses: tuple[Loss, ...]
    is_strict: bool = False


def export(
    definition: ToolDefinition, subset: Subset, fallback: Subset | None = None
) -> Export:
    """Return a tool written for a subset.

    Args:
        definition: The tool.
        subset: What the provider takes.
        fallback: What it takes of a tool that the subset cannot say.

    Raises:
        Refused: the subset cannot say it, and there is no fallback.
    """
    writer = Writer(definition.name, definition.input_schema, subset)
    try:
        schema, notes = writer.write_root()
        _measure(schema, subset)
    except Refused as refusal:
        if fallback is None:
            raise
        message = f"{subset.title} does not take it: {refusal}"
        path, keyword = refusal.path, refusal.keyword
        loss = Loss(definition.name, "refused", path, keyword, message)
        made = export(definition, fallback)
        return replace(made, losses=(loss, *made.losses))
    description = definition.description
    if notes:
        note = f"[arguments: {'; '.join(notes)}]"
        description = f"{description}\n{note}" if description else note
    losses = tuple(writer.losses)
    strict = fallback is not None
    return Export(definition.name, description, schema, losses, strict)


def exports(
    definitions: Iterable[ToolDefinition], subset: Subset, strict: Subset | None = None
) -> Iterator[Export]:
    """Yield each tool, written for the strict subset where there is one."""
    for definition in definitions:
        if strict is None:
            yield export(definition, subset)
        else:
            yield export(definition, strict, subset)


def _measure(schema: Json, subset: Subset) -> None:
    deepest = named = 0
    todo = [(node, 1) for node in (schema, *schema.get("$defs", {}).values())]
    while todo:
        node, depth = todo.pop()
        deepest = max(deepest, depth)
        if not isinstance(node, dict):
            continue
        named += len(node.get("properties", ()))
        for item, path in parts(node, ()):
            inner = path[0] in ("properties", "items", "additionalProperties")
            todo.append((item, depth + inner))
    if deepest > subset.max_depth:
        raise Refused(f"{deepest} levels, at most {subset.max_depth}")
    if named > subset.max_properties:
        raise Refused(f"{named} properties, at most {subset.max_properties}")
