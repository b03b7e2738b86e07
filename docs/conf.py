"""Sphinx, for `nox -s docs`."""

from importlib.metadata import version as installed

project = "Pegboard"
author = "The Pegboard authors"
project_copyright = author
version = release = installed("pegboard")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"Pegboard {release}"
