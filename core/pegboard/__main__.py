"""`python -m pegboard`: the same as the program `pegboard`."""

from pegboard.cli import main

main()
