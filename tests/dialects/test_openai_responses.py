"""OpenAI's responses."""

import pytest

from pegboard import FileContent, ImageContent, TextContent
from pegboard.dialects import openai_responses
from pegboard.dialects.openai_responses import Collector


def item(call_id="c1", name="now", arguments="{}", **more):
    given = {"call_id": call_id, "name": name, "arguments": arguments}
    return {"type": "function_call", "id": f"fc_{call_id}", **given, **more}


def response(*output, status="completed", **more):
    return {"object": "response", "status": status, "output": list(output), **more}


def event(kind, **more):
    return {"type": f"response.{kind}", **more}


def collected(*events):
    collector = Collector()
    for one in events:
        collector.feed(one)
    return collector.calls()


def test_function_calls_are_found_and_nothing_else():
    """L1: built-in and custom tools run elsewhere or are the host's own."""
    answer = response(
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        item("a", arguments='{"zone": "x"}'),
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "custom_tool_call", "call_id": "b", "name": "sql", "input": "SELECT"},
        {"type": "mcp_call", "id": "m", "name": "now", "arguments": "{}"},
        {"type": "message", "content": [{"type": "output_text", "text": "now()"}]},
        item("c", name="forecast"),
    )

    calls = openai_responses.calls(answer)

    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("a", "now", '{"zone": "x"}'),
        ("c", "forecast", "{}"),
    ]


def test_the_output_alone_is_an_answer_too():
    """L1: `response.output` may be given instead of the response."""
    [call] = openai_responses.calls([{"type": "reasoning"}, item("a")])

    assert (call.id, call.truncated) == ("a", False)


def test_an_event_of_no_kind_says_nothing():
    """L1: what is neither an event, an answer nor an item is passed over."""
    assert openai_responses.calls([{}, {"id": "x"}]) == []


def test_a_call_without_call_id_goes_by_its_item_id():
    """B14: the id that is there is used."""
    call = item()
    del call["call_id"]

    assert openai_responses.calls(response(call))[0].id == "fc_c1"


@pytest.mark.parametrize("status", ["incomplete", "failed", "cancelled"])
def test_the_calls_of_an_incomplete_answer_are_marked(status):
    """B14: the status of the answer, or of one call in it, tells."""
    [by_answer] = openai_responses.calls(response(item(), status=status))
    [by_item] = openai_responses.calls(response(item(status=status)))

    assert by_answer.truncated
    assert by_item.truncated


def test_events_become_whole_calls_by_their_place():
    """L1: pieces belong to a place; item ids may change from event to event."""
    calls = collected(
        event("created", response={"status": "in_progress", "output": []}),
        event("output_item.added", output_index=0, item={"type": "reasoning"}),
        event("output_item.added", output_index=1, item=item("a", arguments="")),
        event("function_call_arguments.delta", output_index=1, delta='{"zone":'),
        event("function_call_arguments.delta", output_index=1, delta='"x"}'),
        event("function_call_arguments.delta", output_index=9, delta="lost"),
        event("completed", response=response()),
    )

    assert [(c.id, c.arguments, c.truncated) for c in calls] == [
        ("a", '{"zone":"x"}', False)
    ]


def test_the_finished_item_wins_over_its_pieces():
    """L1: what `output_item.done` says of the arguments holds."""
    [call] = collected(
        event("output_item.added", output_index=0, item=item("a", arguments="")),
        event("function_call_arguments.delta", output_index=0, delta='{"zo'),
        event("output_item.done", output_index=0, item=item("a", arguments='{"z": 1}')),
        event("completed", response=response()),
    )

    assert call.arguments == '{"z": 1}'


def test_a_stream_of_only_the_final_event_is_read():
    """L1: a server that sends no pieces says all at the end."""
    [call] = collected(event("completed", response=response(item("a"))))

    assert (call.id, call.truncated) == ("a", False)


@pytest.mark.parametrize(
    "end",
    [
        event("incomplete", response=response(item("a"), status="incomplete")),
        event("failed", response=response(status="failed")),
        {"type": "error", "message": "?"},
        event("in_progress"),
    ],
)
def test_a_stream_without_a_good_end_marks_its_calls(end):
    """B14: incomplete, failed, an error, or no end at all."""
    done = event("output_item.done", output_index=0, item=item("a"))

    [call] = collected(done, end)

    assert call.truncated


def test_a_second_answer_replaces_one_that_broke_off():
    """L1: of a stream that a proxy began again, only whole answers count."""
    done = event("output_item.done", output_index=0, item=item("first"))
    again = event("output_item.done", output_index=0, item=item("second"))
    begin = event("created", response={})
    end = event("completed", response=response())

    broken = collected(begin, done, begin, again, end)
    both = collected(begin, done, end, begin, again, end)

    assert [call.id for call in broken] == ["second"]
    assert [call.id for call in both] == ["first", "second"]


def test_results_carry_images_and_files(batch):
    """L4: text as text; with a picture or a PDF a list of parts."""
    made = openai_responses.results(
        batch(
            "noon",
            [TextContent("see"), ImageContent(b"1", "image/png")],
            FileContent(b"2", "application/pdf"),
            ImageContent(b"<svg/>", "image/svg+xml"),
        )
    )

    assert made[0] == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "noon",
    }
    assert made[1]["output"] == [
        {"type": "input_text", "text": "see"},
        {
            "type": "input_image",
            "image_url": "data:image/png;base64,MQ==",
            "detail": "auto",
        },
    ]
    assert made[2]["output"] == [
        {
            "type": "input_file",
            "filename": "file.pdf",
            "file_data": "data:application/pdf;base64,Mg==",
        }
    ]
    assert made[3]["output"].startswith("[image: image/svg+xml, 6 bytes")


def test_tools_say_whether_they_are_strict(definition):
    """L1: left out, `strict` would mean true; a schema that cannot be says false."""
    closed = definition({"zone": {"type": "string"}})
    free = definition({"labels": {"type": "object"}})

    plain = openai_responses.tools([closed])
    strict = openai_responses.tools([closed, free], strict=True)

    assert [tool["strict"] for tool in plain] == [False]
    assert [tool["strict"] for tool in strict] == [True, False]
    assert set(strict[0]) == {"type", "name", "description", "parameters", "strict"}
    [loss] = openai_responses.losses([closed, free], strict=True)
    assert (loss.kind, loss.path) == ("refused", ("properties", "labels"))
