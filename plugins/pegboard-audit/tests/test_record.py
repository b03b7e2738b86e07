import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard import Approve, Repair, ToolCall, ToolDefinition, ToolResult
from pegboard.calls import prepare_call
from pegboard.events import ToolEnd
from pegboard_audit import AuditSettings
from pegboard_audit.journal import Journal
from pegboard_audit.record import Recorder

READ = ToolDefinition(
    "read",
    input_schema={
        "type": "object",
        "properties": {"path": {"type": "string"}, "pin": {"writeOnly": True}},
    },
    id="files:read",
    version="1.2.0",
)


def record(event, **settings):
    return Recorder(AuditSettings(**settings)).record(event)


def test_a_record_says_who_called_what_and_what_became_of_it(end):
    """A record holds identity, pack, version, status and times."""
    result = ToolResult(
        "the text", data={"a": 1}, started=1_800_000_000.5, duration=0.12345678
    )
    made = record(end({"path": "a"}, result, tool=READ))

    digest = made.pop("arguments_sha256")
    assert digest == hashlib.sha256(b'{"path":"a"}').hexdigest()
    assert made == {
        "call": "call_1",
        "key": "",
        "name": "read",
        "tool": "files:read",
        "pack": "files",
        "version": "1.2.0",
        "repairs": [],
        "status": "success",
        "code": None,
        "executed": "yes",
        "by": None,
        "started": "2027-01-15T08:00:00.500000+00:00",
        "duration": 0.123457,
    }


def test_the_content_of_a_result_is_never_written(end):
    """Neither text, data, details nor the error's message is in a record."""
    result = ToolResult(
        "SECRET",
        data="SECRET",
        details="SECRET",
        code="tool_failed",
        error=ValueError("SECRET"),
    )
    made = record(end({}, result, tool=READ), arguments="redacted")

    assert "SECRET" not in repr(made)
    assert (made["status"], made["code"]) == ("error", "tool_failed")


def test_equal_arguments_have_one_hash(end):
    """The hash is of the value, not of how the model wrote it."""
    one = record(end({"b": [1, "é"], "a": None}))["arguments_sha256"]
    other = record(end('{"a":null,  "b":[1,"\\u00e9"]}'))["arguments_sha256"]
    different = record(end({"b": [1, "e"], "a": None}))["arguments_sha256"]

    assert one == other
    assert one != different


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ('{"path": ', hashlib.sha256(b'{"path": ').hexdigest()),
        (b"\xff", hashlib.sha256(b"\xff").hexdigest()),
        ("\ud800", hashlib.sha256(b"\xed\xa0\x80").hexdigest()),
        ({"a": 1}, hashlib.sha256(b'{"a":1}').hexdigest()),
        ({"a": object()}, None),
        ({(): 1}, None),
        ("", None),
        (None, None),
    ],
)
def test_arguments_that_were_not_understood_are_hashed_as_they_came(
    end, sent, expected
):
    """Text that is no JSON has a hash too; what has none is null."""
    made = record(end(sent=ToolCall("read", sent, id="1")))

    assert made["arguments_sha256"] == expected


def test_redacted_arguments_keep_what_is_not_secret(end):
    """Values of secret keys and of writeOnly properties are not written."""
    made = record(
        end({"path": "a", "pin": "1", "x": {"apiKey": "2"}}, tool=READ),
        arguments="redacted",
    )

    assert made["arguments"] == {"path": "a", "pin": "***", "x": {"apiKey": "***"}}
    assert "arguments_sha256" not in made  # a hash of a PIN is as good as the PIN


def test_redacted_text_that_was_not_understood_is_not_written(end):
    """Nobody can say what is secret in a text that is no JSON."""
    sent = ToolCall("read", '{"pin": "1234"', id="1")
    made = record(end(sent=sent, tool=READ), arguments="redacted")

    assert made["arguments"] is None
    assert "1234" not in repr(made)


