"""The implementation in JavaScript, held against the core: two readings of one specification."""

import json
import subprocess

import pytest
from fuzz import streams
from fuzz.comparing import IN_FLIGHT, JAVASCRIPT, Adapter, comparable, line

from cogwire_kit.adapter import answer

pytestmark = pytest.mark.verify

STREAMS = 400


def test_its_own_tests_pass():
    """The hand-written expectations of the implementation hold."""
    run = subprocess.run(
        ["node", "--test", str(JAVASCRIPT.parent / "test.mjs")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


def test_random_streams_produce_the_same_events():
    """Both readings agree in events, offsets, paths, the ledger, the state, and in which feed.

    `tests/evidence/test_differential.py` compares more streams, but has no spans.
    """
    requests = [
        streams.stream("streams", number, "xml-json").request | {"spans": True}
        for number in range(STREAMS)
    ]
    lines = [line(number, request) for number, request in enumerate(requests)]
    with Adapter() as adapter:
        for start in range(0, STREAMS, IN_FLIGHT):
            batch = lines[start : start + IN_FLIGHT]
            for sent, reply in zip(batch, adapter.ask(batch), strict=True):
                expected = json.loads(answer(sent))
                assert reply["id"] == expected["id"]
                assert comparable(reply) == comparable(expected), sent
