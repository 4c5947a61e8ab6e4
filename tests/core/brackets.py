"""Dialects of their own: `[[run]]…[[/run]]`, and `<think>` beside `[TOOL_CALLS]`."""

from tests.core.helpers import room

dialects = room("wire.dialects")

BRACKETS = dialects.Dialect(
    "brackets",
    room("wire.frames.tags").Tags(
        think=("[[think]]", "[[/think]]"),
        execute=("[[run]]", "[[/run]]"),
        results=("[[results]]", "[[/results]]"),
        end="",
    ),
    room("wire.blocks.json_reader").ARRAY,
    parallel=True,
)

#: Its markers begin with different characters, as those of formats that models are trained on do.
MIXED = dialects.Dialect(
    "mixed",
    room("wire.frames.tags").Tags(
        think=("<think>", "</think>"),
        execute=("[TOOL_CALLS]", "[/TOOL_CALLS]"),
        results=("<results>", "</results>"),
        end="",
    ),
    room("wire.blocks.json_reader").ARRAY,
    parallel=True,
)
