"""Text to valid arguments: parse, repair, coerce, validate, explain."""

from pegboard._arguments.binding import explain_binding
from pegboard._arguments.closing import is_closed
from pegboard._arguments.compiling import SchemaError, compile_output
from pegboard._arguments.mapping import copy_mapping
from pegboard._arguments.reading import read_arguments
from pegboard._arguments.schema import ArgumentSchema
from pegboard._arguments.text import parse_text

__all__ = [
    "ArgumentSchema",
    "SchemaError",
    "compile_output",
    "copy_mapping",
    "explain_binding",
    "is_closed",
    "parse_text",
    "read_arguments",
]
