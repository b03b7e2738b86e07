"""Google's Gemini API and its interactions."""

import pytest

from pegboard import FileContent, ImageContent, TextContent, ToolCall, ToolResult
from pegboard.calls import MADE_ID
from pegboard.dialects import gemini, gemini_interactions


def answer(*parts, reason="STOP"):
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"content": content, "finishReason": reason}]}


def call(name="now", args=None, **more):
    return {"functionCall": {"name": name, "args": args or {}, **more}}


def collected(dialect, *chunks):
    collector = dialect.Collector()
    for chunk in chunks:
        collector.feed(chunk)
    return collector.calls()


def piece(path=None, more=True, **value):
    given = {"jsonPath": path, **value}
    return {"functionCall": {"partialArgs": [given], "willContinue": more}}


BEGIN = {"functionCall": {"name": "now", "willContinue": True}}
END = {"functionCall": {}}


def test_function_calls_are_found_with_and_without_ids():
    """B14: an id that the provider did not give stays empty."""
    calls = gemini.calls(
        answer(
            {"text": "I call now().", "thought": True},
            {**call(args={"zone": "x"}), "thoughtSignature": "sig"},
            {"executableCode": {"code": "now()"}},
            call("forecast", id="abc"),
            call(args=None),
        )
    )

    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("", "now", {"zone": "x"}),
        ("abc", "forecast", {}),
        ("", "now", {}),
    ]


def test_snake_case_is_read_as_well():
    """L1: the SDK's own spelling of a payload is read like the wire's."""
    content = {"parts": [{"function_call": {"name": "now", "args": {}}}]}

    calls = gemini.calls(
        {"candidates": [{"content": content, "finish_reason": "STOP"}]}
    )

    assert [(c.name, c.truncated) for c in calls] == [("now", False)]


def test_only_the_first_candidate_is_read():
    """L1: candidates are alternatives."""
    two = {
        "candidates": [*answer(call("a"))["candidates"], *answer(call())["candidates"]]
    }

    assert [c.name for c in gemini.calls(two)] == ["a"]


@pytest.mark.parametrize(
    "reason",
    [
        "MAX_TOKENS",
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MALFORMED_RESPONSE",
        "SAFETY",
    ],
)
def test_any_end_but_stop_marks_the_calls(reason):
    """B14: whatever else ended the answer, its calls are not to be trusted."""
    [marked] = gemini.calls(answer(call(), reason=reason))

    assert marked.truncated


def test_an_answer_without_calls_or_candidates_has_none():
    """L1: a blocked prompt, an error and a text make no call."""
    assert gemini.calls({"promptFeedback": {"blockReason": "SAFETY"}}) == []
    assert gemini.calls({"error": {"code": 400}}) == []
    assert gemini.calls(answer({"text": "now()"})) == []
    assert (
        gemini.calls({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]})
        == []
    )


def test_arguments_in_pieces_are_put_together():
    """L1: texts continue at their path; objects and lists grow on the way."""
    calls = collected(
        gemini,
        answer(BEGIN, reason=None),
        answer(piece("$.zone", stringValue="Eur", willContinue=True), reason=None),
        answer(piece("$.zone", stringValue="ope"), reason=None),
        answer(piece("$.days[0].at", numberValue=3), reason=None),
        answer(piece("$.days[1]", boolValue=False), reason=None),
        answer(piece("$['a b']['it\\'s']", nullValue=None), reason=None),
        answer(END, reason=None),
        answer(call("forecast")),
    )

    assert [(c.name, c.arguments, c.truncated) for c in calls] == [
        (
            "now",
            {"zone": "Europe", "days": [{"at": 3}, False], "a b": {"it's": None}},
            False,
        ),
        ("forecast", {}, False),
    ]


def test_the_last_piece_may_lack():
    """L1: some streams stop without the empty piece that ends a call."""
    [found] = collected(
        gemini,
        answer(BEGIN, reason=None),
        answer(piece("$.zone", stringValue="x")),
    )

    assert (found.arguments, found.truncated) == ({"zone": "x"}, False)


@pytest.mark.parametrize(
    "path", ["zone", "$", "$.a..b", "$[0]", "$.zone.inner[0].x", "$.days[99999]", None]
)
def test_a_piece_for_no_place_marks_the_call(path):
    """B14: arguments that cannot be put together are not run."""
    [found] = collected(
        gemini,
        answer(BEGIN, reason=None),
        answer(piece("$.days[0]", stringValue="x"), reason=None),
        answer(piece("$.zone[0]", stringValue="x"), reason=None),
        answer(piece(path, stringValue="x")),
    )

    if path == "$.zone.inner[0].x":
        assert found.arguments["zone"] == ["x"]
    assert found.truncated


