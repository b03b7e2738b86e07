"""Calls that models really made, with bodies that replay the recorded answers."""

import asyncio
import json
import re

import pytest

from pegboard import Executor, Pegboard, Registry, Tool, ToolCall, ToolContext
from pegboard.events import BatchEnd, ToolEnd, ToolStart

OPEN = {"type": "object"}


def conversations(path):
    """Each conversation as `(call, recorded answer)` pairs, in order."""
    for line in path.read_text(encoding="utf-8").splitlines():
        waiting, pairs = [], []
        for message in json.loads(line)["messages"]:
            for made in message.get("tool_calls") or ():
                function = made["function"]
                waiting.append(
                    ToolCall(function["name"], function["arguments"], id=made["id"])
                )
            if message["role"] == "tool" and waiting:
                pairs.append((waiting.pop(0), str(message["content"])))
        pairs += [(call, "") for call in waiting]
        if pairs:
            yield pairs


def replaying(names, answers, schemas=None):
    """Tools whose bodies give the recorded answer to the call in their place."""

    async def answer(arguments, context: ToolContext):
        place = int(context.idempotency_key.rpartition(":")[2])
        await asyncio.sleep(0)
        return answers[place]

    schemas = schemas or {}
    return [
        Tool.from_schema(name, "", schemas.get(name, OPEN), answer) for name in names
    ]


async def collect(board, sent):
    return [event async for event in board.stream(sent)]


@pytest.fixture(scope="module")
def airline(shared):
    """The recorded conversations about flights, and the tools' schemas."""
    folder = shared / "data" / "traces" / "tau-bench"
    listed = json.loads((folder / "airline_tools.json").read_text(encoding="utf-8"))
    schemas = {t["function"]["name"]: t["function"]["parameters"] for t in listed}
    return list(conversations(folder / "gpt-4o-airline.trial0.jsonl")), schemas


@pytest.mark.parametrize("way", ["one by one", "parallel", "in turn", "stream"])
def test_recorded_conversations_are_replayed_whole(airline, way):
    """B1: 282 calls of 50 conversations, under their real schemas; nothing is lost."""
    recorded, schemas = airline
    replayed = 0

    async def replay(pairs):
        sent, answers = [call for call, _ in pairs], [answer for _, answer in pairs]
        board = Pegboard(replaying(schemas, answers, schemas))
        if way == "one by one":
            found = []
            for call, answer in pairs:
                answers[0] = answer
                found.append((await board.run([call]))[0])
            return found
        if way == "stream":
            events = await collect(board, sent)
            starts = [e.call.id for e in events if isinstance(e, ToolStart)]
            ends = [e.call.id for e in events if isinstance(e, ToolEnd)]
            assert starts == ends == [call.id for call in sent]
            assert isinstance(events[-1], BatchEnd)
            return events[-1].batch
        return await board.run(sent, sequential=way == "in turn")

    for pairs in recorded:
        results = asyncio.run(replay(list(pairs)))
        assert [result.call for result in results] == [call for call, _ in pairs]
        for result, (_, answer) in zip(results, pairs, strict=True):
            assert (result.status, result.repairs) == ("success", ())
            assert result.text == answer
        replayed += len(results)

    assert replayed == 282


def test_recorded_agents_on_mcp_servers_are_replayed(shared):
    """B1: 397 calls of 52 runs, some of several at once; ids and answers keep place."""
    path = shared / "data" / "traces" / "livemcpbench" / "claude-sonnet-4.jsonl"
    replayed = 0
    for pairs in conversations(path):
        answers = [answer for _, answer in pairs]
        board = Pegboard(replaying(["route", "execute-tool"], answers))
        batch = board.run_sync([call for call, _ in pairs], max_calls=len(pairs))
        board.executor.door.close()

        assert [r.call.id for r in batch] == [call.id for call, _ in pairs]
        assert [r.text for r in batch] == answers
        replayed += len(batch)

    assert replayed == 397


REFERENCE = re.compile(r"\$(var\d+|var_result)(?:\.([^$]*))?\$")


class References:
    """A middleware that puts earlier answers where a later call refers to them."""

    def __init__(self):
        self.known = {}
        self.labels = {}
        self.resolved = {}

    def resolve(self, value):
        if isinstance(value, dict):
            return {key: self.resolve(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if not isinstance(value, str):
            return value
        return REFERENCE.sub(lambda found: self._look_up(*found.groups()), value)

    def _look_up(self, label, field):
        # Some sequences refer to a step that they do not have: the data's fault.
        return f"<{self.known.get(label, 'nobody')} {field or 'whole'}>"

    async def __call__(self, call, call_next):
        resolved = self.resolved[call.id] = self.resolve(dict(call.arguments))
        result = await call_next(call.replace(arguments=resolved))
        self.known[self.labels[call.id]] = result.data["is"]
        return result


@pytest.mark.parametrize(
    ("name", "count"),
    [("executable", 85), ("non-executable-glaive", 169), ("non-executable-sgd", 46)],
)
def test_recorded_sequences_are_run_in_turn(shared, name, count):
    """B3, H6: a middleware fills in what earlier calls gave; each is checked again."""
    folder = shared / "data" / "traces" / "nestful"
    read = json.loads((folder / f"{name}-data.json").read_text(encoding="utf-8"))
    steps = [
        json.loads(item["output"])
        if isinstance(item["output"], str)
        else item["output"]
        for item in read
    ]

    async def answer(arguments, context: ToolContext):
        return {"is": context.call_id, "got": arguments}

    for sequence in steps:
        references = References()
        names = sorted({step["name"] for step in sequence})
        registry = Registry([Tool.from_schema(n, "", OPEN, answer) for n in names])
        offered = {entry.bare: entry.offered for entry in registry}
        executor = Executor(registry, middlewares=[references])
        sent = []
        for at, step in enumerate(sequence):
            references.labels[f"call{at}"] = step.get("label", step["name"])
            sent.append(
                ToolCall(offered[step["name"]], step["arguments"], id=f"call{at}")
            )
        batch = executor.run_sync(sent, sequential=True)
        executor.door.close()

        assert [result.status for result in batch] == ["success"] * len(sequence)
        for result in batch:
            assert result.data["got"] == references.resolved[result.call.id]
            assert "$var" not in json.dumps(result.data["got"])

    assert len(steps) == count
