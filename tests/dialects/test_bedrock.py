"""Amazon Bedrock's Converse."""

import pytest

from pegboard import FileContent, ImageContent, ToolDefinition
from pegboard.dialects import bedrock
from pegboard.dialects.bedrock import Collector


def use(id="t1", name="now", **more):
    return {"toolUse": {"toolUseId": id, "name": name, **more}}


def answer(*content, reason="tool_use"):
    message = {"role": "assistant", "content": list(content)}
    return {"output": {"message": message}, "stopReason": reason}


def begin(index, **tool_use):
    return {"contentBlockStart": {"contentBlockIndex": index, "start": tool_use}}


def piece(index, text):
    delta = {"toolUse": {"input": text}}
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}


def stop(reason="tool_use"):
    return {"messageStop": {"stopReason": reason}}


def collected(*events):
    collector = Collector()
    for event in events:
        collector.feed(event)
    return collector.calls()


def test_tool_uses_are_found_and_server_tools_left_alone():
    """L1: reasoning and text stay the host's; what ran at the provider is done."""
    calls = bedrock.calls(
        answer(
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
            {"text": "I call now()."},
            use("s", type="server_tool_use", input={}),
            use("a", input={"zone": "x"}),
            use("b", "forecast", type="tool_use"),
        )
    )

    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("a", "now", {"zone": "x"}),
        ("b", "forecast", {}),
    ]


@pytest.mark.parametrize(
    "reason",
    [
        "max_tokens",
        "malformed_tool_use",
        "malformed_model_output",
        "model_context_window_exceeded",
        "guardrail_intervened",
        "content_filtered",
    ],
)
def test_the_stop_reason_marks_the_calls(reason):
    """B14: a limit, a filter or a malformed call: nothing of it is run."""
    [whole] = bedrock.calls(answer(use(input={}), reason=reason))
    [streamed] = collected(begin(0, **use()), stop(reason))

    assert whole.truncated
    assert streamed.truncated


def test_events_become_whole_calls():
    """L1: as boto3 yields them, or as frames with their type beside the payload."""
    plain = [
        {"messageStart": {"role": "assistant"}},
        begin(0),
        begin(1, **use("a")),
        piece(1, '{"zone":'),
        piece(1, '"x"}'),
        piece(5, "lost"),
        begin(2, **use("b")),
        piece(2, ""),
        {"contentBlockStop": {"contentBlockIndex": 2}},
        stop(),
    ]
    frames = [
        {"event_type": kind, "message_type": "event", "payload": payload}
        for event in plain
        for kind, payload in event.items()
    ]

    expected = [("a", '{"zone":"x"}', False), ("b", {}, False)]
    for events in (plain, frames):
        calls = collected(*events)
        assert [(c.id, c.arguments, c.truncated) for c in calls] == expected


def test_a_stream_without_a_good_end_marks_its_calls():
    """B14: no stop, or an exception in the stream."""
    broken = {"modelStreamErrorException": {"message": "?"}}

    assert collected(begin(0, **use()))[0].truncated
    assert collected(begin(0, **use()), broken, stop())[0].truncated


def test_results_stand_in_one_user_message(batch):
    """L4: text, pictures and documents as boto3 takes them; errors say so."""
    [made] = bedrock.results(
        batch(
            "noon",
            ("no clock", "tool_failed"),
            ImageContent(b"1", "image/png"),
            FileContent(b"2", "application/pdf", "Q3 report.v2_final.pdf"),
            FileContent(b"3", "application/pdf"),
            ImageContent(b"4", "image/tiff"),
            FileContent(b"a,b", "text/csv", "t.csv"),
        )
    )

    content = [block["toolResult"]["content"] for block in made["content"]]
    assert made["content"][0]["toolResult"] == {
        "toolUseId": "call_1",
        "content": [{"text": "noon"}],
    }
    assert made["content"][1]["toolResult"]["status"] == "error"
    assert content[2] == [{"image": {"format": "png", "source": {"bytes": b"1"}}}]
    assert content[3][0]["document"]["name"] == "Q3 report v2 final pdf"
    assert content[4][0]["document"]["name"] == "document"
    assert content[5][0]["text"].startswith("[image: image/tiff")
    assert content[6] == [{"text": "a,b"}]
    assert bedrock.results(batch()) == []


def test_tools_are_tool_specs(definition):
    """L1: no empty description; strict and the cache point where asked."""
    tools = [definition({"zone": {"type": "string"}}), ToolDefinition("bare")]

    plain = bedrock.tools(tools)
    more = bedrock.tools(tools, strict=True, cache=True)

    assert set(plain[0]["toolSpec"]) == {"name", "description", "inputSchema"}
    assert set(plain[1]["toolSpec"]) == {"name", "inputSchema"}
    assert more[0]["toolSpec"]["strict"] is True
    assert more[2] == {"cachePoint": {"type": "default"}}
    assert bedrock.tools([], cache=True) == []
    assert bedrock.losses(tools, strict=True) == []
