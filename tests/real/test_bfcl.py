"""All of the Berkeley function-calling data, dry, through a board."""

import json
import re
from collections import Counter

import pytest

from pegboard import Pegboard, Tool, ToolCall

from .bfcl import read

#: Why an expected answer does not fit the definition beside it: the data's faults.
FAULTS = {
    "a value outside the enum": r"expected one of .*, got (string|integer|number)",
    "an enum of texts where the answer is a boolean": r"one of .*, got boolean",
    "an enum on a list, whose elements it means": r"one of .*, got an (empty )?array",
    "a required parameter that the answer leaves out": r"required, but missing",
    "a name or expression of program text": r"(object|array|integer).*got string",
    "a boolean for a text": r"expected string, got boolean",
}


@pytest.fixture(scope="module")
def outcomes(shared):
    """Each expected call's result, with the board's own problems."""
    results, problems = [], []
    for identity, definitions, calls in read(shared / "data" / "bfcl"):
        tools = {
            item["name"]: Tool.from_schema(
                item["name"], item["description"], item["parameters"], None
            )
            for item in definitions
        }
        with Pegboard(list(tools.values())) as board:
            sent = [ToolCall(name, json.dumps(given)) for name, given in calls]
            batch = board.run_sync(sent, dry_run=True)
            problems += board.problems
        results += [
            (identity, given, result)
            for (_, given), result in zip(calls, batch, strict=True)
        ]
    return results, problems


def test_every_expected_call_is_accepted_or_the_data_is_at_fault(outcomes, capsys):
    """A5, A7, B15: 3,302 calls; each refusal is explained by a fault of the data."""
    results, problems = outcomes
    refused = [item for item in results if item[2].code != "dry_run"]
    faults = Counter()
    for identity, _, result in refused:
        assert result.code == "invalid_arguments", (identity, result)
        for line in result.error.problems:
            named = [why for why, like in FAULTS.items() if re.search(like, line)]
            assert named, (identity, line)
            faults[named[0]] += 1
    with capsys.disabled():
        accepted = len(results) - len(refused)
        print(f"\nBFCL: {accepted} accepted, {len(refused)} refused: {dict(faults)}")

    assert problems == []
    assert len(results) == 3302
    assert len(refused) == 89


def test_accepted_calls_keep_what_was_sent(outcomes):
    """A5: what is shown of an accepted call is what was sent, but for its repairs."""
    for identity, given, result in outcomes[0]:
        if result.code == "dry_run" and not result.repairs:
            assert result.data["arguments"] == given, identity