def test_a_stream_without_end_marks_its_calls():
    """B14: without a finish reason the stream broke off."""
    [broken] = collected(gemini, answer(call(), reason=None))
    [failed] = collected(gemini, answer(call(), reason=None), {"error": {"code": 1}})

    assert broken.truncated
    assert failed.truncated


def test_results_are_one_content_of_function_responses(batch):
    """L4: a text under output or error; pictures and PDFs beside it."""
    [made] = gemini.results(
        batch(
            '{"$ref": "#/$defs/X", "$defs": {}}',
            ("no clock", "tool_failed"),
            [TextContent("see"), ImageContent(b"1", "image/png")],
            FileContent(b"2", "application/pdf"),
            ImageContent(b"3", "image/tiff"),
        )
    )

    parts = [part["functionResponse"] for part in made["parts"]]
    assert made["role"] == "user"
    assert parts[0] == {
        "id": "call_1",
        "name": "now",
        "response": {"output": '{"$ref": "#/$defs/X", "$defs": {}}'},
    }
    assert parts[1]["response"] == {"error": "no clock"}
    assert parts[2]["response"] == {"output": "see"}
    assert parts[2]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": "MQ=="}}
    ]
    assert parts[3]["response"] == {"output": ""}
    assert parts[4]["response"]["output"].startswith("[image: image/tiff")
    assert gemini.results(batch()) == []


def test_an_id_that_was_made_up_is_not_sent():
    """B14: a call without id is answered without id, by name and order."""
    made_up = ToolCall("now", id=f"{MADE_ID}1")

    [made] = gemini.results([ToolResult("noon", call=made_up)])

    assert made["parts"] == [
        {"functionResponse": {"name": "now", "response": {"output": "noon"}}}
    ]


def test_all_declarations_stand_in_one_tool(definition):
    """L1: JSON Schema by default, the older subset where asked, nothing for none."""
    bare, zoned = definition({}), definition({"zone": {"type": "string"}})

    [new] = gemini.tools([bare, zoned])
    [old] = gemini.tools([bare, zoned], openapi=True)

    assert [set(one) for one in new["functionDeclarations"]] == [
        {"name", "description", "parametersJsonSchema"}
    ] * 2
    assert [set(one) for one in old["functionDeclarations"]] == [
        {"name", "description"},
        {"name", "description", "parameters"},
    ]
    assert gemini.tools([]) == []


def step(kind, **more):
    return {"event_type": f"step.{kind}", "index": 1, **more}


FUNCTION = {"type": "function_call", "id": "a", "name": "now", "arguments": {}}


def test_calls_of_an_interaction_are_found():
    """L1: the steps of an interaction, or the events that build them."""
    whole = {"status": "requires_action", "steps": [{"type": "thought"}, FUNCTION]}
    delta = {"type": "arguments_delta", "arguments": '{"zone":'}
    end = {
        "event_type": "interaction.completed",
        "interaction": {"status": "completed"},
    }
    streamed = collected(
        gemini_interactions,
        {"event_type": "interaction.created", "interaction": {"status": "in_progress"}},
        step("start", step=FUNCTION),
        step("delta", delta=delta),
        step("delta", delta={"arguments": '"x"}'}),
        step("delta", delta={"signature": "s"}),
        step("stop"),
        end,
    )

    [found] = gemini_interactions.calls(whole)
    assert (found.id, found.arguments, found.truncated) == ("a", {}, False)
    assert [(c.arguments, c.truncated) for c in streamed] == [('{"zone":"x"}', False)]


def test_calls_of_a_broken_interaction_are_marked():
    """B14: incomplete, failed, or without an end."""
    incomplete = {"status": "incomplete", "steps": [FUNCTION]}
    begun = step("start", step=FUNCTION)

    assert gemini_interactions.calls(incomplete)[0].truncated
    assert collected(gemini_interactions, begun)[0].truncated
    assert collected(gemini_interactions, begun, {"event_type": "error"})[0].truncated


def test_results_of_an_interaction_are_function_results(batch, definition):
    """L4: one a call, errors flagged, pictures as such."""
    made = gemini_interactions.results(
        batch(
            "noon",
            ("no clock", "tool_failed"),
            [TextContent("see"), ImageContent(b"1", "image/png")],
        )
    )

    assert made[0] == {
        "type": "function_result",
        "call_id": "call_1",
        "name": "now",
        "result": "noon",
    }
    assert made[1]["is_error"] is True
    assert made[2]["result"] == [
        {"type": "text", "text": "see"},
        {"type": "image", "mime_type": "image/png", "data": "MQ=="},
    ]
    [tool] = gemini_interactions.tools([definition({})])
    assert tool["parameters"] == {"type": "object", "properties": {}}
    assert gemini_interactions.losses([definition({})]) == []
