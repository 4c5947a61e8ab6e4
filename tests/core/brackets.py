"""A dialect of its own in one file: `[[think]]…[[/think]]`, and an array in `[[run]]…[[/run]]`."""

import importlib

from tests import cogwire

wire = f"{cogwire.__name__}.wire"
dialects = importlib.import_module(f"{wire}.dialects")
tags = importlib.import_module(f"{wire}.frames.tags.frame")
arrays = importlib.import_module(f"{wire}.blocks.json.format")

BRACKETS = dialects.Dialect(
    "brackets",
    tags.Tags(
        think=("[[think]]", "[[/think]]"),
        execute=("[[run]]", "[[/run]]"),
        results=("[[results]]", "[[/results]]"),
        end="",
    ),
    arrays.ARRAY,
    parallel=True,
)
