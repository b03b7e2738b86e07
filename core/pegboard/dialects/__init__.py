"""The wire formats of provider APIs, both ways, without an SDK.

Each dialect is a module of the same names: `tools`, `losses`, `calls`, `results` and
`Collector`.
"""

from pegboard.dialects.loading import NAMES, load
from pegboard.dialects.losses import Loss
from pegboard.dialects.recordings import detect, read

__all__ = ["NAMES", "Loss", "detect", "load", "read"]
