"""The hook specs, their page and their tests say the same."""

import inspect
import re
from pathlib import Path

import pytest

from pegboard import hookspecs

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "hooks.md"
SECTIONS = ("When:", "Order:", "Combine:", "Errors:", "Args:", "Returns:", "Example:")
SPECS = {
    name: function
    for name, function in vars(hookspecs).items()
    if hasattr(function, "pegboard_spec")
}


def test_every_hook_of_the_design_has_a_spec():
    """The contract is whole: no hook is missing and none is extra."""
    assert set(SPECS) == {
        "register_tools",
        "lifespan",
        "inject",
        "prepare_arguments",
        "before_tool_call",
        "tool_middleware",
        "after_tool_call",
        "on_event",
        "register_runners",
    }


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_has_all_sections_in_order(name):
    """Each spec says when, in what order, how combined, and what an error does."""
    text = inspect.getdoc(SPECS[name])
    places = [text.find(f"\n{section}") for section in SECTIONS]

    assert -1 not in places
    assert places == sorted(places)
    assert re.search(r"Added in \d+\.\d+\.", text)


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_describes_every_parameter(name):
    """Each parameter is typed, and described under Args."""
    signature = inspect.signature(SPECS[name])
    arguments = inspect.getdoc(SPECS[name]).split("Args:")[1].split("Returns:")[0]

    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty
        assert f"    {parameter.name}:" in arguments


@pytest.mark.parametrize("name", SPECS)
def test_the_page_has_each_hook_with_its_exact_arguments(name):
    """docs/hooks.md has a heading for each hook with the spec's argument list."""
    arguments = ", ".join(inspect.signature(SPECS[name]).parameters)
    heading = f"### `{name}({arguments})`"

    assert heading in PAGE.read_text(encoding="utf-8")


def test_the_page_has_no_other_hook():
    """docs/hooks.md names no hook that does not exist."""
    named = re.findall(r"^### `(\w+)\(", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(named) == sorted(SPECS)


@pytest.mark.parametrize("name", SPECS)
def test_each_hook_has_a_test_named_after_it(name):
    """Somewhere under tests/ a test of the hook carries its name."""
    texts = (
        path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/test_*.py")
    )

    assert any(re.search(rf"def test_\w*{name}", text) for text in texts)
