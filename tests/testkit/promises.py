"""What the contracts say of a subject, in short."""

from collections.abc import Callable
from typing import Any

from pegboard.testing import ContractError


def broken(contract: Callable[..., None], subject: Any, **options: Any) -> list[str]:
    """The promises that a tool or plugin does not keep, by name."""
    try:
        contract(subject, **options)
    except ContractError as error:
        return [item.promise for item in error.broken]
    return []
