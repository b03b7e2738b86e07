"""Answers that real providers gave: each recognised, each call found, exactly."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pegboard import ToolCall, dialects

#: Where the address of a request ends -> the dialect of its answer.
ADDRESSES = {
    r"/chat/completions$": "openai_chat",
    r"writer\.com/v1/chat$": "openai_chat",
    r"/v2/chat$": "cohere",
    r"/api/chat$": "ollama",
    r"/responses$": "openai_responses",
    r"/messages$": "anthropic",
    r"/converse(-stream)?$": "bedrock",
    r":(streamG|g)enerateContent$": "gemini",
}
FOLDERS = {
    "alibaba": "openai_chat",
    "amazon-bedrock": "bedrock",
    "anthropic": "anthropic",
    "azure": "openai_responses",
    "cerebras": "openai_chat",
    "cohere": "cohere",
    "deepseek": "openai_chat",
    "google": "gemini",
    "google-interactions": "gemini_interactions",
    "mistral": "mistral",
    "moonshotai": "openai_chat",
    "open-responses": "openai_responses",
    "openai-compatible": "openai_chat",
    "openai-responses": "openai_responses",
    "xai": "openai_chat",
    "xai-responses": "openai_responses",
}


@dataclass
class Answer:
    """One recorded answer and the dialect that its address says it is of."""

    name: str
    provider: str
    payload: Any
    dialect: str | None
    streamed: bool


@pytest.fixture(scope="module")
def answers(shared: Path) -> list[Answer]:
    folder = shared / "provider-traffic"
    if not folder.is_dir():
        folder = shared / "data" / "provider-traffic"
    return [*_interactions(folder), *_fixtures(folder)]


def _interactions(folder: Path) -> Iterator[Answer]:
    for file in sorted(folder.glob("*/*.jsonl")):
        for line in filter(None, file.read_text("utf-8").split("\n")):
            item = json.loads(line)
            response = item["response"]
            kinds = ("body", "sse_raw", "event_stream", "ndjson")
            kind = next(kind for kind in kinds if kind in response)
            payload = response[kind]
            if isinstance(payload, str):
                payload = dialects.read(payload)
            expected = _by_address(item["request"]["url"], file.stem)
            whole = response["status"] < 400
            dialect = expected if whole else None
            yield Answer(item["id"], file.stem, payload, dialect, kind != "body")


def _by_address(url: str, provider: str) -> str | None:
    path = url.partition("?")[0]
    for pattern, dialect in ADDRESSES.items():
        if re.search(pattern, path):
            return "mistral" if provider == "mistral" else dialect
    return None


def _fixtures(folder: Path) -> Iterator[Answer]:
    for file in sorted(folder.glob("vercel-ai/*/*")):
        payload = dialects.read(file.read_text("utf-8"))
        streamed = file.name.endswith(".chunks.txt")
        payload = [payload] if streamed and isinstance(payload, dict) else payload
        name = f"vercel-ai/{file.parent.name}/{file.name}"
        provider = f"{file.parent.name} (vercel-ai)"
        yield Answer(name, provider, payload, FOLDERS[file.parent.name], streamed)


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object inside a JSON value, in order."""
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for item in inner:
            yield from walk(item)


def plain_calls(answer: Answer) -> list[tuple[str, str, Any]]:
    """Return (id, name, arguments) of each call by a plain walk over the answer.

    It knows nothing of the dialects' code: it only looks for the objects by which each
    API names a call, and joins the pieces of streams by their numbers.
    """
    reader = {
        "openai_chat": _chat,
        "mistral": _chat,
        "cohere": _cohere,
        "ollama": _chat,
        "openai_responses": _responses,
        "anthropic": _anthropic,
        "bedrock": _bedrock,
        "gemini": _gemini,
        "gemini_interactions": _steps,
    }[answer.dialect or ""]
    return [_settled(*found) for found in reader(answer)]


