"""`python -m pegboard_audit` is `pegboard-audit`."""

from pegboard_audit.cli import main

main()
