"""A dialect of its own in one file: `[[think]]…[[/think]]`, and an array in `[[run]]…[[/run]]`."""

from tests.core.helpers import room

dialects = room("wire.dialects")

BRACKETS = dialects.Dialect(
    "brackets",
    room("wire.frames.tags.frame").Tags(
        think=("[[think]]", "[[/think]]"),
        execute=("[[run]]", "[[/run]]"),
        results=("[[results]]", "[[/results]]"),
        end="",
    ),
    room("wire.blocks.json.format").ARRAY,
    parallel=True,
)
