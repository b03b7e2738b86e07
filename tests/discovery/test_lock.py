"""pegboard.lock: what somebody has looked at, and what has changed since."""

import json

import pytest

from pegboard._lock import (
    check_lock,
    definition_hash,
    drifted_tools,
    lock_file,
    make_lock,
    read_lock,
    write_lock,
)
from pegboard.errors import UsageError
from pegboard.schemas import ToolAnnotations, ToolDefinition


def definition(identity="files:read", **changes):
    said = {
        "name": identity.partition(":")[2],
        "description": "Read a file.",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
        "id": identity,
        "version": "0.1.0",
    }
    return ToolDefinition(**{**said, **changes})


def lock(*definitions, order=("approval", "audit"), **plugins):
    versions = {"files": "pegboard-files 0.1.0", **plugins}
    return make_lock(definitions or [definition()], versions, order)


def test_a_lock_file_holds_versions_hashes_and_order(tmp_path):
    """D7: one value a line, sorted, so that a difference is readable as it is."""
    path = tmp_path / "pegboard.lock"

    write_lock(path, lock(definition("web:get"), definition("files:read")))

    text = path.read_text()
    said = json.loads(text)
    assert text == json.dumps(said, indent=2, sort_keys=True) + "\n"
    assert list(said) == ["format", "order", "plugins", "tools"]
    assert said["order"] == ["approval", "audit"]
    assert said["plugins"] == {"files": "pegboard-files 0.1.0"}
    assert said["tools"]["files:read"] == definition_hash(definition())
    assert read_lock(path) == lock(definition("web:get"), definition("files:read"))


def test_nothing_changed_is_no_difference():
    """D7: the same board passes its own lock, however its tools are ordered."""
    one = lock(definition("a:x"), definition("b:y"))
    other = lock(definition("b:y"), definition("a:x"))

    assert check_lock(one, other) == ()
    assert one.to_json() == other.to_json()
    assert drifted_tools(one, other) == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"description": "Read any file."},
        {"input_schema": {"type": "object"}},
        {"output_schema": {"type": "string"}},
        {"annotations": ToolAnnotations(read_only=True)},
        {"label": "Read"},
        {"tags": ("io",)},
    ],
)
def test_whatever_a_model_reads_is_in_the_hash(changes):
    """D7: a changed definition is drift, and the tool can be refused."""
    now = lock(definition(**changes))

    (line,) = check_lock(lock(), now)

    assert line.startswith("~ tool files:read: sha256:")
    assert drifted_tools(lock(), now) == {
        "files:read": "tool 'files:read' is not as pegboard.lock has it"
    }


@pytest.mark.parametrize("changes", [{"version": "0.2.0"}, {"name": "files__read"}])
def test_version_and_offered_name_are_not_in_the_hash(changes):
    """D7: versions are locked by themselves; another pack can change a name."""
    assert check_lock(lock(), lock(definition(**changes))) == ()


def test_key_order_of_a_schema_is_not_in_the_hash():
    """D7: two spellings of one schema are one definition."""
    one = definition(input_schema={"type": "object", "title": "x"})
    other = definition(input_schema={"title": "x", "type": "object"})

    assert definition_hash(one) == definition_hash(other)


def test_every_difference_is_a_line():
    """D7: `lock --check` shows what is new, gone and changed."""
    before = lock(definition("a:x"), definition("a:y"), web="acme-web 1")
    after = make_lock(
        [definition("a:x"), definition("b:z")],
        {"files": "pegboard-files 0.2.0", "new": "acme-new 3"},
        ["audit", "approval"],
    )

    assert check_lock(before, after) == (
        "~ plugin files: pegboard-files 0.1.0 -> pegboard-files 0.2.0",
        "+ plugin new (acme-new 3)",
        "- plugin web (acme-web 1)",
        f"- tool a:y ({definition_hash(definition('a:y'))[:19]})",
        f"+ tool b:z ({definition_hash(definition('b:z'))[:19]})",
        "~ order: approval, audit -> audit, approval",
    )


def test_a_tool_that_is_not_locked_can_be_refused():
    """D7: `locked = true` refuses what nobody has looked at."""
    now = lock(definition(), definition("evil:run"))

    assert drifted_tools(lock(), now) == {
        "evil:run": "tool 'evil:run' is not in pegboard.lock"
    }


def test_the_lock_stands_beside_the_projects_file(tmp_path):
    """D7: it is checked in with the settings that it belongs to."""
    assert lock_file(tmp_path / "pyproject.toml") == tmp_path / "pegboard.lock"
    assert str(lock_file(None)) == "pegboard.lock"


def test_a_missing_lock_says_how_to_make_one(tmp_path):
    """D7: without a lock there is nothing to check against."""
    with pytest.raises(UsageError, match="`pegboard lock` writes it"):
        read_lock(tmp_path / "pegboard.lock")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"<<<<<<< HEAD",
        b"[" * 100_000,
        b"5",
        b"[]",
        b"{}",
        b'{"format": 2}',
        b'{"format": 1, "plugins": [], "order": [], "tools": {}}',
        b'{"format": 1, "plugins": {}, "order": 5, "tools": {}}',
        b'{"format": 1, "plugins": {}, "order": []}',
    ],
)
def test_a_broken_lock_is_one_clear_error(tmp_path, content):
    """D7: a merge conflict in the file is named, not guessed at."""
    path = tmp_path / "pegboard.lock"
    path.write_bytes(content)

    with pytest.raises(UsageError, match=r"pegboard\.lock cannot be read") as caught:
        read_lock(path)

    assert "writes it anew" in str(caught.value)


def test_a_lock_that_cannot_be_written_or_read_is_an_error(tmp_path):
    """D7: a folder in its place is named."""
    (tmp_path / "pegboard.lock").mkdir()

    with pytest.raises(UsageError, match="cannot be written"):
        write_lock(tmp_path / "pegboard.lock", lock())
    with pytest.raises(UsageError, match="cannot be read"):
        read_lock(tmp_path / "pegboard.lock")
