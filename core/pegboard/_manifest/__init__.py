"""What is known of every plugin without importing it."""

from pegboard._manifest.manifest import Known, Manifest, Scan

__all__ = ["Known", "Manifest", "Scan"]
