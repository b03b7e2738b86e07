"""A Pegboard policy: one durable, tamper-evident line a tool call."""

from pegboard_audit.plugin import Audit
from pegboard_audit.settings import AuditSettings

__version__ = "0.1.0"

__all__ = ["Audit", "AuditSettings", "__version__"]