def _settled(id: Any, name: Any, arguments: Any) -> tuple[str, str, Any]:
    """Read arguments that are JSON text, so that text and object compare equal."""
    if isinstance(arguments, str):
        arguments = json.loads(arguments) if arguments.strip() else {}
    return id or "", name or "", arguments or {}


def _chat(answer: Answer) -> list[list[Any]]:
    calls: dict[Any, list[Any]] = {}
    key = "delta" if answer.streamed and answer.dialect != "ollama" else "message"
    id = None
    for holder in walk(answer.payload):
        id = holder["id"] if "choices" in holder else id
        message = holder.get(key)
        if not isinstance(message, dict):
            continue
        for place, piece in enumerate(message.get("tool_calls") or []):
            if not piece.get("function"):
                continue
            number = id, piece.get("index", f"{place} {piece.get('id')}")
            call = calls.setdefault(number, ["", "", ""])
            call[0] = call[0] or piece.get("id")
            call[1] = call[1] or piece["function"].get("name")
            given = piece["function"].get("arguments") or ""
            call[2] = given if isinstance(given, dict) else call[2] + given
    return list(calls.values())


def _cohere(answer: Answer) -> list[list[Any]]:
    calls: list[list[Any]] = []
    for holder in walk(answer.payload):
        given = holder.get("tool_calls")
        for call in given if isinstance(given, list) else [given] if given else []:
            function = call["function"]
            if "name" in function:
                calls.append([call.get("id"), function["name"], ""])
            calls[-1][2] += function.get("arguments") or ""
    return calls


def _responses(answer: Answer) -> list[list[Any]]:
    last = "response.output_item.done" if answer.streamed else None
    events = answer.payload if answer.streamed else answer.payload["output"] or []
    items = [
        event.get("item", event) if last else event
        for event in events
        if not last or event.get("type") == last
    ]
    return [
        [item["call_id"], item["name"], item["arguments"]]
        for item in items
        if item["type"] == "function_call"
    ]


def _anthropic(answer: Answer) -> list[list[Any]]:
    kept: list[list[Any]] = []
    calls: dict[Any, list[Any]] = {}
    number = None
    for holder in walk(answer.payload):
        if holder.get("type") == "message_start":
            calls = {}  # of an answer that broke off
        if holder.get("type") in ("message_delta", "message_stop"):
            kept += calls.values()
            calls = {}
        number = holder.get("index", number)
        if holder.get("type") == "tool_use":
            place = number if answer.streamed else holder["id"]
            calls[place] = [holder["id"], holder["name"], holder["input"] or ""]
        if holder.get("partial_json") and number in calls:
            calls[number][2] += holder["partial_json"]
    return [*kept, *calls.values()]


def _bedrock(answer: Answer) -> list[list[Any]]:
    calls: dict[Any, list[Any]] = {}
    last: list[Any] | None = None
    for holder in walk(answer.payload):
        use = holder.get("toolUse")
        if isinstance(use, dict) and "name" in use:
            last = [use["toolUseId"], use["name"], use.get("input") or ""]
            if use.get("type") != "server_tool_use":
                calls[len(calls)] = last
        elif isinstance(use, dict) and last is not None:
            last[2] += use.get("input", "")
    return list(calls.values())


def _gemini(answer: Answer) -> list[list[Any]]:
    calls: list[list[Any]] = []
    for holder in walk(answer.payload):
        call = holder.get("functionCall")
        if isinstance(call, dict) and "name" in call:
            calls.append([call.get("id"), call["name"], call.get("args") or {}])
        for piece in call.get("partialArgs", []) if isinstance(call, dict) else []:
            _set(calls[-1][2], piece)
    return calls


