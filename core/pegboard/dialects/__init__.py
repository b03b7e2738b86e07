"""The wire formats of provider APIs, both ways, without an SDK.

Each dialect is a module of the same names: `tools`, `calls`, `results`, `Collector`.
"""

from pegboard.dialects.loading import NAMES, load

__all__ = ["NAMES", "load"]
