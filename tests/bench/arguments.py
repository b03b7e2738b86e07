"""What arguments cost where nothing is wrong with them, beside the least they could.

    python tests/bench/arguments.py

The least is `json.loads` and a jsonschema-rs validator: no repeated key refused, no
number out of range, no depth. Each repeat measures both by turns in one process, so
that a busy machine slows both; the median of the ratios is printed.
"""

import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import jsonschema_rs
from tasks import ADD, ORDER, TOOLS

from pegboard import Tool
from pegboard._arguments import ArgumentSchema, copy_mapping, parse_text

REPEATS, CALLS = 25, 2_000


def measure(work: Callable[[], object]) -> float:
    """Return the microseconds of one call."""
    start = time.process_time()
    for _ in range(CALLS):
        work()
    return (time.process_time() - start) / CALLS * 1e6


def compare(name: str, arguments: dict[str, Any], schema: dict[str, Any]) -> None:
    """Print what text and mapping cost, and how that is to the least."""
    text = json.dumps(arguments)
    ours = ArgumentSchema(schema)
    least = jsonschema_rs.validator_for(schema, offline=True).is_valid
    rows = []
    for _ in range(REPEATS):
        floor = measure(lambda: least(json.loads(text)))
        from_text = measure(lambda: ours.is_valid(parse_text(text)))
        from_mapping = measure(lambda: ours.is_valid(copy_mapping(arguments)))
        rows.append((floor, from_text, from_mapping))
    floor, from_text, from_mapping = (median(each) for each in zip(*rows, strict=True))
    print(f"{name}, {len(text)} bytes: json.loads + jsonschema-rs {floor:.2f} us")
    for kind, taken, index in (("text", from_text, 1), ("mapping", from_mapping, 2)):
        ratio = median(row[index] / row[0] for row in rows)
        print(f"  {kind:8} {taken:6.2f} us  x {ratio:.2f}  {taken - floor:+.2f} us")


def main() -> None:
    """Compare the small tool and the order."""
    for function, arguments in zip(TOOLS, (ADD, ORDER), strict=False):
        schema = Tool(function).definition.to_dict()["input_schema"]
        compare(function.__name__, arguments, schema)


if __name__ == "__main__":
    main()
