"""Looks for arguments that break a promise; by default for a minute.

    python tests/fuzz/arguments.py [--seconds 60] [--seed 0]

The promises: no exception but the one clear error leaves; the decision is a function of
schema and text; JSON that fits is handed on with the same meaning; a slip comes back as
what was meant or as a refusal; no front part of a text is accepted; and nothing takes
longer than two seconds. What breaks one is printed, with the seed it came from.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hostile import hostile_calls
from instances import Instances, Stuck
from mutations import damage, mangle, same, slips
from recordings import argument_texts, tools

from pegboard._arguments import ArgumentSchema, SchemaError, parse_text, read_arguments
from pegboard.errors import InvalidArguments

SHARED = Path(__file__).resolve().parents[3] / "shared"
SLOWEST = 2.0  # seconds of a processor, of texts up to the limit of 1 MiB
OWN_TOOLS: list[dict[str, Any]] = [
    {
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "lines": {"type": "array", "items": {"type": "integer"}},
            "mode": {"enum": ["read", "write"]},
            "force": {"type": ["boolean", "null"]},
            "at": {
                "type": "object",
                "properties": {
                    "x": {"type": "number"},
                    "next": {"$ref": "#/properties/at"},
                },
                "required": ["x"],
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    {
        "properties": {
            "filter": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {"op": {"const": name}, "to": {"type": to}},
                        "required": ["op", "to"],
                    }
                    for name, to in (("eq", "integer"), ("like", "string"))
                ]
            },
            "limit": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
        },
        "additionalProperties": {"type": "number"},
    },
]


class Broken(Exception):
    """A promise does not hold."""


class Session:
    """One run: what is tried, what came of it, and what took longest."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.counts = Counter[str]()
        self.slowest = (0.0, "")
        schemas = OWN_TOOLS
        self.texts = [json.dumps({"path": "a\nb", "lines": [1, 2.5], "at": {"x": "é"}})]
        if SHARED.is_dir():
            schemas = schemas + [tool["inputSchema"] for tool in tools(SHARED)]
            self.texts += [
                t for texts in argument_texts(SHARED).values() for t in texts
            ]
        self.tools = [pair for schema in schemas for pair in compiled(schema)]
        self.hostility = hostile_calls()
        self.trials: list[Callable[[], str]] = [
            self.try_instance,
            self.try_damage,
            self.try_front,
            self.try_schema,
            self.try_hostile,
        ]

    def accept(self, schema: ArgumentSchema, sent: Any, name: str) -> Any:
        """Return the fitted value, or the code of its refusal; keep the time."""
        start = time.process_time()
        try:
            value, text = read(sent)
            if schema.is_valid(value):
                outcome: Any = schema.settle(value, text)[0]
            else:
                outcome = schema.fit(value)[0]
        except InvalidArguments as error:
            if not error.problems or len(str(error)) > 2_000:
                raise Broken("a refusal says nothing, or too much") from error
            outcome = error.code
        except Exception as error:
            raise Broken(f"{type(error).__name__} left the pipeline") from error
        taken = time.process_time() - start
        self.slowest = max(self.slowest, (taken, name))
        if taken > SLOWEST:
            raise Broken(f"{name} took {taken:.1f} s")
        return outcome

    def try_instance(self) -> str:
        """Arguments that fit are handed on; the same with one slip, or refused."""
        definition, schema = self.source.choice(self.tools)
        try:
            value = Instances(definition, self.source).make()
        except Stuck:
            return "no instance"
        if not schema.is_valid(value):
            return "no instance"
        text = json.dumps(value, ensure_ascii=self.source.random() < 0.5)
        if not same(parse_text(text), value):
            raise Broken(f"the fast path reads {text} as something else")
        if not same(self.accept(schema, text, "instance"), value):
            raise Broken(f"{text} fits and was changed")
        for slip, sent in slips(definition, value, self.source):
            outcome = self.accept(schema, json.dumps(sent), slip)
            expected = sent if schema.is_valid(sent) else value
            if not isinstance(outcome, str) and not same(outcome, expected):
                if slip != "lone element":  # a union may admit a text and a list
                    raise Broken(f"{slip}: {sent} became {outcome}, not {expected}")
        return "instance"

    def try_damage(self) -> str:
        """A damaged text is read or refused, twice in the same way."""
        schema = self.source.choice(self.tools)[1]
        sent = damage(self.source.choice(self.texts)[:5_000], self.source)
        first = self.accept(schema, sent, "damage")
        if repr(first) != repr(self.accept(schema, sent, "damage")):
            raise Broken(f"{sent!r} is decided in two ways")
        if not isinstance(first, str) and not schema.is_valid(first):
            raise Broken(f"{sent!r} became {first}, which does not fit")
        return "damage"

    def try_front(self) -> str:
        """No front part of a text is accepted."""
        text = self.source.choice(self.texts)
        try:
            read_arguments(text)
        except InvalidArguments:
            return "no text"
        end = self.source.randrange(len(text.rstrip()) + 1)
        front = text[:end]
        if front == text.rstrip() or not front.strip():
            return "no front"
        try:
            read_arguments(front)
        except InvalidArguments:
            return "front"
        raise Broken(f"{front!r} was accepted, of {text!r}")

    def try_schema(self) -> str:
        """A mangled schema is refused, or decides like any other."""
        definition, _ = self.source.choice(self.tools)
        mangled = mangle(definition, self.source)
        try:
            value = Instances(definition, self.source).make()
            other = ArgumentSchema(mangled)
        except (Stuck, SchemaError):
            return "refused schema"
        except Exception as error:
            raise Broken(f"{type(error).__name__} out of {mangled}") from error
        for _, sent in [("", value), *slips(definition, value, self.source)]:
            outcome = self.accept(other, json.dumps(sent), "mangled schema")
            if other.is_valid(sent) and not same(outcome, sent):
                raise Broken(f"{sent} fits {mangled} and became {outcome}")
            if not isinstance(outcome, str) and not other.is_valid(outcome):
                raise Broken(f"{outcome}, of {sent}, does not fit {mangled}")
        return "mangled schema"

    def try_hostile(self) -> str:
        """What is made to take long does not."""
        name, definition, sent = next(self.hostility, ("", {}, ""))
        if not name:
            self.trials.remove(self.try_hostile)
            return "all that is hostile"
        try:
            schema = ArgumentSchema(definition)
        except SchemaError:
            return "hostile schema"
        self.accept(schema, sent, name)
        return "hostile"


def read(sent: str) -> tuple[dict[str, Any], str | None]:
    """Return arguments as an executor reads them: fast, or else with care."""
    try:
        return parse_text(sent), sent
    except ValueError:
        return read_arguments(sent)[:2]


def compiled(schema: dict[str, Any]) -> Iterator[tuple[dict[str, Any], ArgumentSchema]]:
    """Yield a schema with what it compiles to, nothing if it does not."""
    try:
        yield schema, ArgumentSchema(schema)
    except SchemaError:
        return


def run(seconds: float, seed: int) -> int:
    """Try until the time is over, and print what came of it; 1 if a promise broke."""
    end = time.monotonic() + seconds
    session = Session(seed)
    while time.monotonic() < end:
        try:
            session.counts[session.source.choice(session.trials)()] += 1
        except Broken as error:
            print(f"broken with seed {seed}: {str(error)[:2_000]}", file=sys.stderr)
            return 1
    for name, count in sorted(session.counts.items()):
        print(f"{count:9,} {name}")
    print(f"the slowest took {session.slowest[0]:.3f} s: {session.slowest[1]}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    sys.exit(run(options.seconds, options.seed))
