"""What the pack offers."""

import importlib.metadata
import os
import runpy

import jsonschema
import pytest

import pegboard_files
from pegboard_files import Settings, places, register_tools


def test_the_entry_point_names_the_pack():
    """H3: an installed pack is found under `files`, with its settings."""
    points = importlib.metadata.entry_points(group="pegboard.tools", name="files")

    assert [point.load() for point in points] == [pegboard_files]


def test_every_tool_says_what_it_does_to_the_world(root):
    """V5: three tools only look; two may destroy, and writing twice is as once."""
    definitions = [t.definition for t in register_tools(Settings(roots=[root]))]

    look = {"read_only": True, "idempotent": True, "open_world": False}
    assert {d.name: d.annotations.to_dict() for d in definitions} == {
        "list_files": look,
        "read_file": look,
        "search_files": look,
        "write_file": {"destructive": True, "idempotent": True, "open_world": False},
        "edit_file": {"destructive": True, "idempotent": False, "open_world": False},
    }


def test_every_argument_is_described(root):
    """V1: a model reads what each tool and each argument is for; none is hidden."""
    for tool in register_tools(Settings(roots=[root])):
        definition = tool.definition
        assert definition.description
        assert definition.label
        for name, schema in definition.input_schema["properties"].items():
            assert schema["description"], name
            assert name != "context"


def test_data_fits_the_output_schema(root, tools):
    """V8: what a program gets is what the schema says."""
    results = {
        "write_file": tools.write_file("a.txt", "old"),
        "edit_file": tools.edit_file("a.txt", "old", "new"),
        "list_files": tools.list_files(),
        "search_files": tools.search_files("new"),
    }

    for name, result in results.items():
        schema = getattr(tools, name).definition.output_schema
        jsonschema.validate(result.data, schema)


def test_calls_that_write_one_file_share_a_resource(tools):
    """B12: only calls that write the same file wait for each other."""
    resources = {name: tool.resources for name, tool in vars(tools).items()}

    assert resources == {
        "list_files": (),
        "read_file": (),
        "search_files": (),
        "write_file": ("file:{path}",),
        "edit_file": ("file:{path}",),
    }


def test_a_system_without_open_relative_to_a_folder_is_refused(monkeypatch):
    """D4: where no path can be kept in its root, the import fails and says why."""
    monkeypatch.setattr(os, "supports_dir_fd", frozenset())

    with pytest.raises(ImportError, match="such as Linux or macOS"):
        runpy.run_path(places.__file__)
