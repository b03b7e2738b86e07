"""The argument pipeline as one call of it runs through it, without an executor."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pegboard._arguments import ArgumentSchema, read_arguments
from pegboard.calls import Repair

Outcome = tuple[dict[str, Any], tuple[Repair, ...]]


@pytest.fixture
def accept() -> Callable[..., Outcome]:
    """Read arguments and fit them to a schema."""

    def run(schema: Mapping[str, Any], sent: Any, *, strict: bool = False) -> Outcome:
        compiled = ArgumentSchema(schema)
        value, _, repairs = read_arguments(sent, strict=strict)
        if compiled.is_valid(value):
            return value, repairs
        fitted, more = compiled.fit(value, strict=strict)
        return fitted, repairs + more

    return run


@pytest.fixture
def fit_one(accept: Callable[..., Outcome]) -> Callable[..., Any]:
    """Fit one required property `x` to a schema, and return what it became."""

    def run(schema: Any, value: Any, *, strict: bool = False) -> Any:
        whole = {"properties": {"x": schema}, "required": ["x"]}
        return accept(whole, {"x": value}, strict=strict)[0]["x"]

    return run
