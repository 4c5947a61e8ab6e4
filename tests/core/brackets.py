"""A dialect of its own in one file: `[[think]]…[[/think]]`, and an array in `[[run]]…[[/run]]`."""

import importlib

from tests import cogwire

dialects = importlib.import_module(f"{cogwire.__name__}._dialects")

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
