"""What one schema becomes in a subset, and what is lost of it."""

from pegboard import ToolDefinition
from pegboard.dialects._export import export


def written(schema, subset, **keywords):
    """Return what becomes of one property, and its losses as (kind, keyword)."""
    whole = {
        "type": "object",
        "properties": {"x": schema},
        "required": ["x"],
        **keywords,
    }
    made = export(ToolDefinition("t", "T.", whole), subset)
    return made.schema["properties"]["x"], [
        (loss.kind, loss.keyword) for loss in made.losses
    ]


def root(schema, subset):
    made = export(ToolDefinition("t", "T.", schema), subset)
    return (
        made.schema,
        made.description,
        [(loss.kind, loss.keyword) for loss in made.losses],
    )
