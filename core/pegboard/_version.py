"""The version, below everything, so that all may ask for it."""

__version__ = "0.1.0"
