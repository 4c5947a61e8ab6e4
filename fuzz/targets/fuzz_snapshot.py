"""Snapshots: forgeries are refused, or make a parser that obeys the laws.

The input is a forged snapshot as JSON on a line, and a text to feed.
"""

from fuzz.targets.harness import DIALECTS, hold, json_of, main, text_of
from fuzz.targets.mutating import json_mutator
from tests.core.parser import test_snapshot_refused

LAWS = (
    test_snapshot_refused.test_a_forged_snapshot_is_refused_or_harmless,
    test_snapshot_refused.test_a_forged_snapshot_changes_no_law,
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 (the name that fuzzers look for)
    """Restore a snapshot, and feed the parser if there is one."""
    line, _, text = data.partition(b"\n")
    try:
        value = json_of(line)
    except ValueError:
        return
    for law in LAWS:
        hold(law, DIALECTS[0], value=value, text=text_of(text))


mutate = json_mutator(0, "snapshot")

if __name__ == "__main__":
    main(TestOneInput, mutate)
