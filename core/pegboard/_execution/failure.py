"""An exception -> a text that a model may read: type and message, bounded."""

from __future__ import annotations

from collections.abc import Iterator

from pegboard.runners import RemoteError

_MAX_LEAVES = 8


def describe(error: BaseException, detail: str = "message") -> str:
    """Return an exception as text, whatever its `__str__` does.

    Args:
        error: What a body raised; of a group, its leaves are described.
        detail: "message" for type and message, "type" for the type alone.
    """
    leaves = list(_leaves(error, 0))
    shown = [_one(leaf, detail) for leaf in leaves[:_MAX_LEAVES]]
    if len(leaves) > _MAX_LEAVES:
        shown.append(f"and {len(leaves) - _MAX_LEAVES} more")
    return "; ".join(shown)


def _leaves(error: BaseException, depth: int) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup) and depth < 50:
        for inner in error.exceptions:
            yield from _leaves(inner, depth + 1)
    elif _is_wrapped_stop(error) and error.__cause__ is not None:
        yield error.__cause__
    else:
        yield error


def _is_wrapped_stop(error: BaseException) -> bool:
    # Python turns a StopIteration that leaves a coroutine into a RuntimeError; so do
    # the runners with a GeneratorExit that a body raised on its own.
    return isinstance(error, RuntimeError) and isinstance(
        error.__cause__, (StopIteration, StopAsyncIteration, GeneratorExit)
    )


def _one(error: BaseException, detail: str) -> str:
    if isinstance(error, RemoteError):
        return error.kind if detail == "type" else str(error)
    name = type(error).__name__
    if detail == "type":
        return name
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a stranger's broken __str__
        return f"{name} (its message cannot be shown)"
    return f"{name}: {text}" if text else name
