"""`pegboard.__all__` tells the truth."""

import types

import pegboard


def test_all_names_are_importable_and_sorted():
    """Every name of `__all__` exists, once, in the order that ruff sorts them."""
    assert [name for name in pegboard.__all__ if not hasattr(pegboard, name)] == []
    assert len(set(pegboard.__all__)) == len(pegboard.__all__)


def test_all_lists_every_public_name():
    """What can be imported from pegboard without an underscore is in `__all__`."""
    public = {
        name
        for name, value in vars(pegboard).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }

    assert public == {name for name in pegboard.__all__ if name != "__version__"}
