"""The chat completions of OpenAI and of the many that speak the same."""

import pytest

from pegboard import ImageContent, TextContent, UsageError
from pegboard.dialects import openai_chat
from pegboard.dialects.openai_chat import Collector


def response(*calls, reason="tool_calls", **message):
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": list(calls),
    } | message
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {"object": "chat.completion", "choices": [choice]}


def function(name="now", arguments="{}", id="c1", **more):
    given = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": given, **more}


def chunk(*pieces, reason=None, choice=0):
    delta = {"tool_calls": list(pieces)} if pieces else {}
    choices = [{"index": choice, "delta": delta, "finish_reason": reason}]
    return {"object": "chat.completion.chunk", "choices": choices}


def collected(*chunks):
    collector = Collector()
    for item in chunks:
        collector.feed(item)
    return collector.calls()


def read(calls):
    return [(call.id, call.name, call.arguments) for call in calls]


def test_each_call_of_an_answer_is_found_with_text_beside_it():
    """L1: several calls in their order, whatever the model said besides."""
    answer = response(
        function(id="a", arguments='{"zone": "x"}'),
        function(id="b", name="forecast"),
        content='I will call now({"zone": "y"}).',
        reasoning_content="hm",
    )

    calls = openai_chat.calls(answer)

    assert read(calls) == [("a", "now", '{"zone": "x"}'), ("b", "forecast", "{}")]


def test_text_that_looks_like_a_call_is_none():
    """L1: only `tool_calls` calls; prose, refusals and old `function_call` do not."""
    text = '{"name": "now", "arguments": {}}'

    assert openai_chat.calls(response(content=text, tool_calls=None)) == []
    assert openai_chat.calls(response(content=None, refusal="No.")) == []
    assert (
        openai_chat.calls(response(function_call={"name": "", "arguments": ""})) == []
    )
    assert openai_chat.calls({"error": {"failed_generation": text}}) == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ({"a": 1}, {"a": 1}),
        (None, None),
        ("", ""),
        ('{"a": ', '{"a": '),
        ([1], "[1]"),
        (3, "3"),
    ],
)
def test_arguments_are_kept_as_sent(given, expected):
    """L1: text, object or nothing; what no call may carry becomes its JSON text."""
    [call] = openai_chat.calls(response(function(arguments=given)))

    assert call.arguments == expected


def test_a_call_without_id_or_name_is_still_a_call():
    """B14: every call needs its answer, so none is dropped; equal ids stay apart."""
    answer = response(
        {"function": {"arguments": "{}"}},
        function(id=None),
        function(id="c1", arguments="1"),
        function(id="c1", arguments="2"),
    )

    assert read(openai_chat.calls(answer)) == [
        ("", "", "{}"),
        ("", "now", "{}"),
        ("c1", "now", "1"),
        ("c1", "now", "2"),
    ]


def test_calls_of_custom_tools_are_left_alone():
    """L1: a custom tool was declared by the host, who answers it."""
    custom = {"id": "x", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}
    empty = {"custom": {"name": "", "input": ""}}

    calls = openai_chat.calls(response(custom, function(**empty)))

    assert read(calls) == [("c1", "now", "{}")]


@pytest.mark.parametrize(
    "reason", ["length", "content_filter", "MAX_TOKENS", "model_length", "error"]
)
def test_the_calls_of_a_cut_off_answer_are_marked(reason):
    """B14: an answer that hit a limit marks all its calls truncated."""
    calls = openai_chat.calls(response(function(), function(id="c2"), reason=reason))

    assert [call.truncated for call in calls] == [True, True]


@pytest.mark.parametrize("reason", ["tool_calls", "stop", "", None, "eos"])
def test_the_calls_of_a_whole_answer_are_not_marked(reason):
    """B14: a whole answer is whole, whatever word a provider ends it with."""
    [call] = openai_chat.calls(response(function(), reason=reason))

    assert not call.truncated


def test_only_one_of_several_choices_is_read():
    """L1: choices are alternatives; the first one that calls is taken."""
    text = {"index": 0, "message": {"content": "hello"}, "finish_reason": "stop"}
    one = response(function(id="a"))["choices"][0] | {"index": 1}
    other = response(function(id="b"))["choices"][0] | {"index": 2}

    assert [c.id for c in openai_chat.calls({"choices": [text, one, other]})] == ["a"]


def test_pieces_of_a_stream_become_whole_calls():
    """L1: two calls, interleaved by their numbers, end as two whole calls."""
    calls = collected(
        chunk(function(id="a", arguments="", index=0)),
        chunk({"index": 0, "function": {"arguments": '{"zone":'}}),
        chunk(function(id="b", name="forecast", arguments="", index=1)),
        chunk({"index": 0, "function": {"arguments": '"x"}'}}),
        chunk({"index": 1, "function": {"arguments": "{}"}}),
        chunk(reason="tool_calls"),
    )

    assert read(calls) == [("a", "now", '{"zone":"x"}'), ("b", "forecast", "{}")]
    assert not any(call.truncated for call in calls)