def test_arguments_can_be_left_out(end):
    """With `none` nothing is written of the arguments."""
    made = record(end({"path": "a"}), arguments="none")

    assert not [key for key in made if key.startswith("arguments")]


REPAIRS = [
    Repair((), "fence", '```{"pin": "1234"}```', None),
    Repair(("count",), "integer", "3", 3),
    Repair(("pin",), "text", 1234, "1234"),
    Repair(("config",), "json_text", '{"token": "1234"}', {"token": "1234", "a": 1}),
    Repair(("auth_tokens", 0), "text", 1234, "1234"),
]


def test_repairs_are_named_without_their_values(end):
    """A record has place and rule of each repair."""
    made = record(end({}, ToolResult("done", repairs=REPAIRS), tool=READ))

    assert made["repairs"] == [
        {"path": [], "rule": "fence"},
        {"path": ["count"], "rule": "integer"},
        {"path": ["pin"], "rule": "text"},
        {"path": ["config"], "rule": "json_text"},
        {"path": ["auth_tokens", 0], "rule": "text"},
    ]


def test_redacted_repairs_show_no_secret(end):
    """Values of repairs are redacted like the arguments that they are part of."""
    event = end({}, ToolResult("done", repairs=REPAIRS), tool=READ)
    made = record(event, arguments="redacted")

    assert made["repairs"] == [
        {"path": [], "rule": "fence"},
        {"path": ["count"], "rule": "integer", "before": "3", "after": 3},
        {"path": ["pin"], "rule": "text", "before": "***", "after": "***"},
        {"path": ["config"], "rule": "json_text", "after": {"token": "***", "a": 1}},
        {
            "path": ["auth_tokens", 0],
            "rule": "text",
            "before": "***",
            "after": "***",
        },
    ]


def test_only_chosen_metadata_is_written(end):
    """Of the host's metadata the settings choose the keys, and secrets stay hidden."""
    metadata = {"user": {"id": 7, "token": "1234"}, "session": "s", "tenant": None}
    made = record(end({}, metadata=metadata), metadata=["user", "tenant", "team"])

    assert made["metadata"] == {"user": {"id": 7, "token": "***"}, "tenant": None}
    assert "metadata" not in record(end({}, metadata=metadata))


def test_an_approved_call_says_so(end):
    """A call that a person let through is marked."""
    assert record(end({}, approval=Approve()))["approved"] is True


def test_what_a_model_chooses_is_bounded(end):
    """A name, an id or a key of a megabyte does not fill the disk."""
    sent = ToolCall("n" * 1_000_000, "{}", id="i" * 1_000_000)
    repair = Repair(("k" * 1_000_000,), "integer", "1", 1)
    made = record(end(None, ToolResult("", repairs=[repair]), sent=sent))

    assert len(json.dumps(made)) < 2_000
    assert made["name"] == "n" * 256 + "..."


@settings(deadline=None, max_examples=50)
@given(
    st.recursive(
        st.just("hunter2") | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
        ),
    ),
    st.sampled_from(["hash", "redacted", "none"]),
)
def test_no_secret_reaches_the_file(tmp_path_factory, value, mode):
    """The file never holds the value of a secret key, whatever the settings."""
    path = tmp_path_factory.mktemp("log") / "audit.jsonl"
    arguments = {"access_token": value, "pin": value, "path": "a"}
    call = prepare_call(
        ToolCall("read", json.dumps(arguments), id="1"),
        0,
        READ,
        arguments,
        metadata={"user": {"session_secret": value}},
    )
    repairs = [Repair((key,), "rule", value, value) for key in ("access_token", "pin")]
    event = ToolEnd(call, ToolResult("hunter2", repairs=repairs))
    settings = AuditSettings(path=path, arguments=mode, metadata=["user"])
    Journal(path).append(Recorder(settings).record(event))

    assert b"hunter2" not in path.read_bytes()
