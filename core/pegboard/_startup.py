"""`python -m pegboard` takes nothing from the working directory.

`-m` puts that directory first, before the package itself is imported, so that a file in
it could pass for a library, or for a module of Python. So this comes before all else.
"""

import os
import sys


def is_program() -> bool:
    """Return whether Python was started with `-m pegboard` and is finding it now."""
    given = sys.orig_argv
    after = given[given.index("-m") + 1 :][:1] if "-m" in given else []
    return sys.argv[:1] == ["-m"] and (after == ["pegboard"] or "-mpegboard" in given)


def leave_working_directory() -> None:
    """Take the working directory from where modules are looked for."""
    if not sys.flags.safe_path and sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]


if is_program():
    leave_working_directory()
