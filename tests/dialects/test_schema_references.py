"""References inside a schema."""

import pytest

from pegboard.dialects._references import References

ROOT = {
    "$id": "https://example.com/s",
    "properties": {
        "a/b": {"type": "string"},
        "list": {"prefixItems": [{"$anchor": "here", "type": "integer"}]},
        "loop": {"$ref": "#/properties/outer"},
        "outer": {"properties": {"inner": {"$ref": "#/properties/loop"}}},
        "flat": {"$ref": "#/properties/a~1b"},
        "part": {"$id": "https://example.com/part"},
        "dynamic": {"$dynamicAnchor": "moving"},
    },
}


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("#", ()),
        ("#/properties/a~1b", ("properties", "a/b")),
        ("#/properties/a%7E1b", ("properties", "a/b")),
        ("#/properties/list/prefixItems/0", ("properties", "list", "prefixItems", 0)),
        ("#here", ("properties", "list", "prefixItems", 0)),
        ("#moving", ("properties", "dynamic")),
        ("https://example.com/s#/properties/outer", ("properties", "outer")),
        ("https://example.com/part", ("properties", "part")),
    ],
)
def test_a_reference_inside_the_schema_is_found(reference, path):
    """L2: pointers, anchors and identities lead to a schema and its path."""
    found = References(ROOT).find(reference)

    assert found is not None
    assert found[1] == path


@pytest.mark.parametrize(
    "reference",
    [
        "#/properties/gone",
        "#/properties/list/prefixItems/7",
        "#/properties/list/prefixItems/x",
        "#/$id",
        "#nowhere",
        "https://example.com/other",
        "https://example.com/other#/properties/a",
        3,
        None,
    ],
)
def test_any_other_reference_leads_nowhere(reference):
    """L2: nothing outside the schema is looked for."""
    assert References(ROOT).find(reference) is None


def test_a_loop_is_a_place_that_leads_back_to_itself():
    """L2: directly, through others, or because it holds what refers to it."""
    references = References(ROOT)

    assert references.is_loop(("properties", "loop"))
    assert references.is_loop(("properties", "outer"))
    assert not references.is_loop(("properties", "flat"))
    assert not References({"properties": {"x": True}}).is_loop(())
    assert References({"properties": {"x": {"$ref": "#"}}}).is_loop(())


def test_malformed_parts_are_passed_over():
    """L2: a schema that a stranger wrote wrongly is walked without a crash."""
    odd = {"properties": None, "anyOf": {}, "items": [{"$anchor": "x"}, True]}

    assert References(odd).find("#x") == ({"$anchor": "x"}, ("items", 0))
