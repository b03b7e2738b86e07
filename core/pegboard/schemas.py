"""Tool definitions, and helpers for schemas written by hand."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from pegboard._frozen import freeze, thaw

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolAnnotations:
    """What a tool does to the world; None means that nobody said.

    Attributes:
        read_only: Changes nothing outside; unset counts as False.
        destructive: May destroy what exists; unset counts as True.
        idempotent: A second equal call changes nothing more; unset counts as False.
        open_world: Deals with systems outside this machine; unset counts as True.

    Source: the tool annotations of the Model Context Protocol. Hints, not proofs.
    """

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def to_dict(self) -> dict[str, bool]:
        """Return the hints that are set."""
        return {
            f.name: value
            for f in fields(self)
            if (value := getattr(self, f.name)) is not None
        }


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """All that a model, a dialect or a plugin may know of a tool.

    Attributes:
        name: The name that is offered, 1 to 64 of the characters a-z A-Z 0-9 _ -.
        description: What the model reads.
        input_schema: JSON Schema of the arguments, an object at its root; read-only.
        output_schema: JSON Schema of `ToolResult.data`, or None; read-only.
        annotations: What the tool does to the world.
        label: A title for user interfaces.
        tags: Free words for filters.
        id: `plugin:tool`, given when the tool is registered; never changes.
        version: Version of the distribution that brings the tool, "" in code.
    """

    name: str
    description: str = ""
    input_schema: dict[str, Any] = field(default_factory=lambda: object_({}))
    output_schema: dict[str, Any] | None = None
    annotations: ToolAnnotations = ToolAnnotations()
    label: str | None = None
    tags: tuple[str, ...] = ()
    id: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        set_ = builtins.object.__setattr__
        set_(self, "input_schema", freeze(self.input_schema))
        set_(self, "output_schema", freeze(self.output_schema))

    @property
    def plugin(self) -> str:
        """The name of the plugin that brings the tool, "" before registration."""
        return self.id.partition(":")[0]

    @property
    def read_only(self) -> bool:
        """Whether the tool says that it changes nothing."""
        return self.annotations.read_only is True

    @property
    def destructive(self) -> bool:
        """Whether the tool may destroy what exists, unless it says that it does not."""
        return not self.read_only and self.annotations.destructive is not False

    @property
    def idempotent(self) -> bool:
        """Whether the tool says that a second equal call changes nothing more."""
        return self.annotations.idempotent is True

    @property
    def open_world(self) -> bool:
        """Whether the tool may deal with systems outside (the default)."""
        return self.annotations.open_world is not False

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object of fixed key order, a private copy."""
        return {
            "id": self.id,
            "version": self.version,
            "name": self.name,
            "label": self.label,
            "description": self.description,
            "input_schema": thaw(self.input_schema),
            "output_schema": thaw(self.output_schema),
            "annotations": self.annotations.to_dict(),
            "tags": list(self.tags),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a definition of what `to_dict` returned."""
        known = {f.name for f in fields(cls)}
        given = {key: item for key, item in value.items() if key in known}
        given["annotations"] = ToolAnnotations(**given.get("annotations") or {})
        given["tags"] = tuple(given.get("tags") or ())
        return cls(**given)


def _typed(
    name: str, description: str | None, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": name}
    if description is not None:
        schema["description"] = description
    schema.update(thaw(dict(keywords)))
    return schema


def string(description: str | None = None, **keywords: Any) -> dict[str, Any]:
    """Return the schema of a text; keywords as in JSON Schema (`maxLength=5`)."""
    return _typed("string", description, keywords)


def integer(description: str | None = None, **keywords: Any) -> dict[str, Any]:
    """Return the schema of a whole number; keywords as in JSON Schema."""
    return _typed("integer", description, keywords)


def number(description: str | None = None, **keywords: Any) -> dict[str, Any]:
    """Return the schema of a number; keywords as in JSON Schema."""
    return _typed("number", description, keywords)


def boolean(description: str | None = None, **keywords: Any) -> dict[str, Any]:
    """Return the schema of true or false."""
    return _typed("boolean", description, keywords)


def array(
    items: Schema, description: str | None = None, **keywords: Any
) -> dict[str, Any]:
    """Return the schema of a list whose elements fit `items`."""
    return _typed("array", description, {"items": dict(items), **keywords})


def object_(
    properties: Mapping[str, Schema],
    description: str | None = None,
    *,
    required: Sequence[str] | None = None,
    additional: bool | Schema = False,
    **keywords: Any,
) -> dict[str, Any]:
    """Return the schema of an object.

    Args:
        properties: Name to schema, in the order the model reads them.
        description: What the model reads of the object as a whole.
        required: Names that must be given; None means all of them.
        additional: Whether, or of which schema, further properties may be.
        keywords: More keywords of JSON Schema.
    """
    names = list(properties) if required is None else list(required)
    shape = {
        "properties": {name: dict(item) for name, item in properties.items()},
        "required": names,
        "additionalProperties": additional
        if isinstance(additional, bool)
        else dict(additional),
        **keywords,
    }
    if not names:
        del shape["required"]
    return _typed("object", description, shape)


object = object_
