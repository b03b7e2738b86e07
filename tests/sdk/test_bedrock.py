"""AWS's own service model and client take what the Bedrock dialect writes."""

import json
import re
from typing import Any

import pytest

from pegboard.dialects import bedrock

botocore = pytest.importorskip("botocore")
boto3 = pytest.importorskip("boto3")

ANSWER = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"toolUse": {"toolUseId": "t1", "name": "now", "input": {"zone": "z"}}}
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    "metrics": {"latencyMs": 1},
}


def problems(value: Any, shape: Any, path: str = "") -> list[str]:
    """Find what botocore's validator leaves out: patterns, maxima and enums."""
    found = []
    kind = shape.type_name
    if kind == "structure" and getattr(shape, "is_document_type", False):
        return []
    if kind == "structure":
        for name, member in value.items():
            found += problems(member, shape.members[name], f"{path}.{name}")
    elif kind == "list":
        for number, item in enumerate(value):
            found += problems(item, shape.member, f"{path}[{number}]")
    elif kind == "string":
        pattern = shape.metadata.get("pattern")
        if pattern and not re.fullmatch(pattern, value):
            found.append(f"{path}: {value!r} does not match {pattern}")
        if shape.enum and value not in shape.enum:
            found.append(f"{path}: {value!r} is none of {shape.enum}")
        if len(value) > shape.metadata.get("max", len(value)):
            found.append(f"{path}: {len(value)} characters")
    return found


@pytest.mark.parametrize("strict", [False, True])
def test_requests_are_of_the_service_model(definitions, batch, strict):
    """L1: a whole request fits the service model, its patterns and maxima too."""
    import botocore.session
    from botocore.validate import ParamValidator

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape
    request = {
        "modelId": "model",
        "messages": [
            {"role": "user", "content": [{"text": "?"}]},
            *bedrock.results(batch),
        ],
        "toolConfig": {"tools": bedrock.tools(definitions, strict=strict, cache=True)},
    }

    assert ParamValidator().validate(request, shape).generate_report() == ""
    assert problems(request, shape) == []


def test_the_client_sends_and_reads_what_the_dialect_means(definitions, batch):
    """L1: through the real client our tools arrive as written, and its answer reads."""
    from botocore.awsrequest import AWSResponse

    seen: list[Any] = []

    class Raw:
        def stream(self, *args: Any, **kwargs: Any) -> Any:
            yield json.dumps(ANSWER).encode()

        def read(self, *args: Any) -> bytes:
            return json.dumps(ANSWER).encode()

    def respond(request: Any, **kwargs: Any) -> Any:
        seen.append(json.loads(request.body))
        headers = {"content-type": "application/json"}
        return AWSResponse(request.url, 200, headers, Raw())

    client = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="y",
    )
    client.meta.events.register("before-send.bedrock-runtime.Converse", respond)
    tools = bedrock.tools(definitions[:100])
    question = {"role": "user", "content": [{"text": "?"}]}
    answer = client.converse(
        modelId="model",
        messages=[question, *bedrock.results(batch)],
        toolConfig={"tools": tools},
    )
    [call] = bedrock.calls(answer)

    assert seen[0]["toolConfig"] == {"tools": tools}
    assert len(seen[0]["messages"][1]["content"]) == len(batch)
    assert (call.id, call.name, dict(call.arguments)) == ("t1", "now", {"zone": "z"})
