"""What `pip install pegboard-files` adds to a board."""

from __future__ import annotations

from typing import Any

from pegboard import Tool, ToolAnnotations, hookimpl, schemas, tool
from pegboard_files import listing, searching
from pegboard_files.files import Files
from pegboard_files.settings import Settings

_LOOK = ToolAnnotations(read_only=True, idempotent=True, open_world=False)
_WRITE = ToolAnnotations(destructive=True, idempotent=True, open_world=False)
_EDIT = ToolAnnotations(destructive=True, idempotent=False, open_world=False)
_WRITTEN = schemas.object(
    {
        "path": schemas.string(),
        "created": schemas.boolean("Whether there was no such file."),
        "bytes": schemas.integer("Size of the file."),
    }
)
_EDITED = schemas.object(
    {
        "path": schemas.string(),
        "replaced": schemas.integer("How many occurrences."),
        "line": schemas.integer("Number of the line in which the first one begins."),
    }
)


@hookimpl
def register_tools(settings: Settings) -> list[Tool[..., Any]]:
    """Return the tools that the settings allow."""
    files = Files(settings)
    look = {"annotations": _LOOK, "prepare": files.roots.prepare, "tags": ("files",)}
    tools: list[Tool[..., Any]] = [
        tool(
            files.list_files, label="List files", output_schema=listing.OUTPUT, **look
        ),
        tool(files.read_file, label="Read a file", **look),
        tool(
            files.search_files,
            label="Search files",
            output_schema=searching.OUTPUT,
            **look,
        ),
    ]
    if settings.writable:
        change = {**look, "resources": ("file:{path}",)}
        write = {**change, "annotations": _WRITE, "output_schema": _WRITTEN}
        edit = {**change, "annotations": _EDIT, "output_schema": _EDITED}
        tools += [
            tool(files.write_file, label="Write a file", **write),
            tool(files.edit_file, label="Edit a file", **edit),
        ]
    return tools
