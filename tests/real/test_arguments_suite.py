"""The JSON Schema Test Suite, through our own compiled schemas."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from pegboard._arguments import SchemaError
from pegboard._arguments.compiling import Compiled, compile_schema
from pegboard._arguments.patterns import LINEAR
from pegboard._arguments.places import Places
from pegboard._arguments.walk import Walk

DRAFTS = {
    "draft2020-12": (
        "https://json-schema.org/draft/2020-12/schema",
        jsonschema_rs.Draft202012,
    ),
    "draft7": ("http://json-schema.org/draft-07/schema#", jsonschema_rs.Draft7),
}
# Not required, and not passed: what a reference into a document of another draft means.
# We read it by the draft that refers; in draft 7 the document is not even known.
CROSS_DRAFT = {
    "draft2020-12/optional/cross-draft.json: first item not a string is valid",
    "draft7/optional/cross-draft.json: missing bar is invalid",
    "draft7/optional/cross-draft.json: present bar is valid",
}
# `format` is an annotation here, in every draft (A7): so we admit what these refuse.
FORMATS = {"draft2020-12": 390, "draft7": 348}


def registry(suite: Path, draft: str) -> jsonschema_rs.Registry:
    """Return the documents that the suite expects on a server; none is asked."""
    folder = suite / "remotes"
    documents = [
        (
            f"http://localhost:1234/{path.relative_to(folder).as_posix()}",
            json.loads(path.read_text(encoding="utf-8")),
        )
        for path in sorted(folder.rglob("*.json"))
    ]
    others = ("draft2019-09", "draft2020-12") if draft == "draft7" else ()
    return jsonschema_rs.Registry(
        [item for item in documents if not any(name in item[0] for name in others)],
        draft=DRAFTS[draft][1],
    )


def groups(suite: Path, draft: str) -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield the file, the schema and the tests of every group of a draft."""
    for path in sorted((suite / "tests" / draft).rglob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            schema = group["schema"]
            if isinstance(schema, bool):
                schema = {} if schema else {"not": {}}
            name = path.relative_to(suite / "tests").as_posix()
            yield name, {"$schema": DRAFTS[draft][0], **schema}, group["tests"]


def compiled(suite: Path, draft: str) -> Iterator[tuple[str, Compiled, list[Any]]]:
    """Yield the groups whose schema compiles; the others have to be known."""
    options = {**LINEAR, "registry": registry(suite, draft)}
    for name, schema, tests in groups(suite, draft):
        try:
            ready = compile_schema(schema, options)
        except SchemaError:
            assert {f"{name}: {test['description']}" for test in tests} <= CROSS_DRAFT
            continue
        yield name, ready, tests


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_required_test_passes(shared: Path, draft: str) -> None:
    """A7: our decision is that of the specification, required and optional."""
    suite = shared / "data/json-schema-test-suite"
    passed, failed, formats = 0, set(), 0
    for name, ready, tests in compiled(suite, draft):
        for test in tests:
            if ready.is_valid(test["data"]) == test["valid"]:
                passed += 1
            elif "optional/format" in name:
                assert not test["valid"]
                formats += 1
            else:
                failed.add(f"{name}: {test['description']}")

    assert failed <= CROSS_DRAFT
    assert formats == FORMATS[draft]
    assert passed == {"draft2020-12": 1_834, "draft7": 1_371}[draft]


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_refusal_of_the_suite_is_explained(shared: Path, draft: str) -> None:
    """A6: what a schema refuses has a sentence, or is made to fit."""
    suite = shared / "data/json-schema-test-suite"
    explained = mended = 0
    for _, ready, tests in compiled(suite, draft):
        root = Places(ready.schema, ready.draft, ready.options).at("#")
        for test in tests:
            if ready.is_valid(test["data"]):
                continue
            fit = Walk(coerce=True).fit(root, test["data"])
            if fit.problems:
                explained += 1
                assert all(each.explain(secret=False) for each in fit.problems)
            else:
                mended += 1
                assert fit.repairs
                assert ready.is_valid(fit.value)
            strict = Walk(coerce=False).fit(root, test["data"])
            assert strict.problems
            assert strict.repairs == ()

    assert explained > 350
    assert mended > 20
