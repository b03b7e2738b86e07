"""`pegboard run` on recorded answers, against the tools of their own requests."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pegboard.cli.group import main
from pegboard.dialects import detect, load, read

#: What a recorded answer's own tools may say of its calls: that they are right, or that
#: the model got the arguments or the name wrong.
CODES = {"dry_run", "invalid_arguments", "unknown_tool"}


def text_of(response: dict) -> str:
    """The answer as the provider sent it."""
    if "sse_raw" in response:
        return response["sse_raw"]
    for key in ("ndjson", "event_stream"):
        if key in response:
            return "\n".join(map(json.dumps, response[key]))
    return json.dumps(response["body"])


def recordings(shared: Path) -> Iterator[tuple[str, str, Any]]:
    """Each recording's id, its answer, and the tools of its request."""
    for path in sorted(shared.glob("provider-traffic/**/*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.strip():
                said = json.loads(line)
                body = (said.get("request") or {}).get("body")
                body = body if isinstance(body, dict) else {}
                tools = body.get("tools") or body.get("toolConfig")
                yield said["id"], text_of(said["response"]), tools


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs an answer against definitions, without any plugin."""
    monkeypatch.setenv("PEGBOARD_NO_PLUGINS", "1")
    monkeypatch.chdir(tmp_path)

    def run(answer: str, tools: Any) -> Any:
        Path("answer").write_text(answer, encoding="utf-8")
        Path("tools").write_text(json.dumps(tools))
        words = ["run", "answer", "--tools", "tools", "--json"]
        return CliRunner().invoke(main, words)

    return run


def test_every_recorded_answer_is_a_batch_of_its_calls(shared, run):
    """Each recorded answer gives one result a call, checked by its request's tools."""
    counts: Counter[str] = Counter()
    wrong = []
    for name, answer, tools in recordings(shared / "data"):
        payload = read(answer)
        dialect = detect(payload)
        if not tools or dialect is None:
            counts["no answer to a request with tools"] += 1
            continue
        result = run(answer, tools)
        if "defines no tools" in result.stderr:
            counts["only tools of the provider"] += 1
            continue
        expected = [call.name for call in load(dialect).calls(payload)]
        results = json.loads(result.stdout or "{}").get("results", [])
        counts.update(said["code"] for said in results)
        names = [said["call"]["name"] for said in results]
        codes = {said["code"] for said in results}
        if result.exit_code not in (0, 1) or names != expected or codes - CODES:
            wrong.append((name, result.exit_code, result.stderr, expected, codes))

    assert wrong == []
    assert counts["dry_run"] > 20 * counts["unknown_tool"]
    print(dict(counts))
