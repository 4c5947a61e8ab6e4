"""A part of `fuzz/snapshots.py`: processes that are killed, and others that go on for them."""

import random
from collections import Counter

import pytest
from fuzz import snapshots

from cogwire_kit.conformance import corpus
from tests.core.helpers import DIALECTS
from tests.rows import rows

#: What is forked here only parses, and is killed.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

#: Calls of a parser in one run, and so processes.
SHORT = 120


def some(dialect, count):
    """Return runs of the cases in a dialect that have the most events, and of others at random."""
    rng = random.Random(6)
    cases = [case for case in corpus.load() if (case.op, case.dialect) == ("parse", dialect)]
    cases.sort(key=lambda case: -len(case.data["expect"].get("events", ())))
    chosen = [run for case in cases[:30] for run in snapshots.runs(case, 6)]
    chosen += [run for case in rng.sample(cases[30:], 10) for run in snapshots.runs(case, 6)]
    chosen = [run for run in chosen if len(run.steps) <= SHORT]
    return [*chosen[:count], *rng.sample(chosen[count:], count)], rng


@rows("dialect", DIALECTS)
def test_another_process_continues_at_every_character(dialect):
    runs, rng = some(dialect, 6)
    counts = Counter()
    with snapshots.Restorer() as restorer:
        for run in runs:
            snapshots.check(run, restorer, rng, counts)
        snapshots.check(runs[0], restorer, rng, counts, alone=True)
    assert counts["runs"] == 13
    assert counts["snapshots_restored"] >= sum(len(run.steps) + 1 for run in runs)
    assert counts["processes_killed"] > 12


def test_a_difference_is_found():
    """A snapshot of another place, and a process that dies by itself."""
    runs, _ = some("xml-json", 6)
    run = next(run for run in runs if len(snapshots.uninterrupted(run).events) > 2)
    wrong = snapshots.Snapshot(len(run.steps), '{"version": 0}', [])
    with snapshots.Restorer() as restorer, pytest.raises(snapshots.FoundError, match="ValueError"):
        restorer.rest([(wrong.text, [])])
    other = run._replace(steps=run.steps[:1])
    assert not snapshots.as_expected(other, snapshots.uninterrupted(other))
    with pytest.raises(snapshots.FoundError, match="ended before it was killed"):
        snapshots.killed(lambda write: write(1), 2)
