"""A dialect of its own in one file: `[[think]]…[[/think]]`, and an array in `[[run]]…[[/run]]`."""

from tests.core.helpers import module_of_dialects

dialects = module_of_dialects()

BRACKETS = dialects.Dialect(
    "brackets",
    dialects.Tags(
        think=("[[think]]", "[[/think]]"),
        execute=("[[run]]", "[[/run]]"),
        results=("[[results]]", "[[/results]]"),
        end="",
    ),
    dialects.ARRAY,
    parallel=True,
)
