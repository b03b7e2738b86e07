"""Tools and arguments out of the recordings beside the repository."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TEXT_KEYS = ("arguments", "partial_json", "delta")
VALUE_KEYS = ("arguments", "args", "input")


def read_lines(path: Path) -> Iterator[Any]:
    """Yield the JSON values of a file, one a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def tools(shared: Path) -> list[dict[str, Any]]:
    """Return every recorded tool of the Model Context Protocol."""
    return list(read_lines(shared / "data/mcp-tools/tools.jsonl"))


def calls(shared: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return calls that were judged, each with the input schema of its tool."""
    folder = shared / "data/tool-call-verdicts"
    schemas = {
        (tool["server"], tool["name"]): tool["inputSchema"]
        for tool in read_lines(folder / "livemcpbench_tools.jsonl")
    }
    return [
        (call, schemas[call["server"], call["tool"]])
        for call in read_lines(folder / "livemcpbench_calls.jsonl")
        if (call["server"], call["tool"]) in schemas
    ]


def argument_texts(shared: Path) -> dict[str, list[str]]:
    """Return the distinct arguments of all recorded calls as text, by their place."""
    found: dict[str, set[str]] = {
        "provider traffic": set(),
        "transcripts": set(),
        "judged calls": {json.dumps(call["arguments"]) for call, _ in calls(shared)},
        "expected calls": set(expected_calls(shared)),
    }
    for body in bodies(shared):
        found["provider traffic"].update(pieces(body))
    for path in sorted((shared / "data/traces").glob("*/*.jsonl")):
        for line in read_lines(path):
            found["transcripts"].update(pieces(line))
    return {name: sorted(texts) for name, texts in found.items()}


def bodies(shared: Path) -> Iterator[Any]:
    """Yield the JSON of every recorded request, response and piece of a stream."""
    folder = shared / "data/provider-traffic"
    for path in sorted(folder.glob("*/*.jsonl")):
        for line in read_lines(path):
            yield line["request"].get("body")
            response = line["response"]
            yield response.get("body")
            yield response.get("event_stream")
            yield from events(response.get("sse_raw") or "")
    for path in sorted(folder.glob("vercel-ai/**/*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(folder.glob("vercel-ai/**/*.chunks.txt")):
        yield from events(path.read_text(encoding="utf-8"))


def events(stream: str) -> Iterator[Any]:
    """Yield the JSON of the events of a stream."""
    for line in stream.splitlines():
        text = line.removeprefix("data:").strip()
        if text.startswith("{"):
            yield json.loads(text)


def pieces(body: Any) -> Iterator[str]:
    """Yield what stands where arguments stand in a body, values as JSON."""
    if isinstance(body, dict):
        for key, value in body.items():
            if isinstance(value, str) and key in TEXT_KEYS:
                yield value
            elif isinstance(value, dict) and key in VALUE_KEYS:
                yield json.dumps(value)
            yield from pieces(value)
    elif isinstance(body, list):
        for item in body:
            yield from pieces(item)


def expected_calls(shared: Path) -> Iterator[str]:
    """Yield the arguments that a leaderboard expects, the first of each choice."""
    for path in sorted((shared / "data/bfcl/possible_answer").glob("*.json")):
        for line in read_lines(path):
            for call in line["ground_truth"]:
                if isinstance(call, dict):
                    for accepted in call.values():
                        yield json.dumps(
                            {
                                name: any_of[0]
                                for name, any_of in accepted.items()
                                if any_of
                            }
                        )
