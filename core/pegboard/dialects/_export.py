"""One tool as a provider takes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pegboard.dialects._place import Json, Refused
from pegboard.dialects._references import parts
from pegboard.dialects._subset import Subset
from pegboard.dialects._totals import Totals
from pegboard.dialects._writer import Writer
from pegboard.dialects.losses import Loss, Path
from pegboard.schemas import ToolDefinition

_NOTES = "\n[arguments: "


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

    def as_function(self) -> Json:
        """Return the tool in the shape that most providers took from OpenAI."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.schema,
                **({"strict": True} if self.is_strict else {}),
            },
        }


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
        return _fall_back(definition, fallback, message, refusal.path)
    description = definition.description
    if notes:
        description = f"{description}{_NOTES}{'; '.join(notes)}]".lstrip()
    losses = tuple(writer.losses)
    strict = fallback is not None
    return Export(definition.name, description, schema, losses, strict)


def _fall_back(
    definition: ToolDefinition, subset: Subset, message: str, path: Path = ()
) -> Export:
    made = export(definition, subset)
    loss = Loss(definition.name, "refused", path, "", message)
    return replace(made, losses=(loss, *made.losses))


def exports(
    definitions: Iterable[ToolDefinition], subset: Subset, strict: Subset | None = None
) -> Iterator[Export]:
    """Yield each tool, written for the strict subset where there is one.

    A tool that it cannot say, or that is too much for one request, is written for the
    other, and that is its first loss.
    """
    if strict is None:
        yield from (export(definition, subset) for definition in definitions)
        return
    totals = Totals(strict.most)
    for definition in definitions:
        made = export(definition, strict, subset)
        reason = totals.add(made.schema) if made.is_strict else None
        if reason:
            made = _fall_back(definition, subset, f"strict: {reason}")
        yield made


def shorten(made: Export, most: int | None) -> Export:
    """Return a tool with a description of bounded length; the notes on limits stay."""
    text = made.description
    if most is None or len(text) <= most:
        return made
    notes = text[at:] if (at := text.rfind(_NOTES)) >= 0 else ""
    cut = text[: max(0, most - len(notes) - 3)] + "..." + notes
    message = f"description cut from {len(text)} to {most} characters"
    loss = Loss(made.name, "narrowed", (), "description", message)
    return replace(made, description=cut[:most], losses=(*made.losses, loss))


def losses_of(made: Iterable[Export]) -> list[Loss]:
    """Return the losses of all the tools."""
    return [loss for one in made for loss in one.losses]


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
    if subset.needs_required and not schema.get("required"):
        raise Refused("no property is required")
    if deepest > subset.max_depth:
        raise Refused(f"{deepest} levels, at most {subset.max_depth}")
    if named > subset.max_properties:
        raise Refused(f"{named} properties, at most {subset.max_properties}")
