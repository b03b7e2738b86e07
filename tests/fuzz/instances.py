"""Values that fit a schema, invented at random."""

import random
import re._constants as sre
import re._parser as sre_parser
import string
from typing import Any

WORDS = ("ada", "Oslo", "x y", "it's", "é😀", "a,b", "C:\\bin\\d", "12", "", "true")


class Stuck(Exception):
    """No value could be invented."""


class Instances:
    """Invents values of one schema; whether one fits is for the validator to say."""

    def __init__(self, root: dict[str, Any], source: random.Random) -> None:
        self.root = root
        self.source = source

    def make(self, schema: Any = None, depth: int = 0) -> Any:
        """Return a value that should fit.

        Raises:
            Stuck: the schema admits nothing, or nothing that is found.
        """
        if schema is None:
            schema = {"type": "object", **self.root}
        if schema is False or depth > 20:
            raise Stuck
        schema = self.flatten({} if schema is True else schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.choose(schema["enum"])
        named = schema.get("type") or self.guess(schema)
        return getattr(
            self, named if isinstance(named, str) else self.pick(named, depth)
        )(schema, depth + 1)

    def choose(self, values: list[Any]) -> Any:
        if not values:
            raise Stuck
        return self.source.choice(values)

    def pick(self, types: list[str], depth: int) -> str:
        flat = [name for name in types if name not in ("array", "object")]
        return self.source.choice(flat if flat and depth > 4 else types)

    def guess(self, schema: dict[str, Any]) -> str:
        if "properties" in schema or "additionalProperties" in schema:
            return "object"
        if "items" in schema or "prefixItems" in schema:
            return "array"
        return self.source.choice(["string", "integer", "boolean"])

    def flatten(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a schema without references and unions: one arm of each is taken."""
        for _ in range(30):
            parts: list[Any] = []
            if isinstance(schema.get("$ref"), str):
                parts.append(self.look_up(schema["$ref"]))
            parts += schema.get("allOf") or []
            for union in ("anyOf", "oneOf"):
                if schema.get(union):
                    parts.append(self.source.choice(schema[union]))
            if not parts:
                return schema
            flat = {
                key: value
                for key, value in schema.items()
                if key not in ("$ref", "allOf", "anyOf", "oneOf")
            }
            for part in parts:
                flat = merge(flat, part)
            schema = flat
        raise Stuck

    def look_up(self, reference: str) -> Any:
        node: Any = self.root
        if not reference.startswith("#"):
            raise Stuck
        try:
            for step in reference[1:].split("/")[1:]:
                key = step.replace("~1", "/").replace("~0", "~")
                node = node[int(key)] if isinstance(node, list) else node[key]
        except (LookupError, TypeError, ValueError):
            raise Stuck from None
        return node

    def null(self, schema: dict[str, Any], depth: int) -> None:
        return None

    def boolean(self, schema: dict[str, Any], depth: int) -> bool:
        return self.source.random() < 0.5

    def integer(self, schema: dict[str, Any], depth: int) -> int:
        low, high = self.bounds(schema, 1)
        step = schema.get("multipleOf") or 1
        if low > high:
            raise Stuck
        number = self.source.randint(int(low // 1), int(high // 1))
        return int(number // step * step) if step >= 1 else number

    def number(self, schema: dict[str, Any], depth: int) -> float:
        low, high = self.bounds(schema, 0.25)
        if "multipleOf" in schema or self.source.random() < 0.3:
            return self.integer(schema, depth)
        return round(self.source.uniform(low, high), 3)

    def bounds(self, schema: dict[str, Any], margin: float) -> tuple[float, float]:
        low, high = schema.get("minimum"), schema.get("maximum")
        above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        if isinstance(above, (int, float)) and not isinstance(above, bool):
            low = above + margin
        if isinstance(below, (int, float)) and not isinstance(below, bool):
            high = below - margin
        if low is None:
            low = -5 if high is None else high - 100
        return low, low + 100 if high is None else high

    def string(self, schema: dict[str, Any], depth: int) -> str:
        least, most = schema.get("minLength", 0), schema.get("maxLength", 1_000)
        if "pattern" in schema:
            text = self.match(schema["pattern"], least)
        else:
            text = self.source.choice(WORDS)
        while len(text) < least:
            text += self.source.choice(string.ascii_letters)
        return text[:most]

    def match(self, pattern: str, length: int = 0) -> str:
        """Return a text that should match a pattern, stretched to a length."""
        try:
            return "".join(self.expand(sre_parser.parse(pattern), length))
        except (re_error, OverflowError, KeyError):
            raise Stuck from None

    def expand(self, tokens: Any, length: int) -> list[str]:
        out: list[str] = []
        for kind, value in tokens:
            if kind is sre.LITERAL:
                out.append(chr(value))
            elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
                least, most, inner = value
                least = max(least, min(length, int(most)))
                times = self.source.randint(least, min(int(most), least + 3))
                for _ in range(times):
                    out += self.expand(inner, 0)
            elif kind is sre.SUBPATTERN:
                out += self.expand(value[3], length)
            elif kind is sre.BRANCH:
                out += self.expand(self.source.choice(value[1]), length)
            elif kind is sre.IN:
                out.append(self.one_of(value))
            elif kind is sre.ANY:
                out.append(self.source.choice("ab1"))
            elif kind is sre.NOT_LITERAL:
                out.append("~")
            elif kind is not sre.AT:
                raise Stuck
        return out

    def one_of(self, members: list[Any]) -> str:
        if members[0][0] is sre.NEGATE:
            return "~"
        kind, value = self.source.choice(members)
        if kind is sre.RANGE:
            return chr(self.source.randint(*value))
        if kind is sre.CATEGORY:
            if value is sre.CATEGORY_SPACE:
                return " "
            return self.source.choice("123" if value is sre.CATEGORY_DIGIT else "a1_")
        return chr(value)

    def array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", least + (1 if depth > 4 else 3))
        first = schema.get("prefixItems") or []
        items = schema.get("items", True)
        if isinstance(items, list):
            first, items = items, schema.get("additionalItems", True)
        count = self.source.randint(least, max(least, min(most, least + 3)))
        if items is False:
            count = min(count, len(first))
        return [
            self.make(first[index] if index < len(first) else items, depth)
            for index in range(count)
        ]

    def object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        declared = schema.get("properties") or {}
        required = schema.get("required") or []
        made = {}
        for name in [*declared, *(name for name in required if name not in declared)]:
            if name in required or (depth < 5 and self.source.random() < 0.5):
                made[name] = self.make(declared.get(name, True), depth)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and depth < 5 and self.source.random() < 0.5:
            names = schema.get("propertyNames") or {}
            made[self.match(names["pattern"]) if "pattern" in names else "extra"] = (
                self.make(extra, depth)
            )
        return made


def merge(schema: dict[str, Any], part: Any) -> dict[str, Any]:
    """Return a schema that demands what two demand, as well as that is simple."""
    if not isinstance(part, dict):
        if part is False:
            raise Stuck
        return schema
    both = {**schema, **part}
    for keyword in ("properties", "$defs"):
        if keyword in schema and keyword in part:
            both[keyword] = {**schema[keyword], **part[keyword]}
    if "required" in schema and "required" in part:
        both["required"] = [*schema["required"], *part["required"]]
    if "type" in schema and "type" in part:
        both["type"] = schema["type"] if part["type"] is None else part["type"]
    return both


re_error = sre_parser.error  # what a pattern of another dialect raises