def _set(arguments: dict[str, Any], piece: dict[str, Any]) -> None:
    steps = re.findall(r"\.(\w+)|\[(\d+)\]", piece["jsonPath"])
    keys = [name or int(number) for name, number in steps]
    place: Any = arguments
    for key, following in pairwise(keys):
        fresh: Any = [] if isinstance(following, int) else {}
        if isinstance(place, list) and key == len(place):
            place.append(fresh)
        elif isinstance(place, dict):
            place.setdefault(key, fresh)
        place = place[key]
    value = next(v for k, v in piece.items() if k.endswith("Value"))
    if isinstance(place, list):
        place += [""] * (keys[-1] + 1 - len(place))
    before = place[keys[-1]] if isinstance(place, list) else place.get(keys[-1], "")
    place[keys[-1]] = before + value if isinstance(value, str) else value


def _steps(answer: Answer) -> list[list[Any]]:
    calls: list[list[Any]] = []
    for holder in walk(answer.payload):
        if holder.get("type") == "function_call":
            calls.append([holder["id"], holder["name"], holder["arguments"] or ""])
        elif holder.get("type") == "arguments_delta":
            calls[-1][2] += holder["arguments"]
    return calls


def found_calls(answer: Answer) -> list[ToolCall]:
    return dialects.load(answer.dialect or "").calls(answer.payload)


def test_every_recorded_answer_is_recognised(answers):
    """Each answer is of the dialect that its address names; errors are of none."""
    wrong = [
        (answer.name, answer.dialect, found)
        for answer in answers
        if (found := dialects.detect(answer.payload)) != answer.dialect
    ]

    assert len(answers) > 1_000
    assert wrong == []


def test_every_recorded_call_is_found_exactly(answers):
    """L1: names, ids and arguments agree with an independent walk over the answer."""
    wrong = []
    for answer in answers:
        if answer.dialect is None:
            continue
        found = [_settled(c.id, c.name, c.arguments) for c in found_calls(answer)]
        if found != plain_calls(answer):
            wrong.append((answer.name, found, plain_calls(answer)))

    assert wrong == []


def test_no_whole_answer_is_taken_for_a_cut_off_one(answers):
    """B14: only the one call that Gemini itself disowned is marked truncated."""
    marked = [
        answer.name
        for answer in answers
        if answer.dialect and any(call.truncated for call in found_calls(answer))
    ]

    assert marked == ["pydantic-ai/gemini/0096"]


def test_a_stream_cut_anywhere_marks_its_calls(answers):
    """B14: without its last chunks no recorded stream yields a call that would run."""
    streams = [
        answer
        for answer in answers
        if answer.streamed
        and answer.dialect
        and found_calls(answer)
        # Some files hold several answers, of which the first ones are whole.
        and len(set(_answer_ids(answer))) <= 1
    ]
    loose = []
    for answer in streams:
        dialect = dialects.load(answer.dialect)
        whole = dialect.calls(answer.payload)
        for size in range(len(answer.payload)):
            calls = dialect.calls(answer.payload[:size])
            if any(not call.truncated for call in calls) and calls != whole:
                loose.append((answer.name, size))

    assert len(streams) > 50
    assert loose == []


def _answer_ids(answer: Answer) -> Iterator[str]:
    for event in answer.payload:
        begins = event.get("type") in ("message_start", "response.created")
        if begins or "choices" in event:
            yield json.dumps(
                [event.get("id"), event.get("message", event.get("response"))]
            )


def test_the_page_shows_what_was_counted(answers):
    """The table of docs/dialects.md is what these recordings hold."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for answer in answers:
        row = rows.setdefault((answer.provider, answer.dialect or "-"), Counter())
        row["answers"] += 1
        row["streams"] += answer.streamed
        row["calls"] += len(found_calls(answer)) if answer.dialect else 0
    table = "\n".join(
        f"| {provider} | {dialect} | {row['answers']} | {row['streams']} "
        f"| {row['calls']} |"
        for (provider, dialect), row in sorted(rows.items())
    )
    page = Path(__file__).parents[2] / "docs" / "dialects.md"

    assert table in page.read_text("utf-8")