def test_a_name_may_come_in_pieces_again_or_empty():
    """L1: names sent in pieces, repeated, or empty in later pieces (Mistral's)."""
    pieces = [function("fore", "", "a", index=0), function("cast", "{", "a", index=0)]
    calls = collected(
        chunk(pieces[0]),
        chunk(pieces[1]),
        chunk({"index": 0, "function": {"name": "", "arguments": "}"}}),
        chunk({"index": 0, "function": {"name": "forecast", "arguments": ""}}),
        chunk(reason="tool_calls"),
    )

    assert read(calls) == [("a", "forecast", "{}")]


def test_calls_without_numbers_are_told_apart_by_their_ids():
    """L1: some number no call, some give 0 to each: a name with a new id begins one."""
    unnumbered = collected(
        chunk(function(id="a"), function(id="b")), chunk(reason="tool_calls")
    )
    all_zero = collected(
        chunk(function(id="a", index=0)),
        chunk(function(id="b", index=0)),
        chunk(reason="tool_calls"),
    )
    nameless = collected(
        chunk(function(id=None)), chunk(function(id=None)), chunk(reason="tool_calls")
    )

    assert [call.id for call in unnumbered] == ["a", "b"]
    assert [call.id for call in all_zero] == ["a", "b"]
    assert read(nameless) == [("", "now", "{}")] * 2


def test_a_message_in_a_stream_counts_once():
    """L1: Writer sends each piece twice, as delta and as message."""
    piece = chunk(function(id="a", index=0))
    choice = piece["choices"][0]
    choice["message"] = choice["delta"]

    assert [c.id for c in collected(piece, chunk(reason="stop"))] == ["a"]


def test_a_stream_that_breaks_off_marks_its_calls():
    """B14: without an end, after an error, or cut off: nothing of it would run."""
    start = chunk(function(id="a", index=0))

    [broken] = collected(start)
    [failed] = collected(start, {"error": {"message": "?"}}, chunk(reason="stop"))
    [cut] = collected(start, chunk(reason="length"))
    [whole] = collected(start, "data: [DONE]")

    assert (broken.truncated, failed.truncated, cut.truncated) == (True, True, True)
    assert not whole.truncated


def test_partial_calls_are_for_display_only():
    """L1: while it streams, arguments show as far as they go, and would not run."""
    collector = Collector()
    collector.feed(chunk(function(id="a", arguments='{"zone": "Eur', index=0)))
    [early] = collector.partial()
    collector.feed(chunk(function(id="b", arguments={"whole": 1}, index=1)))
    collector.feed(chunk(function(id="c", arguments="[1", index=2)))
    collector.feed(chunk(function(id="d", arguments="zone:", index=3)))

    assert (early.arguments, early.truncated) == ({"zone": "Eur"}, True)
    assert [call.arguments for call in collector.partial()[1:]] == [
        {"whole": 1},
        "[1",
        "zone:",
    ]


def test_chunks_come_as_lines_of_an_event_stream():
    """L1: whole lines, bytes or text; comments and event names say nothing."""
    lines = [
        ": OPENROUTER PROCESSING",
        "event: message",
        'data: {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a",',
    ]
    text = (
        'data: {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", '
        '"function": {"name": "now", "arguments": "{}"}}]}}]}\r\n\r\ndata: [DONE]\n\n'
    )

    [call] = collected(lines[0], lines[1], "", None, text.encode())

    assert (call.id, call.truncated) == ("a", False)
    assert openai_chat.calls([lines[0], text, None]) == [call]
    with pytest.raises(UsageError, match=r"no JSON.*feed whole lines"):
        collected(lines[2])


def test_what_is_no_answer_is_refused_with_a_way_out():
    """V9: a text or a number is no answer; the message says what is."""
    with pytest.raises(UsageError, match=r"not 'str'; parse a text with json\.loads"):
        openai_chat.calls("{}")


def test_each_result_is_a_message_of_text(batch):
    """L4: one message a call; an image is named, since only text is taken."""
    made = openai_chat.results(
        batch("noon", ("no clock", "tool_failed"), ImageContent(b"12", "image/png"))
    )

    assert made == [
        {"role": "tool", "tool_call_id": "call_1", "content": "noon"},
        {"role": "tool", "tool_call_id": "call_2", "content": "no clock"},
        {
            "role": "tool",
            "tool_call_id": "call_3",
            "content": "[image: image/png, 2 bytes; not shown, "
            "only text is taken here]",
        },
    ]


def test_several_texts_are_lines_of_one_message(batch):
    """L4: the text blocks of a result are joined by line breaks."""
    [made] = openai_chat.results(batch([TextContent("a"), TextContent("b")]))

    assert made["content"] == "a\nb"
