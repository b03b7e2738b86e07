"""The current trace on its way to another process, where OpenTelemetry is in use."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any


def carry() -> dict[str, str]:
    """Return what another process needs to go on with this trace; {} without one."""
    carrier: dict[str, str] = {}
    # Never imported for its own sake: nobody traces who has not loaded it.
    if "opentelemetry" in sys.modules:
        propagate: Any = import_module("opentelemetry.propagate")
        propagate.inject(carrier)
    return carrier


@contextmanager
def carried(carrier: Mapping[str, str]) -> Iterator[None]:
    """Go on with a trace of another process."""
    if not carrier:
        yield
        return
    try:
        context: Any = import_module("opentelemetry.context")
        propagate: Any = import_module("opentelemetry.propagate")
    except ImportError:  # the host has it, and this environment does not
        yield
        return
    token = context.attach(propagate.extract(carrier))
    try:
        yield
    finally:
        context.detach(token)
