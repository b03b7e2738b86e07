"""The loops of docs/providers, through the real SDKs, against a scripted server."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "providers"
ARGUMENTS = {"text": "to be or not to be"}
TEXT = "It has 6 words."


class Server:
    """Gives one scripted answer a request, and keeps the requests.

    Attributes:
        url: Where it listens.
        answers: What it will say, in order.
        requests: (path, body) of what it was asked.
    """

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                body = json.loads(self.rfile.read(size))
                outer.requests.append((self.path, body))
                answer = json.dumps(outer.answers.pop(0)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A scripted server that every SDK takes for its own provider."""
    made = Server()
    variables = {
        "OPENAI_BASE_URL": f"{made.url}/v1",
        "OPENAI_API_KEY": "x",
        "ANTHROPIC_BASE_URL": made.url,
        "ANTHROPIC_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": made.url,
        "GEMINI_API_KEY": "x",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": made.url,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_DEFAULT_REGION": "us-east-1",
        "OLLAMA_HOST": made.url,
        "NO_PROXY": "127.0.0.1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield made
    made.close()


def loops(page: str) -> list[str]:
    """Return the Python blocks of a page."""
    text = (PAGES / f"{page}.md").read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run(code: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a loop as a script; return what it printed."""
    # The promise of the pages: a whole loop, tool included, in under 25 lines.
    assert len([line for line in code.split("\n") if line.strip()]) < 25
    exec(compile(code, "page", "exec"), {"__name__": "page"})
    return capsys.readouterr().out.strip()


def chat(message: dict[str, Any], reason: str) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


def test_the_openai_loop_asks_runs_and_asks_again(server, capsys):
    """L1: docs/providers/openai.md, chat completions."""
    pytest.importorskip("openai")
    function = {"name": "word_count", "arguments": json.dumps(ARGUMENTS)}
    call = {"id": "call_1", "type": "function", "function": function}
    asks = {"role": "assistant", "content": None, "tool_calls": [call]}
    says = {"role": "assistant", "content": TEXT}
    server.answers = [chat(asks, "tool_calls"), chat(says, "stop")]

    assert run(loops("openai")[0], capsys) == TEXT
    [_, (path, second)] = server.requests
    assert path == "/v1/chat/completions"
    assert second["messages"][1:] == [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "6"},
    ]


def test_the_responses_loop_asks_runs_and_asks_again(server, capsys):
    """L1: docs/providers/openai.md, responses."""
    pytest.importorskip("openai")

    def response(number: int, *output: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "completed",
            "output": list(output),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1"}
    call |= {"name": "word_count", "arguments": json.dumps(ARGUMENTS)}
    text = {"type": "output_text", "text": TEXT, "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "content": [text]}
    server.answers = [
        response(1, call),
        response(2, {**message, "status": "completed"}),
    ]

    assert run(loops("openai")[1], capsys) == TEXT
    [(_, first), (path, second)] = server.requests
    assert first["tools"][0]["strict"] is True
    assert (path, second["previous_response_id"]) == ("/v1/responses", "resp_1")
    assert second["input"] == [
        {"type": "function_call_output", "call_id": "call_1", "output": "6"}
    ]


def test_the_anthropic_loop_asks_runs_and_asks_again(server, capsys):
    """L1: docs/providers/anthropic.md; thinking goes back with its signature."""
    pytest.importorskip("anthropic")

    def message(*content: dict[str, Any], reason: str) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": list(content),
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    thinking = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    use = {"type": "tool_use", "id": "t1", "name": "word_count", "input": ARGUMENTS}
    server.answers = [
        message(thinking, use, reason="tool_use"),
        message({"type": "text", "text": TEXT}, reason="end_turn"),
    ]

    assert run(loops("anthropic")[0], capsys) == TEXT
    [(_, first), (path, second)] = server.requests
    assert first["tools"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "5m"}
    assert path == "/v1/messages"
    assert second["messages"][1]["content"][0] == thinking
    assert second["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "t1", "content": "6"}
    ]


def test_the_gemini_loop_asks_runs_and_asks_again(server, capsys):
    """L1: docs/providers/gemini.md; signatures go back, made-up ids do not."""
    pytest.importorskip("google.genai")

    def answer(part: dict[str, Any]) -> dict[str, Any]:
        content = {"role": "model", "parts": [part]}
        return {"candidates": [{"content": content, "finishReason": "STOP"}]}

    call = {"functionCall": {"name": "word_count", "args": ARGUMENTS}}
    server.answers = [
        answer(call | {"thoughtSignature": "c2ln"}),
        answer({"text": TEXT}),
    ]

    assert run(loops("gemini")[0], capsys) == TEXT
    [_, (path, second)] = server.requests
    assert path.endswith("models/gemini-3-pro:generateContent")
    [_, theirs, ours] = second["contents"]
    assert "c2ln" in json.dumps(theirs)
    assert ours["parts"] == [
        {"functionResponse": {"name": "word_count", "response": {"output": "6"}}}
    ]


def test_the_bedrock_loop_asks_runs_and_asks_again(server, capsys):
    """L1: docs/providers/bedrock.md."""
    pytest.importorskip("boto3")

    def answer(block: dict[str, Any], reason: str) -> dict[str, Any]:
        return {
            "output": {"message": {"role": "assistant", "content": [block]}},
            "stopReason": reason,
            "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
            "metrics": {"latencyMs": 1},
        }

    use = {"toolUseId": "t1", "name": "word_count", "input": ARGUMENTS}
    server.answers = [
        answer({"toolUse": use}, "tool_use"),
        answer({"text": TEXT}, "end_turn"),
    ]

    assert run(loops("bedrock")[0], capsys) == TEXT
    [_, (path, second)] = server.requests
    assert path.endswith("/converse")
    assert second["messages"][2]["content"] == [
        {"toolResult": {"toolUseId": "t1", "content": [{"text": "6"}]}}
    ]


def test_the_ollama_loop_asks_runs_and_asks_again(server, capsys, monkeypatch):
    """L1: docs/providers/ollama.md."""
    sdk = pytest.importorskip("ollama")
    # The module's own client read the address when it was imported.
    monkeypatch.setattr(sdk, "chat", sdk.Client(host=server.url).chat)

    def answer(message: dict[str, Any]) -> dict[str, Any]:
        said = {"role": "assistant", "content": "", **message}
        return {"model": "m", "message": said, "done": True, "done_reason": "stop"}

    function = {"name": "word_count", "arguments": ARGUMENTS}
    server.answers = [
        answer({"tool_calls": [{"function": function}]}),
        answer({"content": TEXT}),
    ]

    assert run(loops("ollama")[0], capsys) == TEXT
    [_, (path, second)] = server.requests
    assert path == "/api/chat"
    assert second["messages"][2] == {
        "role": "tool",
        "tool_name": "word_count",
        "content": "6",
    }
