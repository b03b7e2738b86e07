"""Arguments as users reported them, and as models really sent them."""

import json
import time
from collections import Counter
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from pegboard._arguments import ArgumentSchema, SchemaError, read_arguments
from pegboard.errors import InvalidArguments

FUZZ = Path(__file__).parents[1] / "fuzz"
recordings = run_path(str(FUZZ / "recordings.py"))
same = run_path(str(FUZZ / "mutations.py"))["same"]

# Calls that their schema refuses and that we make to fit: (tool, path, rule, before,
# after). Each was looked at.
MENDED_CALLS = [
    ("valorant-leaderboard", ("region",), "enum_member", "na", "NA"),
    (
        "apply_professional_design",
        ("content",),
        "lone_element",
        "A comprehensive overview of Apple's newest products and innovations",
        ["A comprehensive overview of Apple's newest products and innovations"],
    ),
]


def accept(schema: Any, sent: Any, *, strict: bool = False) -> tuple[Any, Any]:
    compiled = ArgumentSchema(schema)
    value, _, repairs = read_arguments(sent, strict=strict)
    if compiled.is_valid(value):
        return value, repairs
    fitted, more = compiled.fit(value, strict=strict)
    return fitted, repairs + more


def exactly(one: Any, other: Any) -> bool:
    """Compare with types: True is not 1, and 3 is 3.0 only among numbers."""
    if isinstance(one, float) != isinstance(other, float):
        return False
    return bool(same(one, other))


def test_every_reported_case_has_its_outcome(shared: Path) -> None:
    """A1-A9: all reported cases end as ruled, in time, types compared exactly."""
    cases = json.loads((shared / "cases/wild-cases.json").read_text(encoding="utf-8"))
    wrong = []
    for case in cases:
        expect, start = case["expect"], time.perf_counter()
        try:
            value, _ = accept(case["schema"], case["raw_arguments"])
        except (InvalidArguments, SchemaError) as error:
            text = str(error).casefold()
            right = expect["status"] == "error" and all(
                word.casefold() in text for word in expect["mentions"]
            )
        else:
            right = expect["status"] == "ok" and exactly(value, expect["arguments"])
        if not right or time.perf_counter() - start > case.get("time_limit_s", 10):
            wrong.append(case["id"])

    assert len(cases) == 90
    assert wrong == []


def test_strict_decides_as_the_schema_does(shared: Path) -> None:
    """A5: in strict mode each recorded call gets the verdict of its schema."""
    wrong, verdicts = [], Counter[str]()
    for call, schema in recordings["calls"](shared):
        verdicts[call["schema_verdict"]] += 1
        try:
            value, repairs = accept(schema, json.dumps(call["arguments"]), strict=True)
            verdict = "valid"
        except InvalidArguments:
            verdict = "invalid"
        else:
            assert exactly(value, call["arguments"])
            assert repairs == ()
        if verdict != call["schema_verdict"]:
            wrong.append((call["server"], call["tool"], verdict))

    assert verdicts == {"valid": 350, "invalid": 32}
    assert wrong == []


def test_the_recorded_calls_that_are_mended(shared: Path) -> None:
    """A5: valid calls pass untouched; of the invalid ones two have one reading."""
    mended, refused = [], []
    for call, schema in recordings["calls"](shared):
        try:
            value, repairs = accept(schema, json.dumps(call["arguments"]))
        except InvalidArguments as error:
            refused.append((call["schema_verdict"], len(error.problems) > 0))
            continue
        if call["schema_verdict"] == "valid":
            assert exactly(value, call["arguments"])
        mended += [
            (call["tool"], each.path, each.rule, each.before, each.after)
            for each in repairs
        ]

    assert refused == [("invalid", True)] * 30
    assert mended == MENDED_CALLS


@pytest.mark.parametrize(
    ("file", "outcomes"),
    [
        (
            "json_repair_inputs.jsonl",
            {"as it is": 76, "repaired": 20, "malformed_arguments": 190,
             "truncated_arguments": 46},
        ),
        (
            "model_text_tool_calls.jsonl",
            {"as it is": 5, "malformed_arguments": 225, "truncated_arguments": 3},
        ),
        ("model_emitted.jsonl", {"as it is": 26, "malformed_arguments": 1}),
    ],
)  # fmt: skip
def test_malformed_text_has_an_outcome(
    shared: Path, file: str, outcomes: dict[str, int]
) -> None:
    """A2, A3: no damaged text raises anything but its one clear error."""
    counts = Counter[str]()
    for row in recordings["read_lines"](shared / "data/malformed" / file):
        if not isinstance(row["raw"], str):
            continue
        try:
            value, text, repairs = read_arguments(row["raw"])
        except InvalidArguments as error:
            counts[error.code] += 1
            continue
        counts["repaired" if repairs else "as it is"] += 1
        assert exactly(json.loads(text or "null"), value)
        if not repairs and row["raw"].strip():
            assert exactly(json.loads(row["raw"]) or {}, value)

    assert counts == outcomes


def test_what_models_sent_against_the_schema_is_refused_or_unwrapped(
    shared: Path,
) -> None:
    """A5: of the calls that violate their schema only an empty envelope is opened."""
    mended = []
    for row in recordings["read_lines"](shared / "data/malformed/model_emitted.jsonl"):
        if "inputSchema" not in row:
            continue
        try:
            _, repairs = accept(row["inputSchema"], row["raw"])
        except InvalidArguments:
            continue
        mended.append((row["raw"], [each.rule for each in repairs]))

    assert mended == [('{"parameters": {}}', ["unwrapped"])]


def test_recorded_arguments_are_read_or_refused(shared: Path) -> None:
    """A2: whatever stands where arguments stand, whole or a piece, has an outcome."""
    counts: dict[str, Counter[str]] = {}
    for source, texts in recordings["argument_texts"](shared).items():
        counts[source] = Counter()
        for text in texts:
            try:
                value, _, repairs = read_arguments(text)
            except InvalidArguments as error:
                counts[source][error.code] += 1
            else:
                counts[source]["repaired" if repairs else "as it is"] += 1
                assert exactly(json.loads(text.strip() or "{}") or {}, value)
    whole = {name: each for name, each in counts.items() if name != "provider traffic"}

    # Streams come in pieces, and few pieces are an object by themselves.
    assert counts["provider traffic"]["as it is"] > 300
    assert counts["provider traffic"]["repaired"] == 0
    assert {code for each in whole.values() for code in each} == {"as it is"}


def test_no_front_part_of_recorded_arguments_is_accepted(shared: Path) -> None:
    """A3: valid texts, cut at every byte (long ones at a sample), are all refused."""
    accepted, cuts = [], 0
    for texts in recordings["argument_texts"](shared).values():
        for text in texts[::8]:
            end = len(text.rstrip())
            try:
                read_arguments(text)
            except InvalidArguments:
                continue
            for at in range(1, end, 1 + end // 60):
                cuts += 1
                try:
                    read_arguments(text[:at])
                except InvalidArguments:
                    continue
                accepted.append(text[:at])

    assert cuts > 15_000
    assert [text for text in accepted if text.strip()] == []
