"""`python -m pegboard`, without what lies in the working directory."""

import os
import sys

# `-m` puts the working directory first, so that a file there could pass for a module.
if not sys.flags.safe_path and sys.path and sys.path[0] in ("", os.getcwd()):
    del sys.path[0]

from pegboard.cli import main

main()
