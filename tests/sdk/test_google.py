"""Google's own types and client take what the Gemini dialects write."""

import json
from typing import Any

import pytest

from pegboard.dialects import gemini, gemini_interactions

genai = pytest.importorskip("google.genai")
httpx2 = pytest.importorskip("httpx2")

ANSWER = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {
                        "functionCall": {"name": "now", "args": {"zone": "z"}},
                        "thoughtSignature": "c2ln",
                    }
                ],
            },
            "finishReason": "STOP",
        }
    ]
}


@pytest.mark.parametrize("openapi", [False, True])
def test_tools_and_results_are_of_googles_types(definitions, batch, openapi):
    """L1: Google's models, which refuse unknown fields, take our tools and results."""
    [tool] = gemini.tools(definitions, openapi=openapi)
    [content] = gemini.results(batch)

    read = genai.types.Tool.model_validate(tool)
    turn = genai.types.Content.model_validate(content)

    assert len(read.function_declarations) == len(definitions)
    assert len(turn.parts) == len(batch)


def test_the_client_sends_and_reads_what_the_dialect_means(definitions, batch):
    """L1: through the real client our meaning arrives, and its answer reads."""
    seen: list[Any] = []

    def respond(request: Any) -> Any:
        seen.append(json.loads(request.content))
        return httpx2.Response(200, json=ANSWER)

    options = genai.types.HttpOptions(
        base_url="http://localhost",
        httpx_client=httpx2.Client(transport=httpx2.MockTransport(respond)),
    )
    client = genai.Client(api_key="x", http_options=options)
    tools = gemini.tools(definitions[:100])
    contents = [{"role": "user", "parts": [{"text": "?"}]}, *gemini.results(batch)]
    answer = client.models.generate_content(
        model="gemini",
        contents=contents,
        config={
            "tools": tools,
            "automatic_function_calling": {"disable": True},
        },
    )
    [call] = gemini.calls(answer)

    assert (call.id, call.name, dict(call.arguments)) == ("", "now", {"zone": "z"})
    assert _one_spelling(seen[0]["contents"]) == contents
    assert _one_spelling(seen[0]["tools"]) == tools


def _one_spelling(value: Any) -> Any:
    """Spell what the client writes in snake case as the documentation does."""
    spellings = {
        "parameters_json_schema": "parametersJsonSchema",
        "inline_data": "inlineData",
        "mime_type": "mimeType",
    }
    if isinstance(value, list):
        return [_one_spelling(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {spellings.get(key, key): _one_spelling(v) for key, v in value.items()}


def test_interactions_are_of_googles_types(definitions, batch):
    """L1: the same of the interactions API."""
    from google.genai import interactions

    tools = gemini_interactions.tools(definitions)
    results = gemini_interactions.results(batch)

    for tool in tools:
        interactions.Function.model_validate(tool)
    for result in results:
        step = interactions.FunctionResultStep.model_validate(result)
        assert step.call_id == result["call_id"]
