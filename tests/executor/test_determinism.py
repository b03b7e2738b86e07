"""The order of hooks, starts and ends is a function of the batch alone (B4)."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .acting import AFTERS, BODIES, GUARDS, LAYERS, PREPARES, Act, Spec
from .checker import check, outline
from .parts import codes

ROOT = Path(__file__).resolve().parents[2]
LIMITS = (None, 1, 2, 5)

specs = st.builds(
    Spec,
    body=st.sampled_from(sorted(set(BODIES) - {"suicide"})),
    guard=st.sampled_from(["", "", *GUARDS]),
    prepare=st.sampled_from(["", "", "", *PREPARES]),
    layer=st.sampled_from(["", *LAYERS]),
    after=st.sampled_from(["", *AFTERS]),
    is_async=st.booleans(),
)


@pytest.mark.parametrize("sequential", [True, False])
@settings(max_examples=40)
@given(batch=st.lists(specs, min_size=1, max_size=8))
def test_the_same_batch_has_the_same_order_however_many_workers(sequential, batch):
    """B4: with one body at a time or with all at once, on the loop and in threads."""
    seen = []

    async def main(limit):
        act = Act(max_concurrency=limit)
        done = await act.board.run(act.calls(batch), sequential=sequential)
        await act.board.close()
        return act.log, codes(done)

    for limit in LIMITS:
        log, found = asyncio.run(main(limit))
        check(log, len(batch), sequential=sequential)
        seen.append((outline(log), found))

    assert all(other == seen[0] for other in seen)


PROGRAM = """
import asyncio, itertools, json, sys
sys.path.insert(0, sys.argv[1])
from tests.executor.acting import AFTERS, BODIES, GUARDS, LAYERS, PREPARES, Act, Spec
from tests.executor.checker import outline
from tests.executor.parts import codes

kinds = [sorted(kind) for kind in (BODIES, GUARDS, PREPARES, LAYERS, AFTERS)]
endless = [itertools.cycle(kind) for kind in kinds]
batch = [
    Spec(*(next(kind) for kind in endless), is_async=bool(n % 3)) for n in range(60)
]
batch = [spec for spec in batch if spec.body != "suicide"]

async def main():
    act = Act()
    done = await act.board.run(act.calls(batch))
    await act.board.close()
    return [outline(act.log), codes(done)]

print(json.dumps(asyncio.run(main()), sort_keys=True))
"""


def test_hash_seeds_change_nothing():
    """B4: no set and no dict of the process decides over an order."""

    def run(seed):
        done = subprocess.run(
            [sys.executable, "-c", dedent(PROGRAM), str(ROOT)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    first, *others = (run(seed) for seed in ("0", "1", "2", "31415", "random"))

    assert len(first[1]) > 50
    assert all(other == first for other in others)
