"""Globs, matched in linear time."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import re2  # type: ignore[import-untyped]  # it ships no types

from pegboard import ToolError

_TOKEN = re.compile(
    r"(?P<folders>(?:(?<=/)|^)\*\*/)|(?P<all>\*\*)|(?P<star>\*)|(?P<one>\?)"
    r"|\[(?P<not>[!^]?)(?P<set>\]?[^\]]*)\]|(?P<open>\{)|(?P<close>\})|(?P<comma>,)"
    r"|(?P<char>.)",
    re.DOTALL,
)


@functools.lru_cache(maxsize=64)
def compile_glob(glob: str) -> Callable[[str], bool]:
    """Return a test for paths relative to the folder that a glob is meant for.

    Knows `*`, `**`, `?`, `[a-z]`, `[!a-z]` and `{a,b}`. A glob without a slash is
    matched with the last part of a path.

    Raises:
        ToolError: it is no valid glob.
    """
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    wanted = glob.removeprefix("./").lstrip("/")
    wanted = wanted if "/" in wanted else f"**/{wanted}"
    wanted = f"{wanted}**" if wanted.endswith("/") else wanted
    try:
        pattern = re2.compile(_translate(wanted), options)
    except re2.error as error:
        raise ToolError(f"{glob!r} is no valid glob: {_text(error)}") from None
    return lambda path: pattern.fullmatch(path) is not None


def _translate(glob: str) -> str:
    pieces, depth = [], 0
    for token in _TOKEN.finditer(glob):
        kind, text = token.lastgroup, token[0]
        if kind == "open":
            depth += 1
        elif kind == "close":
            kind, depth = (kind, depth - 1) if depth else ("char", 0)
        elif kind == "comma" and not depth:
            kind = "char"
        if kind == "set":
            pieces.append(_set(token["not"], token["set"]))
        elif kind == "char":
            pieces.append(re2.escape(text))
        else:
            pieces.append(_REGEX[str(kind)])
    return "".join(pieces)


def _set(negated: str, members: str) -> str:
    inner = re.sub(r"([\\\[\]^])", r"\\\1", members)
    return f"[^/{inner}]" if negated else f"[{inner}]"


_REGEX = {
    "folders": "(?:[^/]+/)*",
    "all": ".*",
    "star": "[^/]*",
    "one": "[^/]",
    "open": "(?:",
    "close": ")",
    "comma": "|",
}


def _text(error: Exception) -> str:
    reason = error.args[0] if error.args else ""
    return (
        reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    )
