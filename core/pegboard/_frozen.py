"""Read-only JSON: dicts and lists that everybody can read and nobody can change.

Subclasses rather than views, so that json, pydantic, jsonschema-rs, `==` and `**`
take them as they are. A copy of one is an ordinary dict or list.
"""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError(
        "this value is read-only; change a copy of it (copy.deepcopy gives one)"
    )


class FrozenDict(dict[str, Any]):
    """A JSON object that cannot be changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    pop = popitem = update = clear = setdefault = _refuse

    def copy(self) -> dict[str, Any]:
        """Return an ordinary dict with the same members."""
        return dict(self)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return {key: thaw(item) for key, item in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (thaw(self),)


class FrozenList(list[Any]):
    """A JSON array that cannot be changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = _refuse
    reverse = sort = clear = _refuse

    def copy(self) -> list[Any]:
        """Return an ordinary list with the same elements."""
        return list(self)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> list[Any]:
        return [thaw(item) for item in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (thaw(self),)


def freeze(value: Any) -> Any:
    """Return a read-only copy of a JSON value, at every depth.

    What is read-only already is its own copy.
    """
    kind = type(value)
    if kind is str or kind is FrozenDict or kind is FrozenList:
        return value
    if isinstance(value, dict):
        return FrozenDict({key: freeze(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return FrozenList([freeze(item) for item in value])
    return value


def thaw(value: Any) -> Any:
    """Return an ordinary copy of a JSON value, at every depth."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(item) for item in value]
    return value


class Frozen:
    """A mix-in that refuses every assignment to the finished object.

    The few values made at every call are built as an open twin class and then given
    the frozen class: a quarter of the time that a frozen dataclass takes.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{type(self).__name__}.{name} is read-only; replace() makes a changed copy"
        )

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)
