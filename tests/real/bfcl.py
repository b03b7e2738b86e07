"""The Berkeley function-calling data as tool definitions and expected calls.

Its schemas name foreign types, and its answers list what is accepted for each
parameter, "" meaning that it may be left out.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TYPES = {
    "dict": "object",
    "HashMap": "object",
    "float": "number",
    "double": "number",
    "long": "integer",
    "tuple": "array",
    "Array": "array",
    "ArrayList": "array",
    "String": "string",
    "char": "string",
    "Boolean": "boolean",
}


def normalise(schema: Any) -> Any:
    """A schema with the types of JSON Schema; "any" and "" name none."""
    if isinstance(schema, list):
        return [normalise(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: normalise(item) for key, item in schema.items()}
    kind = schema.get("type")
    if isinstance(kind, str):
        if kind in ("any", ""):
            del made["type"]
        else:
            made["type"] = TYPES.get(kind, kind)
    return made


def pick(accepted: Any) -> Any:
    """The first accepted value; "" stands for a parameter that is left out."""
    values = [value for value in accepted if value != ""] or [""]
    return _plain(values[0])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        chosen = {
            key: pick(item) if isinstance(item, list) else item
            for key, item in value.items()
        }
        return {key: item for key, item in chosen.items() if item != ""}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def read(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]], list[Any]]]:
    """Each question's id, tool definitions and expected calls."""
    for answers in sorted((folder / "possible_answer").glob("*.json")):
        if "multi_turn" in answers.name:
            continue  # calls as Python text
        truth = {row["id"]: row["ground_truth"] for row in _rows(answers)}
        for row in _rows(folder / answers.name):
            definitions = [
                {**item, "parameters": normalise(item["parameters"])}
                for item in row["function"]
            ]
            yield row["id"], definitions, list(_calls(truth[row["id"]]))


def _calls(truth: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for call in truth:
        for name, parameters in call.items():
            chosen = {key: pick(accepted) for key, accepted in parameters.items()}
            yield name, {key: value for key, value in chosen.items() if value != ""}


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
